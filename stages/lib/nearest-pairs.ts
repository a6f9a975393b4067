/** The nearest pairs between two sets of rows, exactly: float32 coordinates reject, float64 keys decide. */
import { BLOCK, NearIndex, type NearRows } from './near-index.js';
import { PairHeap } from './pair-heap.js';
import type { Part } from './within-pass.js';

/** Blocks are visited far from each other in turn, so that the bound falls early. */
const STRIDE = 17;
/** Unit roundoff of float32. */
const U = 2 ** -24;
/** Least normal float32. */
const TINY = 2 ** -126;

export interface NearestSearch {
  /** Rows that ask, ascending. */
  readonly rows: Int32Array;
  /** How many pairs are kept. */
  readonly capacity: number;
  /** Pairs with a larger key are not wanted. */
  readonly limit: number;
  /** Whether a pair may be kept; asked only for pairs whose key could enter. */
  readonly isWanted: (key: number, i: number, j: number) => boolean;
  readonly part: Part;
}

/** Finds near pairs between any rows and the `searched` ones, which are packed once. */
export class NearestPairs {
  private readonly index: NearIndex;
  private readonly source: NearRows;
  /** No packed row has a larger norm. */
  private norm = 0;

  constructor(source: NearRows, searched: Int32Array, askingN: number, kernel: WebAssembly.Module | null) {
    this.source = source;
    this.index = new NearIndex(source, searched, askingN, kernel);
  }

  /** The first `capacity` wanted pairs by (key, i, j): i asks, j is searched. */
  search(search: NearestSearch): PairHeap {
    const { index } = this;
    const heap = new PairHeap(search.capacity);
    const asking = index.packBlocks(search.rows);
    this.norm = this.largestNorm();
    const blocksN = asking.length / BLOCK;
    const stride = coprime(blocksN);
    for (let n = search.part.part; n < blocksN; n += search.part.of) {
      this.searchBlock(search, asking, (n * stride) % blocksN, heap);
    }
    return heap;
  }

  private searchBlock(search: NearestSearch, asking: Int32Array, block: number, heap: PairHeap): void {
    const { index } = this;
    const { at, kernel, i32, sketch, coordinates, stripsN } = index;
    const scan = kernel[this.source.metric];
    let strip = 0;
    let tile = 0;
    while (strip < stripsN) {
      const bounds = this.bounds(Math.min(search.limit, heap.bound));
      const end = scan(
        at.blocks + block * coordinates * BLOCK * 4,
        at.blockRange + block * 32,
        at.tiles,
        at.tileRange,
        at.cells,
        at.strips,
        stripsN,
        strip,
        tile,
        sketch.head,
        coordinates,
        bounds.radius,
        bounds.head,
        bounds.all,
        at.scratch,
        at.out,
        index.outEnd,
      );
      strip = kernel.nextStrip();
      tile = kernel.nextTile();
      for (let o = at.out >> 2; o < end >> 2; o += 2) {
        const i = asking[block * BLOCK + i32[o]!]!;
        this.offer(search, i, index.searched[i32[o + 1]!]!, heap);
      }
    }
  }

  private offer({ limit, isWanted }: NearestSearch, i: number, j: number, heap: PairHeap): void {
    const key = this.key(i, j);
    if (key <= limit && key <= heap.bound && isWanted(key, i, j)) heap.push(key, i, j);
  }

  /** The key of two rows, from the scaled values. */
  private key(i: number, j: number): number {
    const { metric, data, matrixRows, features } = this.source;
    let key = 0;
    for (let c = 0; c < features.length; c++) {
      const from = features[c]! * matrixRows;
      const d = data[from + i]! - data[from + j]!;
      key += metric === 'gower' ? Math.abs(d) : d * d;
    }
    return key;
  }

  private largestNorm(): number {
    if (this.source.metric === 'gower') return this.index.largest.reduce((sum, x) => sum + x, 0);
    return Math.sqrt(this.index.largest.reduce((sum, x) => sum + x * x, 0));
  }

  /**
   * What float32 may reject, for keys up to `key`. Coordinates are rounded once (relative 2^-24 each, so a distance
   * changes by at most 2 * 2^-24 * R, R the norm of the largest row), and a float32 sum of n terms is off by a factor of
   * at most 1 + (n + 3) 2^-24. All of it is doubled; float64 steps vanish in that. Below 2^-126 rounding is absolute.
   */
  private bounds(key: number): { radius: number; head: number; all: number } {
    const { sketch, coordinates } = this.index;
    const isGower = this.source.metric === 'gower';
    const lost = 4 * U * this.norm + TINY;
    const radius = (isGower ? key : Math.sqrt(key)) * (1 + U) + lost;
    const factor = (n: number): number => 1 + 2 * (n + 4) * U;
    const reach = isGower ? radius : radius * radius;
    return {
      radius,
      head: roundUp(reach * factor(sketch.head)),
      all: roundUp(reach * factor(coordinates)),
    };
  }
}

/** A float32 that is not below x >= 0. */
const roundUp = (x: number): number => Math.fround(x * (1 + 4 * U) + TINY);

/** A stride that visits every one of n blocks. */
function coprime(n: number): number {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  let stride = STRIDE;
  while (n > 0 && gcd(stride, n) > 1) stride++;
  return stride;
}
