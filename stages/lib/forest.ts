/**
 * Random forest on binned columns, for one purpose: mean decrease in Gini impurity of every column.
 * Bootstrap by weights, sqrt(p) columns drawn at every node, depth unlimited. Every tree depends on (seed, tree
 * number) alone, so trees may be grown anywhere in any order; `foldTrees` sums them in tree order.
 */
import type { Bins } from './binning.js';
import { type KernelSet, placeSet } from './forest-kernel.js';
import { createScratch } from './forest-scratch.js';
import { growTree } from './forest-tree.js';
import { normalise } from './importance.js';

/** The rows of one diagnosis, gathered from the cohort's bins, with the columns that may be used. */
export interface TrainingSet {
  readonly rows: number;
  readonly columns: number;
  /** Bin of row r in column f at `f * rows + r`. */
  readonly byColumn: Uint8Array;
  /** The same at `r * columns + f`. */
  readonly byRow: Uint8Array;
  readonly binsN: Uint16Array;
  /** 0 or 1 for each row. */
  readonly labels: Uint8Array;
  /** Set when the arrays lie in the memory of the compiled kernel, which then grows the trees. */
  readonly kernel: KernelSet | null;
}

/**
 * Copies the given rows and columns out of the cohort's bins, in both orders. With the module of the compiled kernel
 * they go into its memory, which holds one set a thread: gather the next one only when this one is done with.
 */
export function gatherRows(
  bins: Bins,
  rows: Int32Array,
  columns: Int32Array,
  labels: Uint8Array,
  module: WebAssembly.Module | null = null,
): TrainingSet {
  const n = rows.length;
  const p = columns.length;
  const kernel = module && placeSet(module, n, p);
  const byColumn = kernel?.byColumn ?? new Uint8Array(n * p);
  const byRow = kernel?.byRow ?? new Uint8Array(n * p);
  const binsN = kernel?.binsN ?? new Uint16Array(p);
  for (let f = 0; f < p; f++) {
    binsN[f] = bins.binsN[columns[f]!]!;
    const from = bins.byColumn.subarray(columns[f]! * bins.rows, (columns[f]! + 1) * bins.rows);
    const to = byColumn.subarray(f * n, (f + 1) * n);
    for (let r = 0; r < n; r++) to[r] = from[rows[r]!]!;
  }
  const runs = runsOf(columns);
  for (let r = 0; r < n; r++) {
    const row = rows[r]! * bins.columns;
    for (const { first, from, to } of runs) {
      byRow.set(bins.byRow.subarray(row + from, row + to), r * p + first);
    }
  }
  kernel?.labels.set(labels);
  return { rows: n, columns: p, byColumn, byRow, binsN, labels, kernel };
}

/** Runs of consecutive column numbers [from, to), the first of them at place `first` of the list. */
function runsOf(columns: Int32Array): { first: number; from: number; to: number }[] {
  const runs: { first: number; from: number; to: number }[] = [];
  columns.forEach((f, first) => {
    const last = runs.at(-1);
    if (last?.to === f) last.to++;
    else runs.push({ first, from: f, to: f + 1 });
  });
  return runs;
}

/** Grows the trees [from, to) and returns their importance vectors, one after the other; each sums to 1, or is 0. */
export function growTrees(set: TrainingSet, seed: number, from: number, to: number): Float64Array {
  const vectors = new Float64Array((to - from) * set.columns);
  const scratch = set.kernel ? null : createScratch(set.rows, set.columns);
  for (let t = from; t < to; t++) {
    const start = (t - from) * set.columns;
    const vector = vectors.subarray(start, start + set.columns);
    if (scratch) growTree(set, scratch, seed, t, vector);
    else set.kernel!.growTree(seed, t, vector);
    normalise(vector);
  }
  return vectors;
}
