/** Hands forests to the workers: a task per diagnosis, or parts of forests when there are few diagnoses. */
import type { Matrix, StageContext } from '../contract.js';
import type { Bins } from '../lib/binning.js';
import { emptySums, foldTrees, type ImportanceSums } from '../lib/importance.js';
import type { LibraryTask } from './library.js';
import type { TrainingRows } from './training.js';
import type { ForestTask } from './worker.js';

export const WORKER = 'stages/rank-features/worker.ts';

/** One diagnosis with its training rows and forest settings. */
export interface Anchor extends TrainingRows {
  readonly dx_code: string;
  readonly seed: number;
  readonly trees_n: number;
}

/** Past this many training rows the library needs hours (20 s for one tree of 4,000 rows). */
const LIBRARY_ROWS = 2000;

/** Sums of the own forest, in the order of `anchors`; the bits do not depend on how the work was cut. */
export async function growForests(
  ctx: StageContext,
  bins: Bins,
  columns: Int32Array,
  anchors: readonly Anchor[],
): Promise<ImportanceSums[]> {
  const whole = (a: Anchor): ForestTask => ({
    bins,
    columns,
    rows: a.rows,
    labels: a.labels,
    seed: a.seed,
    from: 0,
    to: a.trees_n,
  });
  if (anchors.length < ctx.workers.count) return growInParts(ctx, anchors, whole);
  return mapLargestFirst<ForestTask>(ctx, 'growForest', anchors, whole);
}

/** Fewer diagnoses than workers: each forest is cut into ranges of trees. */
async function growInParts(
  ctx: StageContext,
  anchors: readonly Anchor[],
  whole: (a: Anchor) => ForestTask,
): Promise<ImportanceSums[]> {
  const parts = anchors.flatMap((anchor, i) => {
    const size = Math.ceil(anchor.trees_n / ctx.workers.count);
    const starts = Array.from({ length: Math.ceil(anchor.trees_n / size) }, (_, s) => s * size);
    return starts.map((from) => ({ i, from, to: Math.min(from + size, anchor.trees_n) }));
  });
  const vectors = await ctx.workers.map<ForestTask, Float64Array>({
    module: WORKER,
    name: 'growPart',
    tasks: parts.map(({ i, from, to }) => ({ ...whole(anchors[i]!), from, to })),
    onDone: (done) => ctx.progress(done, parts.length, 'parts of forests'),
  });
  const sums = anchors.map(() => emptySums(whole(anchors[0]!).columns.length));
  parts.forEach(({ i, from }, p) => void foldTrees(sums[i]!, vectors[p]!, from, anchors[i]!.trees_n));
  return sums;
}

/** Sums of the npm library's forests. */
export async function growLibraryForests(
  ctx: StageContext,
  matrix: Matrix,
  columns: Int32Array,
  anchors: readonly Anchor[],
): Promise<ImportanceSums[]> {
  const large = anchors.find((a) => a.rows.length > LIBRARY_ROWS);
  if (large) {
    ctx.fail({
      message: `ranker ml-random-forest is for small data; diagnosis ${large.dx_code} has too many training rows`,
      field: 'ranker',
      got: `${large.rows.length} rows`,
      expected: `at most ${LIBRARY_ROWS}`,
      next: 'use ranker forest',
    });
  }
  return mapLargestFirst<LibraryTask>(ctx, 'growLibraryForest', anchors, (a) => ({
    data: matrix.data,
    cohortN: matrix.rows,
    columns,
    rows: a.rows,
    labels: a.labels,
    seed: a.seed,
    trees: a.trees_n,
  }));
}

async function mapLargestFirst<T>(
  ctx: StageContext,
  name: string,
  anchors: readonly Anchor[],
  toTask: (a: Anchor) => T,
): Promise<ImportanceSums[]> {
  const order = Array.from(anchors.keys()).sort(
    (a, b) => anchors[b]!.rows.length - anchors[a]!.rows.length || a - b,
  );
  const results = await ctx.workers.map<T, ImportanceSums>({
    module: WORKER,
    name,
    tasks: order.map((i) => toTask(anchors[i]!)),
    onDone: (done) => ctx.progress(done, anchors.length, 'diagnoses'),
  });
  const sums: ImportanceSums[] = new Array(anchors.length);
  order.forEach((i, t) => {
    sums[i] = results[t]!;
  });
  return sums;
}
