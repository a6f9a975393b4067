/** Everything that is mined for one diagnosis: eligibility, thresholds, DDT and DCT pairs. Pure, for a worker thread. */
import { isEligible, keyAbove, keyToDistance, type Metric } from './distance.js';
import { type Draw, selectGreedy } from './greedy.js';
import { type KeyedPair, PairHeap } from './pair-heap.js';
import { scanPositivePairs } from './positive-pairs.js';
import { type PackedRows, packRows, scanCross, scanWithin, tileKernel } from './tiles.js';

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
  /** Pairs per draw. A matter of speed, never of the result; the default suits the task. */
  readonly pool?: number;
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
  const { data, settings, positives, features } = task;
  const { positive, negative } = eligibleRows(task);
  const far = scanPositivePairs({
    metric: settings.metric,
    packed: pack(task, positive),
    rows: positive,
    patient: positive.map((r) => data.patient[r]!),
    split: positive.map((r) => data.split[r]!),
    splitsN: data.splitsN,
    quantiles: [settings.theta_quantile, settings.phi_quantile],
    capacity: poolSize(task, FAR_POOL),
  });
  const { theta, phi, pairs_n } = far;
  const pairs: MinedPair[] = [];
  for (let split = 0; split < data.splitsN; split++) {
    const inSplit = (rows: Int32Array): Int32Array => rows.filter((r) => data.split[r] === split);
    const near = selectNear(task, inSplit(positive), inSplit(negative), theta);
    const away = selectFar(task, inSplit(positive), far.farthest[split]!, phi);
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

/** Rows with enough of F_k observed, by label, ascending. */
function eligibleRows(task: MiningTask): { positive: Int32Array; negative: Int32Array } {
  const { data, features, settings, positives } = task;
  const observed = new Uint16Array(data.rows).fill(features.length);
  for (const f of features) {
    const from = f * data.rows;
    for (let r = 0; r < data.rows; r++) observed[r] = observed[r]! - data.filled[from + r]!;
  }
  const isPositive = new Uint8Array(data.rows);
  for (const r of positives) isPositive[r] = 1;
  const rows = Int32Array.from({ length: data.rows }, (_, r) => r).filter((r) =>
    isEligible(observed[r]!, features.length, settings.min_observed_share),
  );
  return { positive: rows.filter((r) => isPositive[r] === 1), negative: rows.filter((r) => !isPositive[r]) };
}

const pack = ({ data, features }: MiningTask, rows: Int32Array): PackedRows =>
  packRows(data.scaled, data.rows, rows, features);

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

/** DDT: a positive and a negative stay, nearest first. */
function selectNear(
  task: MiningTask,
  positive: Int32Array,
  negative: Int32Array,
  theta: number | null,
): KeyedPair[] {
  const { data, settings, features } = task;
  const { metric, apply_thresholds, top_m: m, cap } = settings;
  if (apply_thresholds && theta === null) return [];
  const passes = (key: number): boolean =>
    !apply_thresholds || keyToDistance(metric, key, features.length) < theta!;
  const limit = apply_thresholds ? keyAbove(metric, theta!, features.length) : Number.POSITIVE_INFINITY;
  const draw = (after: KeyedPair | null, isBlocked: (row: number) => boolean): Draw => {
    const a = positive.filter((r) => !isBlocked(r));
    const b = negative.filter((r) => !isBlocked(r));
    const pool = new PairHeap(poolSize(task, NEAR_POOL));
    const bound = (): number => Math.min(limit, pool.bound);
    scanCross(pack(task, a), pack(task, b), tileKernel(metric), bound, (x, j0, lanes, keys) => {
      const i = a[x]!;
      const patient = data.patient[i]!;
      for (let l = 0; l < lanes; l++) {
        const key = keys[l]!;
        if (!(key <= bound())) continue;
        const j = b[j0 + l]!;
        if (data.patient[j] !== patient && isBehind(key, i, j, after)) pool.push(key, i, j);
      }
    });
    return drawFrom(pool, passes);
  };
  return selectGreedy({ m, cap, patient: data.patient, draw });
}

/** DCT: two positive stays, farthest first. The first draw was made together with the thresholds. */
function selectFar(task: MiningTask, positive: Int32Array, first: PairHeap, phi: number | null): KeyedPair[] {
  const { data, settings, features } = task;
  const { metric, apply_thresholds, top_m: m, cap } = settings;
  const passes = (key: number): boolean =>
    !apply_thresholds || (phi !== null && keyToDistance(metric, -key, features.length) > phi);
  const draw = (after: KeyedPair | null, isBlocked: (row: number) => boolean): Draw => {
    if (after === null) return drawFrom(first, passes);
    const a = positive.filter((r) => !isBlocked(r));
    const pool = new PairHeap(poolSize(task, FAR_POOL));
    scanWithin(pack(task, a), tileKernel(metric), (x, j0, lanes, keys) => {
      const i = a[x]!;
      const patient = data.patient[i]!;
      for (let l = 0; l < lanes; l++) {
        const key = -keys[l]!;
        if (!(key <= pool.bound) || j0 + l <= x) continue;
        const j = a[j0 + l]!;
        if (data.patient[j] !== patient && isBehind(key, i, j, after)) pool.push(key, i, j);
      }
    });
    return drawFrom(pool, passes);
  };
  return selectGreedy({ m, cap, patient: data.patient, draw });
}
