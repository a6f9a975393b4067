/** Arithmetic of intervals: order, what two share, what lies between. */
import type { Bounds } from '../../../schemas/condition.js';

/** By where they begin, then by where they end; an open side lies outermost. */
export function compareBounds(a: Bounds, b: Bounds): number {
  const start = (x: Bounds): number => x.low ?? Number.NEGATIVE_INFINITY;
  const end = (x: Bounds): number => x.high ?? Number.POSITIVE_INFINITY;
  if (start(a) !== start(b)) return start(a) - start(b);
  if (a.low_inclusive !== b.low_inclusive) return a.low_inclusive ? -1 : 1;
  if (end(a) !== end(b)) return end(a) - end(b);
  return Number(a.high_inclusive) - Number(b.high_inclusive);
}

/** What two intervals of one unit share; null when they share nothing. */
export function intersection(a: Bounds, b: Bounds): Bounds | null {
  const [low, low_inclusive] = tighter(a.low, a.low_inclusive, b.low, b.low_inclusive, 1);
  const [high, high_inclusive] = tighter(a.high, a.high_inclusive, b.high, b.high_inclusive, -1);
  if (low !== null && high !== null) {
    if (low > high || (low === high && !(low_inclusive && high_inclusive))) return null;
  }
  return { low, low_inclusive, high, high_inclusive, unit: a.unit };
}

/** The side that lies further inside; of equal sides the one that does not own the edge. */
function tighter(
  a: number | null,
  a_in: boolean,
  b: number | null,
  b_in: boolean,
  sign: 1 | -1,
): readonly [number | null, boolean] {
  if (a === null) return [b, b_in];
  if (b === null) return [a, a_in];
  if (a === b) return [a, a_in && b_in];
  return (a - b) * sign > 0 ? [a, a_in] : [b, b_in];
}

/** A single number. */
export const isPoint = (b: Bounds): boolean => b.low !== null && b.low === b.high;

/** What lies over `lower` and under `upper`; null when they meet or overlap. */
export function gapBetween(lower: Bounds, upper: Bounds): Bounds | null {
  if (lower.high === null || upper.low === null || lower.high > upper.low) return null;
  if (lower.high === upper.low && (lower.high_inclusive || upper.low_inclusive)) return null;
  return {
    low: lower.high,
    low_inclusive: !lower.high_inclusive,
    high: upper.low,
    high_inclusive: !upper.low_inclusive,
    unit: lower.unit,
  };
}
