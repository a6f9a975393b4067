/** Everything that is mined for one diagnosis: eligibility, thresholds, DDT and DCT pairs. Pure, for a worker thread. */
import { isEligible, keyAbove, keyToDistance, type Metric } from './distance.js';
import { farthestPairs } from './farthest-pairs.js';
import { type Draw, selectGreedy } from './greedy.js';
import type { NearRows } from './near-index.js';
import { NearestPairs } from './nearest-pairs.js';
import { type KeyedPair, PairHeap, type PairHeapData } from './pair-heap.js';
import {
  mergeParts,
  type PositivePairsSpec,
  type PositivePartData,
  partToData,
  scanPart,
  scanPositivePairs,
  settle,
} from './positive-pairs.js';
import { type Part, WHOLE } from './within-pass.js';

/** The cohort, row r being the r-th stay by stay_id. Arrays are shared between workers. */
export interface MiningData {
  readonly rows: number;
  /** Scaled values, column-major. */
  readonly scaled: Float64Array;
  /** 1 where a value was filled in, column-major. */
  readonly filled: Uint8Array;
  readonly patient: Int32Array;
  readonly split: Int32Array;
  readonly splitsN: number;
}

export interface MiningSettings {
  readonly metric: Metric;
  readonly top_m: number;
  readonly cap: number | 'none';
  readonly min_observed_share: number;
  readonly apply_thresholds: boolean;
  readonly theta_quantile: number;
  readonly phi_quantile: number;
}

export interface MiningTask {
  readonly data: MiningData;
  readonly settings: MiningSettings;
  /** Column numbers of F_k in rank order. */
  readonly features: Int32Array;
  /** Row numbers of the positive stays, ascending. */
  readonly positives: Int32Array;
  /** Compiled kernels; without one, its TypeScript form runs. */
  readonly kernels?: MiningKernels;
  /** Pairs per draw. A matter of speed, never of the result; the default suits the task. */
  readonly pool?: number;
}

export interface MiningKernels {
  readonly within: WebAssembly.Module | null;
  readonly near: WebAssembly.Module | null;
}

/** A selected pair. `ddt`: i positive, j negative; `dct`: both positive, i < j. Rows of the cohort. */
export interface MinedPair {
  readonly task: 'ddt' | 'dct';
  readonly split: number;
  /** 1, 2, ... within task and split. */
  readonly rank: number;
  readonly i: number;
  readonly j: number;
  readonly distance: number;
}

export interface MinedDiagnosis {
  readonly theta: number | null;
  readonly phi: number | null;
  readonly positive_pairs_n: number;
  readonly eligible_positives_n: number;
  readonly eligible_negatives_n: number;
  readonly ineligible_positives_n: number;
  readonly ineligible_negatives_n: number;
  readonly pairs: readonly MinedPair[];
}

/** A few hundred nearest pairs nearly always hold enough different patients; far pairs crowd around outliers. */
const NEAR_POOL = 256;
const FAR_POOL = 4096;

/** Mines one diagnosis. */
export function mineDiagnosis(task: MiningTask): MinedDiagnosis {
  const rows = eligibleRows(task);
  const far = scanPositivePairs(positivePairs(task, rows.positive));
  return select(task, rows, far, []);
}

/** A share of the two passes over one diagnosis, for when threads would be idle otherwise. */
export interface MinedPart {
  readonly far: PositivePartData;
  /** Nearest pairs by split. */
  readonly near: readonly PairHeapData[];
}

/** The passes over the rows of one part. Theta is not known yet, so near pairs are cut off later. */
export function minePart(task: MiningTask & { readonly part: Part }): MinedPart {
  const { part } = task;
  const { positive, negative } = eligibleRows(task);
  const far = partToData(scanPart(positivePairs(task, positive), part));
  const near = splitNumbers(task).map((split) => {
    const draw = nearDraw(task, rowsOf(task, positive, split), rowsOf(task, negative, split));
    return draw(null, () => false, Number.POSITIVE_INFINITY, part).toData();
  });
  return { far, near };
}

/** Thresholds and pairs from all parts: the same as `mineDiagnosis` finds. */
export function joinParts(task: MiningTask & { readonly parts: readonly MinedPart[] }): MinedDiagnosis {
  const rows = eligibleRows(task);
  const far = settle(positivePairs(task, rows.positive), mergeParts(task.parts.map((p) => p.far)));
  const near = splitNumbers(task).map((split) => {
    const heap = new PairHeap(poolSize(task, NEAR_POOL));
    for (const p of task.parts) heap.merge(p.near[split]!);
    return heap;
  });
  return select(task, rows, far, near);
}

type Far = ReturnType<typeof scanPositivePairs>;
interface EligibleRows {
  readonly positive: Int32Array;
  readonly negative: Int32Array;
}

/** Walks near and far pairs of every split. `firstNear`: the first draw by split, when parts have made it. */
function select(
  task: MiningTask,
  { positive, negative }: EligibleRows,
  far: Far,
  firstNear: readonly PairHeap[],
): MinedDiagnosis {
  const { data, settings, positives, features } = task;
  const { theta, phi, pairs_n } = far;
  const pairs: MinedPair[] = [];
  for (const split of splitNumbers(task)) {
    const inSplit = rowsOf(task, positive, split);
    const near = selectNear(task, inSplit, rowsOf(task, negative, split), theta, firstNear[split]);
    const away = selectFar(task, inSplit, far.farthest[split]!, phi);
    const toPair = (name: 'ddt' | 'dct', sign: 1 | -1) => (p: KeyedPair, n: number) => ({
      task: name,
      split,
      rank: n + 1,
      i: p.i,
      j: p.j,
      distance: keyToDistance(settings.metric, sign * p.key, features.length),
    });
    pairs.push(...near.map(toPair('ddt', 1)), ...away.map(toPair('dct', -1)));
  }
  return {
    theta,
    phi,
    positive_pairs_n: pairs_n,
    eligible_positives_n: positive.length,
    eligible_negatives_n: negative.length,
    ineligible_positives_n: positives.length - positive.length,
    ineligible_negatives_n: data.rows - positives.length - negative.length,
    pairs,
  };
}

const splitNumbers = ({ data }: MiningTask): number[] => Array.from({ length: data.splitsN }, (_, s) => s);

const rowsOf = ({ data }: MiningTask, rows: Int32Array, split: number): Int32Array =>
  rows.filter((r) => data.split[r] === split);

const sourceOf = ({ data, settings, features }: MiningTask): NearRows => ({
  metric: settings.metric,
  data: data.scaled,
  matrixRows: data.rows,
  features,
});

function positivePairs(task: MiningTask, positive: Int32Array): PositivePairsSpec {
  const { data, settings, kernels } = task;
  return {
    ...sourceOf(task),
    rows: positive,
    patient: positive.map((r) => data.patient[r]!),
    split: positive.map((r) => data.split[r]!),
    splitsN: data.splitsN,
    quantiles: [settings.theta_quantile, settings.phi_quantile],
    capacity: poolSize(task, FAR_POOL),
    kernel: kernels?.within ?? null,
  };
}

/** Rows with enough of F_k observed, by label, ascending. */
function eligibleRows(task: MiningTask): EligibleRows {
  const { data, features, settings, positives } = task;
  const observed = new Uint16Array(data.rows).fill(features.length);
  for (const f of features) {
    const from = f * data.rows;
    for (let r = 0; r < data.rows; r++) observed[r] = observed[r]! - data.filled[from + r]!;
  }
  const isPositive = new Uint8Array(data.rows);
  for (const r of positives) isPositive[r] = 1;
  const groups = [new Int32Array(data.rows), new Int32Array(data.rows)] as const;
  const sizes: [number, number] = [0, 0];
  for (let r = 0; r < data.rows; r++) {
    if (!isEligible(observed[r]!, features.length, settings.min_observed_share)) continue;
    const label = isPositive[r] as 0 | 1;
    groups[label][sizes[label]++] = r;
  }
  return { negative: groups[0].slice(0, sizes[0]), positive: groups[1].slice(0, sizes[1]) };
}

function poolSize({ pool, settings: { cap, top_m } }: MiningTask, least: number): number {
  return pool ?? (cap === 'none' ? top_m : Math.max(8 * top_m, least));
}

/** The pairs of a pool up to the first that fails the threshold. */
function drawFrom(pool: PairHeap, passes: (key: number) => boolean): Draw {
  const pairs = pool.sorted();
  const end = pairs.findIndex((p) => !passes(p.key));
  if (end >= 0) return { pairs: pairs.slice(0, end), isComplete: true };
  return { pairs, isComplete: !pool.isFull };
}

const isBehind = (key: number, i: number, j: number, after: KeyedPair | null): boolean =>
  after === null || key > after.key || (key === after.key && (i > after.i || (i === after.i && j > after.j)));

/** Draws near pairs of different patients behind `after`, between rows that are not blocked. */
function nearDraw(task: MiningTask, positive: Int32Array, negative: Int32Array) {
  const { patient } = task.data;
  let pairs: NearestPairs | undefined;
  return (
    after: KeyedPair | null,
    isBlocked: (row: number) => boolean,
    limit: number,
    part: Part = WHOLE,
  ): PairHeap => {
    // Packed at the first draw, for all draws.
    pairs ??= new NearestPairs(sourceOf(task), negative, positive.length, task.kernels?.near ?? null);
    return pairs.search({
      rows: positive.filter((r) => !isBlocked(r)),
      capacity: poolSize(task, NEAR_POOL),
      limit,
      isWanted: (key, i, j) => patient[i] !== patient[j] && !isBlocked(j) && isBehind(key, i, j, after),
      part,
    });
  };
}

/** DDT: a positive and a negative stay, nearest first. */
function selectNear(
  task: MiningTask,
  positive: Int32Array,
  negative: Int32Array,
  theta: number | null,
  first: PairHeap | undefined,
): KeyedPair[] {
  const { data, settings, features } = task;
  const { metric, apply_thresholds, top_m: m, cap } = settings;
  if (apply_thresholds && theta === null) return [];
  const passes = (key: number): boolean =>
    !apply_thresholds || keyToDistance(metric, key, features.length) < theta!;
  const limit = apply_thresholds ? keyAbove(metric, theta!, features.length) : Number.POSITIVE_INFINITY;
  const drawNear = nearDraw(task, positive, negative);
  const draw = (after: KeyedPair | null, isBlocked: (row: number) => boolean): Draw =>
    drawFrom(after === null && first ? first : drawNear(after, isBlocked, limit), passes);
  return selectGreedy({ m, cap, patient: data.patient, draw });
}

/** DCT: two positive stays, farthest first. The first draw was made together with the thresholds. */
function selectFar(task: MiningTask, positive: Int32Array, first: PairHeap, phi: number | null): KeyedPair[] {
  const { data, settings, features, kernels } = task;
  const { metric, apply_thresholds, top_m: m, cap } = settings;
  const passes = (key: number): boolean =>
    !apply_thresholds || (phi !== null && keyToDistance(metric, -key, features.length) > phi);
  const draw = (after: KeyedPair | null, isBlocked: (row: number) => boolean): Draw => {
    if (after === null) return drawFrom(first, passes);
    const pool = farthestPairs(sourceOf(task), {
      rows: positive.filter((r) => !isBlocked(r)),
      capacity: poolSize(task, FAR_POOL),
      isWanted: (key, i, j) => data.patient[i] !== data.patient[j] && isBehind(key, i, j, after),
      kernel: kernels?.within ?? null,
    });
    return drawFrom(pool, passes);
  };
  return selectGreedy({ m, cap, patient: data.patient, draw });
}
