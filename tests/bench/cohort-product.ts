/** The product on the synthetic cohort: bin, rank, scale and mine all diagnoses over the worker pool. */
import type { StageSpec } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { columnMoments, type Metric, scaleColumn } from '../../stages/lib/distance.js';
import { sha256 } from '../../stages/lib/hash.js';
import { rankColumns } from '../../stages/lib/importance.js';
import { quantileSorted } from '../../stages/lib/quantile.js';
import { randomStream } from '../../stages/lib/random.js';
import { mineAll } from '../../stages/mine-pairs/diagnoses.js';
import { minePairs } from '../../stages/mine-pairs/stage.js';
import { type Anchor, growForests } from '../../stages/rank-features/forests.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { drawTrainingRows } from '../../stages/rank-features/training.js';
import { type PairAnswer, plainData, toAnswer } from '../stages/pair-cases.js';
import type { Part, Run } from './child.js';
import {
  COLUMNS,
  type CohortSpec,
  type Diagnosis,
  drawDiagnoses,
  drawFactors,
  fillColumn,
} from './cohort.js';
import { benchContext, type Setting } from './context.js';
import { binColumns } from './forest-product.js';
import { plainConfig, withNames } from './pairs-product.js';

export interface CohortArgs extends CohortSpec, Setting {
  readonly metrics: readonly Metric[];
  /** Numbers of diagnoses whose thresholds and pairs are returned whole. */
  readonly sample: readonly number[];
}

export const COHORT_TREES = 100;
export const COHORT_M = 500;
export const K = 20;

/** What a run found, small enough to be compared and kept. */
export interface CohortResult {
  /** SHA-256 over all rankings, and over all thresholds and pairs by metric. */
  readonly hashes: Readonly<Record<string, string>>;
  /** First K columns by diagnosis. */
  readonly features: readonly (readonly number[])[];
  /** Positives by diagnosis. */
  readonly positives: readonly number[];
  readonly sample: Readonly<Record<string, readonly PairAnswer[]>>;
}

export interface Cohort {
  readonly spec: CohortSpec;
  readonly factors: Float64Array;
  readonly diagnoses: readonly Diagnosis[];
  /** Column-major, shared. */
  readonly data: Float64Array;
  readonly filled: Uint8Array;
}

/** Memory for the values, and the diagnoses. The values come with `fillCohort`. */
export function createCohort(spec: CohortSpec): Cohort {
  const factors = drawFactors(spec);
  const size = spec.stays * COLUMNS;
  const data = new Float64Array(new SharedArrayBuffer(8 * size));
  const filled = new Uint8Array(new SharedArrayBuffer(size));
  return { spec, factors, diagnoses: drawDiagnoses(spec, factors), data, filled };
}

const columnOf = <T extends Float64Array | Uint8Array>({ spec }: Cohort, values: T, f: number): T =>
  values.subarray(f * spec.stays, (f + 1) * spec.stays) as T;

/** Draws all values anew. */
export function fillCohort(cohort: Cohort): void {
  const { spec, factors, data, filled } = cohort;
  for (let f = 0; f < COLUMNS; f++) {
    fillColumn(spec, factors, f, columnOf(cohort, data, f), columnOf(cohort, filled, f));
  }
}

/** Scales all columns in place, as mine-pairs does: z-scores, or the observed percentiles 1 and 99 become 0 and 1. */
export function scaleCohort(cohort: Cohort, metric: Metric): void {
  for (let f = 0; f < COLUMNS; f++) {
    const column = columnOf(cohort, cohort.data, f);
    const filled = columnOf(cohort, cohort.filled, f);
    const observed = column.filter((_, r) => filled[r] === 0).sort();
    const [lo, hi] = [quantileSorted(observed, 0.01), quantileSorted(observed, 0.99)];
    scaleColumn(column, { lo, hi, ...columnMoments(column) }, metric, null);
  }
}

/** The training rows that a diagnosis gets. */
export function anchorOf(cohort: Cohort, { code, positives }: Diagnosis): Anchor {
  const { stays, seed } = cohort.spec;
  const training = drawTrainingRows(stays, positives, randomStream(seed, 'negatives', code));
  return {
    ...training,
    dx_code: code,
    seed: randomStream(seed, 'forest', code).u32(),
    trees_n: COHORT_TREES,
  };
}

/** Ranks all diagnoses and mines each metric. The parts are timed; drawing values is in none of them. */
export function rankAndMine(args: CohortArgs): Run {
  const cohort = createCohort(args);
  return async (part: Part): Promise<CohortResult> => {
    fillCohort(cohort);
    const rankings = await rankAll(args, cohort, part);
    const features = rankings.map((order) => order.slice(0, K));
    const sample: Record<string, PairAnswer[]> = {};
    const hashes: Record<string, string> = { rankings: sha256(canonicalJson(rankings)) };
    for (const [i, metric] of args.metrics.entries()) {
      if (i > 0) fillCohort(cohort);
      part(`scale ${metric}`, () => scaleCohort(cohort, metric));
      const answers = await part(`mine ${metric}`, () => mineCohort(args, cohort, features, metric));
      hashes[metric] = sha256(canonicalJson(answers));
      sample[metric] = args.sample.map((d) => answers[d]!);
    }
    const positives = cohort.diagnoses.map((d) => d.positives.length);
    return { hashes, features, positives, sample };
  };
}

/** Column numbers of every diagnosis in rank order. */
async function rankAll(args: CohortArgs, cohort: Cohort, part: Part): Promise<number[][]> {
  const context = benchContext(rankFeatures as StageSpec, args);
  const columns = Int32Array.from({ length: COLUMNS }, (_, f) => f);
  const bins = await part('bin', () => binColumns(context, cohort.data, args.stays, COLUMNS));
  const anchors = cohort.diagnoses.map((d) => anchorOf(cohort, d));
  const sums = await part('rank', () => growForests(context.ctx, bins, columns, anchors));
  await context.pool.close();
  return sums.map(({ all }) => rankColumns(all));
}

/** The pairs of all diagnoses, without cap and whatever was observed, as the peers find them. */
async function mineCohort(
  args: CohortArgs,
  cohort: Cohort,
  features: readonly (readonly number[])[],
  metric: Metric,
): Promise<PairAnswer[]> {
  const context = benchContext(minePairs as StageSpec, args);
  const data = { ...plainData(cohort.data, args.stays, 0), filled: cohort.filled };
  const anchors = cohort.diagnoses.map(({ code, positives }, d) => ({
    dx_code: code,
    positives,
    features: Int32Array.from(features[d]!),
  }));
  const mined = await mineAll(context.ctx, plainConfig(metric, COHORT_M), withNames(data), anchors);
  await context.pool.close();
  return mined.map((m) => toAnswer(m));
}
