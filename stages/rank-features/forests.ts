/** Hands forests to the workers: whole ones, and ranges of trees of those that are large beside the rest. */
import type { Matrix, StageContext } from '../contract.js';
import type { Bins } from '../lib/binning.js';
import { FOREST_KERNEL } from '../lib/forest-kernel.js';
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

/** Parts that the work of all diagnoses is cut into for each worker, at most, besides whole forests that are smaller. */
const PARTS_PER_WORKER = 8;

/**
 * Sums of the own forest, in the order of `anchors`. Diagnoses are handed out largest first; forests that are large
 * beside the rest are cut into ranges of trees, so that no worker idles while another grows the last one. Trees are
 * summed in tree order, so the bits do not depend on how the work was cut.
 */
export async function growForests(
  ctx: StageContext,
  bins: Bins,
  columns: Int32Array,
  anchors: readonly Anchor[],
): Promise<ImportanceSums[]> {
  const kernel = ctx.kernel(FOREST_KERNEL);
  const plan = planParts(anchors, ctx.workers.count);
  const partsN = plan.reduce((n, { starts }) => n + starts.length, 0);
  let done = 0;
  const sums: ImportanceSums[] = new Array(anchors.length);
  // One call a diagnosis: its trees are summed and let go as soon as the last of them is there.
  await Promise.all(
    plan.map(async ({ i, starts }) => {
      const { rows, labels, seed, trees_n } = anchors[i]!;
      const tasks = starts.map((from, s): ForestTask => {
        return { bins, columns, rows, labels, seed, from, to: starts[s + 1] ?? trees_n, kernel };
      });
      const onDone = (): void => ctx.progress(++done, partsN, 'forests or parts of them');
      sums[i] = await growForest(ctx, tasks, columns.length, onDone);
    }),
  );
  return sums;
}

async function growForest(
  ctx: StageContext,
  tasks: readonly ForestTask[],
  columnsN: number,
  onDone: () => void,
): Promise<ImportanceSums> {
  if (tasks.length === 1) {
    const spec = { module: WORKER, name: 'growForest', tasks, onDone };
    return (await ctx.workers.map<ForestTask, ImportanceSums>(spec))[0]!;
  }
  const spec = { module: WORKER, name: 'growPart', tasks, onDone };
  const vectors = await ctx.workers.map<ForestTask, Float64Array>(spec);
  const sums = emptySums(columnsN);
  tasks.forEach(({ from }, t) => void foldTrees(sums, vectors[t]!, from, tasks.at(-1)!.to));
  return sums;
}

/** A diagnosis by its place in the list, with the first trees of the parts of its forest. */
interface Parts {
  readonly i: number;
  readonly starts: readonly number[];
}

/** Largest forest first; one that is more than an eighth of a worker's share is cut. */
export function planParts(
  anchors: readonly Pick<Anchor, 'rows' | 'trees_n'>[],
  workersN: number,
): readonly Parts[] {
  const costs = anchors.map(({ rows, trees_n }) => trees_n * rows.length * Math.log2(rows.length + 1));
  const share = costs.reduce((a, b) => a + b, 0) / workersN;
  const order = Array.from(anchors.keys()).sort((a, b) => costs[b]! - costs[a]! || a - b);
  return order.map((i) => {
    const { trees_n } = anchors[i]!;
    const wanted = workersN === 1 ? 1 : Math.ceil((costs[i]! / share) * PARTS_PER_WORKER);
    const size = Math.ceil(trees_n / Math.min(wanted, trees_n));
    return { i, starts: Array.from({ length: Math.ceil(trees_n / size) }, (_, s) => s * size) };
  });
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
  const order = Array.from(anchors.keys()).sort(
    (a, b) => anchors[b]!.rows.length - anchors[a]!.rows.length || a - b,
  );
  const results = await ctx.workers.map<LibraryTask, ImportanceSums>({
    module: WORKER,
    name: 'growLibraryForest',
    tasks: order.map((i) => {
      const { rows, labels, seed, trees_n: trees } = anchors[i]!;
      return { data: matrix.data, cohortN: matrix.rows, columns, rows, labels, seed, trees };
    }),
    onDone: (done) => ctx.progress(done, anchors.length, 'diagnoses'),
  });
  return anchors.map((_, i) => results[order.indexOf(i)]!);
}
