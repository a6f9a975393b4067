/**
 * The two distances between stays, over K columns in rank order. Both are sums of non-negative terms taken one after
 * the other in float64; pairs are ordered by this sum, called the key, and never by the rounded distance.
 *
 * gower      key = sum of |u_a - u_b|, u = (clip(x, lo, hi) - lo) / (hi - lo);  d = key / K
 * euclidean  key = sum of (z_a - z_b)^2, z = (x - mean) / sd;                   d = sqrt(key)
 */
import { quantileOf } from './order-statistics.js';
import type { Feature } from './registry.js';

export type Metric = 'gower' | 'euclidean';

/** How one column enters the distances. */
export interface ColumnRange {
  readonly lo: number;
  readonly hi: number;
  readonly mean: number;
  /** Population standard deviation; 1 for a constant column. */
  readonly sd: number;
}

/**
 * Limits of a column: the registry's for 0/1 and bounded ordinal features, else type-7 quantiles of the observed
 * values; 0 and 0 when nothing was observed.
 */
export function columnLimits(
  feature: Pick<Feature, 'scale' | 'plausible_low' | 'plausible_high'>,
  observed: Float64Array,
  quantiles: readonly [number, number],
): { lo: number; hi: number } {
  const { scale, plausible_low, plausible_high } = feature;
  if (scale !== 'continuous' && plausible_low !== null && plausible_high !== null) {
    return { lo: plausible_low, hi: plausible_high };
  }
  if (observed.length === 0) return { lo: 0, hi: 0 };
  const values = observed.slice();
  return { lo: quantileOf(values, quantiles[0]), hi: quantileOf(values, quantiles[1]) };
}

/** Mean and population standard deviation, summed in row order; sd is 1 where the column is constant. */
export function columnMoments(values: Float64Array): { mean: number; sd: number } {
  let sum = 0;
  for (const x of values) sum += x;
  const mean = sum / values.length;
  let squares = 0;
  for (const x of values) squares += (x - mean) * (x - mean);
  const sd = Math.sqrt(squares / values.length);
  // A constant column can show a spread of rounding noise around its rounded mean.
  const isConstant = values.every((x) => x === values[0]);
  return { mean, sd: sd > 0 && !isConstant ? sd : 1 };
}

/** One value as it enters the gower distance, in [0, 1]. */
export function gowerUnit(x: number, range: Pick<ColumnRange, 'lo' | 'hi'>): number {
  if (!(range.hi > range.lo)) return 0;
  return (Math.min(Math.max(x, range.lo), range.hi) - range.lo) / (range.hi - range.lo);
}

/** One value as it enters the euclidean distance; `clip` limits |z|, null leaves it. */
export function zScore(x: number, range: Pick<ColumnRange, 'mean' | 'sd'>, clip: number | null): number {
  const z = (x - range.mean) / range.sd;
  return clip === null ? z : Math.min(Math.max(z, -clip), clip);
}

/** Scales a column in place for the metric. */
export function scaleColumn(
  values: Float64Array,
  range: ColumnRange,
  metric: Metric,
  clip: number | null,
): void {
  for (let r = 0; r < values.length; r++) {
    values[r] = metric === 'gower' ? gowerUnit(values[r]!, range) : zScore(values[r]!, range, clip);
  }
}

/** The key of two scaled vectors: the plain form of what the tile kernels compute. */
export function pairKey(metric: Metric, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let key = 0;
  for (let k = 0; k < a.length; k++) {
    const d = a[k]! - b[k]!;
    key += metric === 'gower' ? Math.abs(d) : d * d;
  }
  return key;
}

/** The distance that belongs to a key. */
export function keyToDistance(metric: Metric, key: number, k: number): number {
  return metric === 'gower' ? key / k : Math.sqrt(key);
}

/** A key that no pair with distance <= d exceeds: d turned back, a little up. */
export function keyAbove(metric: Metric, d: number, k: number): number {
  return (metric === 'gower' ? d * k : d * d) * (1 + 8 * Number.EPSILON);
}

/** Whether enough of the K features of a diagnosis were observed in a stay. */
export function isEligible(observedN: number, k: number, minShare: number): boolean {
  // A quotient, not a product: 7 / 50 is the double nearest to 0.14, but 0.14 * 50 is more than 7.
  return observedN / k >= minShare;
}
