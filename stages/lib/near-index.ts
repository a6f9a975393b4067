/** Rows in sketch coordinates, sorted into strips and packed into tiles, in the memory of the near pass' kernel. */
import type { Metric } from './distance.js';
import { sortableBits, sortByKeys } from './float-order.js';
import { instantiate, layOut, offsetsOf } from './kernel.js';
import { type NearKernel, plainNear } from './near-scan.js';
import { chooseSketch, type Sketch } from './sketch.js';

/** Rows of a strip: a range of window coordinate 1, inside which rows are sorted by window coordinate 2. */
const STRIP = 2048;
/** Searched rows of a tile, and asking rows of a block. */
export const TILE = 8;
export const BLOCK = 4;
/** Rows transformed at a time, so that their columns stay in the first cache. */
const CHUNK = 256;
/** Pairs handed over before the host is asked for a better bound. */
const OUT_BYTES = 8 * 4096;
/** Scaled values must be far from the end of float32, where squares would overflow. */
const LARGEST = 1e15;

export interface NearRows {
  readonly metric: Metric;
  /** Scaled values, column-major, with `matrixRows` rows. */
  readonly data: Float64Array;
  readonly matrixRows: number;
  /** Column numbers in rank order. */
  readonly features: Int32Array;
}

type Offsets = Record<
  'x' | 'matrix' | 'y' | 'tiles' | 'tileRange' | 'strips' | 'blocks' | 'blockRange' | 'scratch' | 'out',
  number
>;

/** Memory and kernel of one near pass. A later pass on the same thread may use the same memory. */
export class NearIndex {
  readonly at: Offsets;
  readonly kernel: NearKernel;
  readonly sketch: Sketch;
  readonly i32: Int32Array;
  readonly outEnd: number;
  readonly stripsN: number;
  /** Largest absolute value of every column among all packed rows: it bounds what float32 can have lost. */
  readonly largest: Float64Array;
  /** Row number at each position; tile `t` holds the positions 8t to 8t + 7. */
  readonly searched: Int32Array;
  private readonly source: NearRows;
  private readonly f64: Float64Array;
  private readonly f32: Float32Array;
  /** Rows of the coefficient matrix, and values of a transformed row: both rounded up to whole fours. */
  private readonly computed: number;
  private readonly width: number;

  /** Packs `searched`; at most `askingN` rows will be asked for at a time. */
  constructor(source: NearRows, searched: Int32Array, askingN: number, module: WebAssembly.Module | null) {
    const { metric, data, matrixRows, features } = source;
    const k = features.length;
    this.source = source;
    this.sketch = chooseSketch(metric, data, matrixRows, searched, features);
    const { matrix, tail, isTailCopied } = this.sketch;
    this.computed = Math.ceil(matrix.length / k / 4) * 4;
    this.width = this.computed + (isTailCopied ? tail : 0);
    this.largest = new Float64Array(k);
    this.stripsN = Math.ceil(searched.length / STRIP);
    const { kernel, at, buffer } = openMemory(module, this.sizes(searched.length, askingN));
    this.kernel = kernel;
    this.at = at;
    this.outEnd = at.out + OUT_BYTES;
    this.f64 = new Float64Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64.fill(0, at.matrix >> 3, (at.matrix >> 3) + this.computed * k);
    this.f64.set(matrix, at.matrix >> 3);
    this.searched = this.packTiles(searched);
  }

  /** Coordinates of a tile or block. */
  get coordinates(): number {
    return this.sketch.head + this.sketch.tail;
  }

  /** Packs rows that ask, four a block, near ones together. Returns the row at each position, -1 behind the last. */
  packBlocks(rows: Int32Array): Int32Array {
    const order = this.sort(rows, BLOCK * Math.max(1, Math.round(Math.sqrt(rows.length) / 2)));
    const blocksN = Math.ceil(rows.length / BLOCK);
    const asking = new Int32Array(blocksN * BLOCK).fill(-1);
    for (let b = 0; b < blocksN; b++) {
      const end = Math.min((b + 1) * BLOCK, rows.length);
      for (let i = b * BLOCK; i < end; i++) asking[i] = rows[order[i]!]!;
      this.pack(order, b * BLOCK, end, BLOCK, this.at.blocks + b * this.coordinates * BLOCK * 4);
      const range = (this.at.blockRange >> 3) + 4 * b;
      this.writeRange(order, b * BLOCK, end, 0, range);
      this.writeRange(order, b * BLOCK, end, 1, range + 2);
    }
    return asking;
  }

  private sizes(searchedN: number, askingN: number): Offsets {
    const tilesN = this.stripsN * (STRIP / TILE);
    const blocksN = Math.ceil(askingN / BLOCK);
    const rowsN = Math.ceil(Math.max(searchedN, askingN) / CHUNK) * CHUNK;
    const k = this.source.features.length;
    return {
      x: k * CHUNK * 8,
      matrix: this.computed * k * 8,
      y: rowsN * this.width * 4,
      tiles: tilesN * this.coordinates * TILE * 4,
      tileRange: tilesN * 16,
      strips: this.stripsN * 32,
      blocks: blocksN * this.coordinates * BLOCK * 4,
      blockRange: blocksN * 32,
      scratch: 128,
      out: OUT_BYTES,
    };
  }

  private packTiles(rows: Int32Array): Int32Array {
    const order = this.sort(rows, STRIP);
    const at = this.at;
    for (let s = 0; s < this.stripsN; s++) {
      const from = s * STRIP;
      const end = Math.min(from + STRIP, rows.length);
      const strip = (at.strips >> 3) + 4 * s;
      this.f64[strip] = from / TILE;
      this.f64[strip + 1] = Math.ceil(end / TILE);
      this.writeRange(order, from, end, 0, strip + 2);
      for (let i = from; i < end; i += TILE) {
        const last = Math.min(i + TILE, end);
        this.writeRange(order, i, last, 1, (at.tileRange >> 3) + (2 * i) / TILE);
        this.pack(order, i, last, TILE, at.tiles + i * this.coordinates * 4);
      }
    }
    return order.map((i) => rows[i]!);
  }

  /** Transforms rows; returns their indices, cut by window coordinate 1 into strips that are sorted by coordinate 2. */
  private sort(rows: Int32Array, strip: number): Int32Array {
    this.transform(rows);
    const n = rows.length;
    const order = new Int32Array(n);
    const spare = new Int32Array(n);
    const keys = new Uint32Array(n);
    const start = this.at.y >> 2;
    for (let i = 0; i < n; i++) {
      order[i] = i;
      keys[i] = sortableBits(this.i32[start + i * this.width]!);
    }
    sortByKeys(order, 0, n, keys, spare);
    for (let i = 0; i < n; i++) keys[i] = sortableBits(this.i32[start + i * this.width + 1]!);
    for (let s = 0; s < n; s += strip) sortByKeys(order, s, Math.min(s + strip, n), keys, spare);
    return order;
  }

  /** Sketch coordinates of rows, row by row at `y`. */
  private transform(rows: Int32Array): void {
    const { f64, f32, at, largest, width, computed } = this;
    const { data, matrixRows, features } = this.source;
    const k = features.length;
    const { isTailCopied, tail } = this.sketch;
    for (let from = 0; from < rows.length; from += CHUNK) {
      const n = Math.min(CHUNK, rows.length - from);
      for (let c = 0; c < k; c++) {
        const column = features[c]! * matrixRows;
        const to = (at.x >> 3) + c * CHUNK;
        let most = largest[c]!;
        for (let i = 0; i < n; i++) {
          const x = data[column + rows[from + i]!]!;
          f64[to + i] = x;
          if (x > most) most = x;
          else if (-x > most) most = -x;
        }
        largest[c] = most;
      }
      const y = at.y + from * width * 4;
      const whole = Math.ceil(n / 4) * 4;
      this.kernel.transform(at.x, CHUNK, k, at.matrix, computed, y, width, whole);
      for (let c = 0; isTailCopied && c < tail; c++) {
        const column = (at.x >> 3) + c * CHUNK;
        const to = (y >> 2) + computed + c;
        for (let i = 0; i < n; i++) f32[to + i * width] = f64[column + i]!;
      }
    }
    const worst = largest.reduce((a, b) => Math.max(a, b), 0);
    if (!(worst < LARGEST)) throw new RangeError(`scaled values must be below ${LARGEST}; one is ${worst}`);
  }

  /** Head and tail coordinates of order[from, to) at `target`: [coordinate][lanes], NaN in lanes without a row. */
  private pack(order: Int32Array, from: number, to: number, lanes: number, target: number): void {
    const { f32, width } = this;
    const { head, tail, isTailCopied } = this.sketch;
    const out = target >> 2;
    const tailFrom = isTailCopied ? this.computed : 2 + head;
    for (let lane = 0; lane < lanes; lane++) {
      const i = from + lane;
      if (i >= to) {
        for (let c = 0; c < head + tail; c++) f32[out + c * lanes + lane] = Number.NaN;
        continue;
      }
      const y = (this.at.y >> 2) + order[i]! * width;
      for (let c = 0; c < head; c++) f32[out + c * lanes + lane] = f32[y + 2 + c]!;
      for (let c = 0; c < tail; c++) f32[out + (head + c) * lanes + lane] = f32[y + tailFrom + c]!;
    }
  }

  /** Least and largest window coordinate of order[from, to). */
  private writeRange(order: Int32Array, from: number, to: number, window: number, target: number): void {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to; i++) {
      const x = this.f32[(this.at.y >> 2) + order[i]! * this.width + window]!;
      if (x < low) low = x;
      if (x > high) high = x;
    }
    this.f64[target] = low;
    this.f64[target + 1] = high;
  }
}

function openMemory(
  module: WebAssembly.Module | null,
  sizes: Offsets,
): { kernel: NearKernel; at: Offsets; buffer: ArrayBuffer } {
  if (module) {
    const { run, memory } = instantiate<NearKernel>('near', module);
    const at = layOut(memory, sizes);
    return { kernel: run, at, buffer: memory.buffer };
  }
  const { offsets, end } = offsetsOf(sizes, 0);
  const buffer = new ArrayBuffer(end);
  return { kernel: plainNear(buffer), at: offsets, buffer };
}
