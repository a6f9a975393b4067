/** Rows in sketch coordinates, sorted into cells and packed into tiles, in the memory of the near pass' kernel. */
import type { Metric } from './distance.js';
import { roughKey, sortByKeys } from './float-order.js';
import { instantiate, layOut, offsetsOf } from './kernel.js';
import { type NearKernel, plainNear } from './near-scan.js';
import { chooseSketch, type Sketch } from './sketch.js';

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
  | 'x'
  | 'largest'
  | 'matrix'
  | 'y'
  | 'order'
  | 'tiles'
  | 'tileRange'
  | 'cells'
  | 'strips'
  | 'blocks'
  | 'blockRange'
  | 'scratch'
  | 'out',
  number
>;

/**
 * How n rows are sorted: strips by the first window coordinate, in each strip cells by the second, in each cell groups
 * of `lanes` rows by the third; about as many of each. All but the last are full.
 */
interface Grid {
  readonly groupsN: number;
  readonly cellRows: number;
  readonly cellsN: number;
  readonly cellsInStrip: number;
  readonly stripsN: number;
}

function gridFor(n: number, lanes: number): Grid {
  const groupsN = Math.ceil(n / lanes);
  const side = Math.max(1, Math.round(Math.cbrt(groupsN)));
  const cellsN = Math.ceil(groupsN / side);
  return {
    groupsN,
    cellRows: side * lanes,
    cellsN,
    cellsInStrip: side,
    stripsN: Math.ceil(cellsN / side),
  };
}

/** Memory and kernel of one near pass. A later pass on the same thread may use the same memory. */
export class NearIndex {
  readonly at: Offsets;
  readonly kernel: NearKernel;
  readonly sketch: Sketch;
  readonly i32: Int32Array;
  readonly outEnd: number;
  readonly stripsN: number;
  /** Row number at each position; tile `t` holds the positions 8t to 8t + 7. */
  readonly searched: Int32Array;
  private readonly source: NearRows;
  private readonly f64: Float64Array;
  private readonly f32: Float32Array;
  /** Values of a transformed row: four windows, head and tail. */
  private readonly width: number;

  /** Packs `searched`; at most `askingN` rows will be asked for at a time. */
  constructor(source: NearRows, searched: Int32Array, askingN: number, module: WebAssembly.Module | null) {
    const { metric, data, matrixRows, features } = source;
    const k = features.length;
    this.source = source;
    this.sketch = chooseSketch(metric, data, matrixRows, searched, features);
    this.width = 4 + this.coordinates;
    const grid = gridFor(searched.length, TILE);
    this.stripsN = grid.stripsN;
    const { kernel, at, buffer } = openMemory(module, this.sizes(searched.length, grid, askingN));
    this.kernel = kernel;
    this.at = at;
    this.outEnd = at.out + OUT_BYTES;
    this.f64 = new Float64Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64.fill(0, at.largest >> 3, (at.largest >> 3) + k);
    this.f64.set(this.sketch.matrix, at.matrix >> 3);
    const order = this.sort(searched, grid);
    this.packTiles(order, grid);
    this.searched = order.map((i) => searched[i]!);
  }

  /** Coordinates of a tile or block. */
  get coordinates(): number {
    return this.sketch.head + this.sketch.tail;
  }

  /** Largest absolute value of every column among all packed rows: it bounds what float32 can have lost. */
  get largest(): Float64Array {
    const from = this.at.largest >> 3;
    return this.f64.subarray(from, from + this.source.features.length);
  }

  /** Packs rows that ask, four a block, near ones together. Returns the row at each position, -1 behind the last. */
  packBlocks(rows: Int32Array): Int32Array {
    const grid = gridFor(rows.length, BLOCK);
    const order = this.sort(rows, grid);
    this.pack(order, BLOCK, this.at.blocks, this.at.blockRange);
    const asking = new Int32Array(grid.groupsN * BLOCK).fill(-1);
    for (let i = 0; i < rows.length; i++) asking[i] = rows[order[i]!]!;
    return asking;
  }

  private sizes(searchedN: number, grid: Grid, askingN: number): Offsets {
    const blocksN = Math.ceil(askingN / BLOCK);
    const rowsN = Math.ceil(Math.max(searchedN, askingN) / CHUNK) * CHUNK;
    const k = this.source.features.length;
    return {
      x: k * CHUNK * 8,
      largest: k * 8,
      matrix: this.sketch.matrix.length * 8,
      y: rowsN * this.width * 4,
      order: rowsN * 4,
      tiles: grid.groupsN * this.coordinates * TILE * 4,
      tileRange: grid.groupsN * 32,
      cells: grid.cellsN * 32,
      strips: grid.stripsN * 32,
      blocks: blocksN * this.coordinates * BLOCK * 4,
      blockRange: blocksN * 32,
      scratch: 128,
      out: OUT_BYTES,
    };
  }

  private packTiles(order: Int32Array, grid: Grid): void {
    const { at, f64 } = this;
    this.pack(order, TILE, at.tiles, at.tileRange);
    const tilesInCell = grid.cellRows / TILE;
    for (let c = 0; c < grid.cellsN; c++) {
      const [from, to] = [c * tilesInCell, Math.min((c + 1) * tilesInCell, grid.groupsN)];
      f64.set([from, to, ...this.rangeOf(from, to, 1)], (at.cells >> 3) + 4 * c);
      this.smoothRanges(from, to);
    }
    for (let s = 0; s < grid.stripsN; s++) {
      const [from, to] = [s * grid.cellsInStrip, Math.min((s + 1) * grid.cellsInStrip, grid.cellsN)];
      const tiles = this.rangeOf(from * tilesInCell, Math.min(to * tilesInCell, grid.groupsN), 0);
      f64.set([from, to, ...tiles], (at.strips >> 3) + 4 * s);
    }
  }

  /** Least and largest window coordinate of the tiles [from, to). */
  private rangeOf(from: number, to: number, window: number): [number, number] {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let at = (this.at.tileRange >> 2) + 8 * from; at < (this.at.tileRange >> 2) + 8 * to; at += 8) {
      low = Math.min(low, this.f32[at + window]!);
      high = Math.max(high, this.f32[at + 4 + window]!);
    }
    return [low, high];
  }

  /** Widens the third ranges of the tiles of a cell until both ends rise from tile to tile: the sort was a rough one. */
  private smoothRanges(from: number, to: number): void {
    const { f32 } = this;
    const ranges = this.at.tileRange >> 2;
    for (let t = from + 1; t < to; t++) {
      const high = ranges + 8 * t + 6;
      f32[high] = Math.max(f32[high]!, f32[high - 8]!);
    }
    for (let t = to - 2; t >= from; t--) {
      const low = ranges + 8 * t + 2;
      f32[low] = Math.min(f32[low]!, f32[low + 8]!);
    }
  }

  /** Transforms rows; returns their indices, sorted into the grid. */
  private sort(rows: Int32Array, { cellRows, cellsInStrip }: Grid): Int32Array {
    this.transform(rows);
    const n = rows.length;
    const order = new Int32Array(n);
    const spare = new Int32Array(n);
    const keys = [new Uint16Array(n), new Uint16Array(n), new Uint16Array(n)] as const;
    for (let i = 0, at = this.at.y >> 2; i < n; i++, at += this.width) {
      order[i] = i;
      keys[0][i] = roughKey(this.i32[at]!);
      keys[1][i] = roughKey(this.i32[at + 1]!);
      keys[2][i] = roughKey(this.i32[at + 2]!);
    }
    const sizes = [n, cellRows * cellsInStrip, cellRows];
    keys.forEach((byWindow, w) => {
      const size = sizes[w]!;
      for (let from = 0; from < n; from += size) {
        sortByKeys(order, from, Math.min(from + size, n), byWindow, spare);
      }
    });
    return order;
  }

  /** Sketch coordinates of rows, row by row at `y`. */
  private transform(rows: Int32Array): void {
    const { f64, at, width } = this;
    const { data, matrixRows, features } = this.source;
    const k = features.length;
    const { matrix, copied } = this.sketch;
    const computed = matrix.length / k;
    for (let from = 0; from < rows.length; from += CHUNK) {
      const n = Math.min(CHUNK, rows.length - from);
      for (let c = 0; c < k; c++) {
        const column = features[c]! * matrixRows;
        const to = (at.x >> 3) + c * CHUNK;
        for (let i = 0; i < n; i++) f64[to + i] = data[column + rows[from + i]!]!;
        // Whole fours are transformed; what stands behind the last row is never read.
        for (let i = n; i < CHUNK; i++) f64[to + i] = 0;
      }
      const y = at.y + from * width * 4;
      this.kernel.transform(at.x, CHUNK, k, at.matrix, computed, y, width, copied, at.largest);
    }
    const worst = this.largest.reduce((a, b) => Math.max(a, b), 0);
    if (!(worst < LARGEST)) throw new RangeError(`scaled values must be below ${LARGEST}; one is ${worst}`);
  }

  /** Head and tail of all groups at `target`: [group][coordinate][lane], NaN in lanes without a row; and their ranges. */
  private pack(order: Int32Array, lanes: number, target: number, ranges: number): void {
    const { at, f32, width, coordinates } = this;
    const n = order.length;
    this.i32.set(order, at.order >> 2);
    this.kernel.pack(at.order, n, lanes, at.y, width, target, ranges);
    for (let i = n; i % lanes !== 0; i++) {
      const lane = (target >> 2) + Math.floor(i / lanes) * lanes * coordinates + (i % lanes);
      for (let c = 0; c < coordinates; c++) f32[lane + c * lanes] = Number.NaN;
    }
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
