/** One quantile for the whole project: type 7 (Hyndman and Fan 1996), with numpy's interpolation. */

/** Quantile q in [0, 1] of ascending finite values; numpy's lerp, so results agree with `numpy.percentile` to the bit. */
export function quantileSorted(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) throw new RangeError('quantile of no values');
  const { low, high, t } = ranksOf(sorted.length, q);
  return lerp(sorted[low]!, sorted[high]!, t);
}

/** Ranks (from 0) of the two of n values that quantile q lies between, and how far from the lower one. */
export function ranksOf(n: number, q: number): { low: number; high: number; t: number } {
  const h = (n - 1) * q;
  const low = Math.floor(h);
  return { low, high: Math.min(low + 1, n - 1), t: h - low };
}

/** numpy's linear interpolation between neighbours, exact at both ends. */
export function lerp(a: number, b: number, t: number): number {
  const diff = b - a;
  return t >= 0.5 ? b - diff * (1 - t) : a + diff * t;
}

/** Quantile of unsorted values; the input is not changed. */
export function quantile(values: ArrayLike<number>, q: number): number {
  return quantileSorted(Float64Array.from(values).sort(), q);
}
