/** Recomputes distances of some diagnoses, to draw their distribution and to check the thresholds independently. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import { type ColumnRange, keyToDistance, type Metric, pairKey, scaleColumn } from '../lib/distance.js';
import { quantileSorted } from '../lib/quantile.js';
import type { DiagnosisRow } from './read.js';

/** How many bins a histogram has. */
export const BINS = 40;

export interface DistanceDistribution {
  readonly dx_code: string;
  readonly title: string;
  readonly metric: Metric;
  readonly theta: number | null;
  readonly phi: number | null;
  /** Pairs of eligible positive stays of different patients that were counted, and whether these are all. */
  readonly pairs_n: number;
  readonly is_sample: boolean;
  /** Upper end of the axis; bins are equal parts of [0, max]. */
  readonly max: number;
  readonly counts: readonly number[];
  readonly ddt: readonly number[];
  readonly dct: readonly number[];
  /** Whether quartiles of the counted pairs are theta and phi; null for a sample. */
  readonly thresholds_agree: boolean | null;
}

interface Vectors {
  readonly rowOf: ReadonlyMap<number, number>;
  readonly subjects: readonly number[];
  readonly stays: readonly number[];
  readonly scaled: readonly Float64Array[];
}

/** Diagnoses spread evenly over the order by number of positives. */
export function chooseDiagnoses(diagnoses: readonly DiagnosisRow[], wanted: number): DiagnosisRow[] {
  const sorted = [...diagnoses].sort(
    (a, b) => b.positives_n - a.positives_n || (a.dx_code < b.dx_code ? -1 : 1),
  );
  if (sorted.length <= wanted) return sorted;
  const step = (sorted.length - 1) / Math.max(wanted - 1, 1);
  return Array.from({ length: wanted }, (_, i) => sorted[Math.round(i * step)]!);
}

/** The distributions, or the reason why they cannot be recomputed from ranges and imputed values. */
export async function readDistributions(
  ctx: StageContext,
  chosen: readonly DiagnosisRow[],
  limit: number,
): Promise<{ distributions: DistanceDistribution[]; problem: string | null }> {
  const metric = await recogniseMetric(ctx, chosen);
  if (metric === null)
    return {
      distributions: [],
      problem:
        'The distances of the listed pairs follow from none of the plain distances, so no distribution is drawn.',
    };
  const distributions: DistanceDistribution[] = [];
  for (const [i, d] of chosen.entries()) {
    distributions.push(await distributionOf(ctx, d, metric, limit));
    ctx.progress(i + 1, chosen.length, 'distributions');
  }
  return { distributions, problem: null };
}

/** Which distance explains the listed pairs of the chosen diagnoses; gower when there are none. */
async function recogniseMetric(ctx: StageContext, chosen: readonly DiagnosisRow[]): Promise<Metric | null> {
  const fits: Record<Metric, boolean> = { gower: true, euclidean: true };
  for (const d of chosen) {
    const pairs = await readPairs(ctx, d.dx_code);
    const stays = pairs.flatMap((p) => [p.stay_i, p.stay_j]);
    for (const metric of ['gower', 'euclidean'] as const) {
      const vectors = await readVectors(ctx, d, metric, `(${[-1, ...stays].join(', ')})`);
      const distance = distanceIn(vectors, metric, d.k);
      fits[metric] &&= pairs.every((p) => isClose(distance(p.stay_i, p.stay_j), p.distance));
    }
  }
  return fits.gower ? 'gower' : fits.euclidean ? 'euclidean' : null;
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

interface ListedPair {
  readonly task: string;
  readonly stay_i: number;
  readonly stay_j: number;
  readonly distance: number;
}

function readPairs(ctx: StageContext, dx_code: string): Promise<ListedPair[]> {
  return ctx.sql.rows(
    `select task, stay_i, stay_j, distance from pairs where dx_code = $dx_code order by task, split, pair_rank`,
    { dx_code },
  );
}

/** Scaled F_k columns of the stays in a parenthesised SQL list or query, in stay order. */
async function readVectors(
  ctx: StageContext,
  d: DiagnosisRow,
  metric: Metric,
  stays: string,
): Promise<Vectors> {
  const features = await ctx.sql.rows<ColumnRange & { feature_id: string }>(
    `select r.feature_id, g.lo, g.hi, g.mean, g.sd from ranks r join ranges g using (feature_id)
     where r.dx_code = $dx_code and r.rank <= $k order by r.rank`,
    { dx_code: d.dx_code, k: d.k },
  );
  const bad = features.find((f) => !FEATURE_IDS.includes(f.feature_id));
  if (bad) throw new Error(`ranks name the unknown feature ${bad.feature_id}`);
  const m = await ctx.sql.matrix(
    `select cast(c.stay_id as double) as stay_id, cast(c.subject_id as double) as subject_id,
       ${features.map((f) => `i."${f.feature_id}"`).join(', ')}
     from cohort c join imputed i using (stay_id) where c.stay_id in ${stays} order by c.stay_id`,
  );
  const column = (j: number): Float64Array =>
    Float64Array.from(m.data.subarray(j * m.rows, (j + 1) * m.rows));
  const ids = Array.from(column(0));
  const scaled = features.map((range, j) => {
    const values = column(j + 2);
    scaleColumn(values, range, metric, null);
    return values;
  });
  return {
    rowOf: new Map(ids.map((s, r) => [s, r])),
    stays: ids,
    subjects: Array.from(column(1)),
    scaled: ids.map((_, r) => Float64Array.from(scaled, (c) => c[r]!)),
  };
}

const distanceIn =
  (v: Vectors, metric: Metric, k: number) =>
  (a: number, b: number): number =>
    keyToDistance(metric, pairKey(metric, v.scaled[v.rowOf.get(a)!]!, v.scaled[v.rowOf.get(b)!]!), k);

async function distributionOf(
  ctx: StageContext,
  d: DiagnosisRow,
  metric: Metric,
  limit: number,
): Promise<DistanceDistribution> {
  const eligible = `(select e.stay_id from eligibility e join labels l using (dx_code, stay_id)
    where e.is_eligible and e.dx_code = '${d.dx_code.replaceAll("'", "''")}')`;
  const vectors = await readVectors(ctx, d, metric, eligible);
  const is_sample = d.positive_pairs_n > limit;
  const distances = (is_sample ? samplePairs(ctx, d, vectors, limit) : allPairs(vectors)).map(([a, b]) =>
    keyToDistance(metric, pairKey(metric, vectors.scaled[a]!, vectors.scaled[b]!), d.k),
  );
  const sorted = Float64Array.from(distances).sort();
  const pairs = await readPairs(ctx, d.dx_code);
  const of = (task: string): number[] => pairs.filter((p) => p.task === task).map((p) => p.distance);
  const max = Math.max(sorted.at(-1) ?? 0, ...pairs.map((p) => p.distance), d.phi ?? 0);
  return {
    dx_code: d.dx_code,
    title: d.title,
    metric,
    theta: d.theta,
    phi: d.phi,
    pairs_n: sorted.length,
    is_sample,
    max,
    counts: histogram(sorted, max),
    ddt: of('ddt'),
    dct: of('dct'),
    thresholds_agree: is_sample || sorted.length === 0 ? null : agree(d, sorted),
  };
}

function agree(d: DiagnosisRow, sorted: Float64Array): boolean {
  return (
    isClose(quantileSorted(sorted, 0.25), d.theta ?? Number.NaN) &&
    isClose(quantileSorted(sorted, 0.75), d.phi ?? Number.NaN)
  );
}

/** Pairs of rows of different patients. */
function allPairs(v: Vectors): [number, number][] {
  const out: [number, number][] = [];
  for (let a = 0; a < v.stays.length; a++)
    for (let b = a + 1; b < v.stays.length; b++) if (v.subjects[a] !== v.subjects[b]) out.push([a, b]);
  return out;
}

/** Seeded pairs, drawn with replacement. */
function samplePairs(ctx: StageContext, d: DiagnosisRow, v: Vectors, size: number): [number, number][] {
  const random = ctx.random(`histogram ${d.dx_code}`);
  const out: [number, number][] = [];
  while (out.length < size) {
    const a = random.below(v.stays.length);
    const b = random.below(v.stays.length);
    if (v.subjects[a] !== v.subjects[b]) out.push([a, b]);
  }
  return out;
}

/** Counts in equal bins of [0, max]; the last one includes max. */
export function histogram(values: ArrayLike<number>, max: number): number[] {
  const counts = new Array<number>(BINS).fill(0);
  if (max <= 0) {
    counts[0] = values.length;
    return counts;
  }
  for (let i = 0; i < values.length; i++) {
    const bin = Math.min(BINS - 1, Math.floor((values[i]! / max) * BINS));
    counts[bin] = counts[bin]! + 1;
  }
  return counts;
}
