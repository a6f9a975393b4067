/**
 * A synthetic cohort for the largest cases: the values behind stays x 448 features and the stays of many diagnoses.
 * Twelve latent factors with heavy tails, half of the columns exponential, rounded values, missing values filled with
 * the mean. Diagnoses are log-normal in frequency and depend on a few factors. Every column is a stream of its own.
 */
import type { RandomStream } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';

export const COLUMNS = 448;
const FACTORS = 12;
/** At 94,000 stays: 100 to 20,000 positives, median about 800, as in a database of intensive care. */
const MEDIAN_SHARE = 805 / 94_000;
const SPREAD = 1.22;
const SHARES = { least: 100 / 94_000, most: 20_000 / 94_000 };

export interface CohortSpec {
  readonly stays: number;
  /** How many diagnoses are taken from the 200, evenly by frequency. */
  readonly diagnoses: number;
  readonly seed: number;
}

export interface Diagnosis {
  readonly code: string;
  /** Row numbers, ascending. */
  readonly positives: Int32Array;
}

/** Standard normal values of a stream (Box and Muller, the cosine alone). */
export const normals = (r: RandomStream) => (): number =>
  Math.sqrt(-2 * Math.log(1 - r.float())) * Math.cos(2 * Math.PI * r.float());

/** Factor values, one factor behind the other: t-distributed with 6 degrees of freedom. */
export function drawFactors({ stays, seed }: CohortSpec): Float64Array {
  const factors = new Float64Array(FACTORS * stays);
  for (let l = 0; l < FACTORS; l++) {
    const normal = normals(randomStream(seed, 'factor', l));
    for (let r = 0; r < stays; r++) {
      let squares = 0;
      for (let d = 0; d < 6; d++) squares += normal() ** 2;
      factors[l * stays + r] = normal() / Math.sqrt(squares / 6);
    }
  }
  return factors;
}

/** Writes one column, missing values filled with the mean of the others, and marks them in `filled`. */
export function fillColumn(
  spec: CohortSpec,
  factors: Float64Array,
  f: number,
  column: Float64Array,
  filled: Uint8Array,
): void {
  const random = randomStream(spec.seed, 'column', f);
  const normal = normals(random);
  const weights = Array.from({ length: FACTORS }, () => (random.float() < 0.4 ? normal() : 0));
  column.fill(0);
  weights.forEach((w, l) => {
    if (w === 0) return;
    for (let r = 0; r < spec.stays; r++) column[r] = column[r]! + w * factors[l * spec.stays + r]!;
  });
  const sd = Math.sqrt(weights.reduce((s, w) => s + w * w, 0) * 1.5 + 0.5);
  const isSkewed = f % 2 === 0;
  const missing = random.float() ** 2 * 0.5;
  let sum = 0;
  let observed = 0;
  for (let r = 0; r < spec.stays; r++) {
    const x = column[r]! + 0.7 * normal();
    column[r] = Math.round(10 * (isSkewed ? Math.exp((0.5 * x) / sd) : x)) / 10;
    filled[r] = random.float() < missing ? 1 : 0;
    if (filled[r]) continue;
    sum += column[r]!;
    observed++;
  }
  for (let r = 0; r < spec.stays; r++) if (filled[r]) column[r] = sum / observed;
}

const OF_ALL = 200;

/** The diagnoses of the spec, most frequent first. */
export function drawDiagnoses(spec: CohortSpec, factors: Float64Array): Diagnosis[] {
  const normal = normals(randomStream(spec.seed, 'frequencies'));
  const shares = Array.from({ length: OF_ALL }, () => MEDIAN_SHARE * Math.exp(SPREAD * normal()));
  const sizes = shares
    .map((s) => Math.round(Math.min(Math.max(s, SHARES.least), SHARES.most) * spec.stays))
    .sort((a, b) => b - a);
  const step = OF_ALL / spec.diagnoses;
  return Array.from({ length: spec.diagnoses }, (_, d) => {
    const number = Math.floor((d + 0.5) * step);
    const code = `D${String(number).padStart(3, '0')}`;
    return { code, positives: drawPositives(spec, factors, code, Math.max(10, sizes[number]!)) };
  });
}

/** The stays with the highest scores: three factors and Gumbel noise. */
export function drawPositives(
  spec: CohortSpec,
  factors: Float64Array,
  code: string,
  size: number,
): Int32Array {
  const { stays } = spec;
  const random = randomStream(spec.seed, 'diagnosis', code);
  const normal = normals(random);
  const chosen = [0, 1, 2].map(() => ({ l: random.below(FACTORS), w: normal() }));
  const scores = new Float64Array(stays);
  for (let r = 0; r < stays; r++) {
    const signal = chosen.reduce((s, { l, w }) => s + w * factors[l * stays + r]!, 0);
    scores[r] = signal - Math.log(-Math.log(random.float() || Number.EPSILON));
  }
  const limit = Float64Array.from(scores).sort()[stays - size]!;
  const rows = Int32Array.from({ length: stays }, (_, r) => r);
  // Scores are continuous; should two be equal, the earlier rows are taken.
  return rows.filter((r) => scores[r]! >= limit).subarray(0, size);
}
