/** The farthest pairs among some rows, for the draws after the first (which rides on the pass for theta and phi). */
import type { NearRows } from './near-index.js';
import { PairHeap } from './pair-heap.js';
import { LANES, packTiles } from './tiles.js';
import { forBlocks, type Limits, WHOLE, withinPass } from './within-pass.js';

export interface FarthestSearch {
  /** Row numbers, ascending. */
  readonly rows: Int32Array;
  readonly capacity: number;
  /** Whether a pair may be kept; the key is negated, so that the farthest comes first. */
  readonly isWanted: (key: number, i: number, j: number) => boolean;
  readonly kernel: WebAssembly.Module | null;
}

/** The first `capacity` wanted pairs by (-key, i, j), i < j; keys negated. */
export function farthestPairs(source: NearRows, search: FarthestSearch): PairHeap {
  const { metric, data, matrixRows, features } = source;
  const { rows, capacity, isWanted, kernel } = search;
  const heap = new PairHeap(capacity);
  const pass = withinPass(metric, rows.length, features.length, kernel);
  packTiles(pass.tiles, data, matrixRows, rows, features);
  const emit = (distance: number, a: number, b: number): void => {
    const key = -distance;
    if (key <= heap.bound && isWanted(key, rows[a]!, rows[b]!)) heap.push(key, rows[a]!, rows[b]!);
  };
  // No band: only what reaches the heap's worst is of interest.
  const empty = { lo1: 1, hi1: 0, lo2: 1, hi2: 0 };
  forBlocks(Math.ceil(rows.length / LANES), WHOLE, (iFrom, iTo, tFrom, tTo) => {
    const limits: Limits = { ...empty, top: -heap.bound };
    pass.scan(iFrom, iTo, tFrom, tTo, limits, [0, 0], emit);
  });
  return heap;
}
