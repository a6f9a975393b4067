/** The value that fills the gaps of a column. */
import { quantileSorted } from '../lib/quantile.js';

/** Mean with Neumaier's compensated sum in the given order, kept between minimum and maximum. */
export function meanOf(values: Float64Array): number {
  let sum = 0;
  let lost = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const x of values) {
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  // Division can round a mean of equal values off them; a constant column has to stay constant.
  return Math.min(high, Math.max(low, (sum + lost) / values.length));
}

/** The most frequent value; ties go to the smallest. */
export function modeOf(values: Float64Array): number {
  const sorted = values.slice().sort();
  let mode = Number.NaN;
  let best = 0;
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && sorted[to] === sorted[from]) to++;
    if (to - from > best) {
      best = to - from;
      mode = sorted[from]!;
    }
    from = to;
  }
  return mode;
}

/** The median, halfway between the middle two of an even number (type 7). */
export function medianOf(values: Float64Array): number {
  return quantileSorted(values.slice().sort(), 0.5);
}
