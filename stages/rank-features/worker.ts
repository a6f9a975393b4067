/** What rank-features does on worker threads. */
import { type Bins, fillBins } from '../lib/binning.js';
import { gatherRows, growTrees } from '../lib/forest.js';
import { emptySums, foldTrees, type ImportanceSums } from '../lib/importance.js';
import { type LibraryTask, libraryTrees } from './library.js';

export interface BinTask {
  readonly data: Float64Array;
  readonly bins: Bins;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Bins a range of columns into shared memory. */
export function binColumns(task: BinTask): void {
  fillBins(task.data, task.bins, task.from, task.to, task.limit);
}

export interface ForestTask {
  readonly bins: Bins;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly labels: Uint8Array;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** The compiled forest; null for the TypeScript form. */
  readonly kernel: WebAssembly.Module | null;
}

/** Importance vectors of the trees [from, to). */
export function growPart(task: ForestTask): Float64Array {
  const set = gatherRows(task.bins, task.rows, task.columns, task.labels, task.kernel);
  return growTrees(set, task.seed, task.from, task.to);
}

/** How many trees are grown between two sums, so that memory stays small. */
const BATCH = 50;

/** The whole forest of a diagnosis, summed in tree order. */
export function growForest(task: ForestTask): ImportanceSums {
  const set = gatherRows(task.bins, task.rows, task.columns, task.labels, task.kernel);
  const sums = emptySums(task.columns.length);
  for (let t = 0; t < task.to; t += BATCH) {
    foldTrees(sums, growTrees(set, task.seed, t, Math.min(t + BATCH, task.to)), t, task.to);
  }
  return sums;
}

/** The forest of the npm library for one diagnosis. */
export function growLibraryForest(task: LibraryTask): ImportanceSums {
  const vectors = libraryTrees(task);
  const sums = emptySums(task.columns.length);
  foldTrees(sums, vectors, 0, task.trees);
  return sums;
}
