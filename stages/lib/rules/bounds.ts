/** Numbers against bounds. */
import type { Bounds } from '../../../schemas/condition.js';
import type { Truth } from './truth.js';

/** Is a number inside? */
export function within(value: number, b: Bounds): boolean {
  const low = b.low === null || (b.low_inclusive ? value >= b.low : value > b.low);
  const high = b.high === null || (b.high_inclusive ? value <= b.high : value < b.high);
  return low && high;
}

/** Is every number of [from, to) inside (true), none of them (false), or some (unknown)? */
export function spanWithin(from: number, to: number, b: Bounds): Truth {
  const startsInside = b.low === null || (b.low_inclusive ? from >= b.low : from > b.low);
  const endsInside = b.high === null || to <= b.high;
  if (startsInside && endsInside) return 'true';
  const below = b.low !== null && to <= b.low;
  const above = b.high !== null && (b.high_inclusive ? from > b.high : from >= b.high);
  return below || above ? 'false' : 'unknown';
}

/** `>= 30 and < 60 mL/min` */
export function wordBounds(b: Bounds): string {
  const low = b.low === null ? '' : `${b.low_inclusive ? '>=' : '>'} ${b.low}`;
  const high = b.high === null ? '' : `${b.high_inclusive ? '<=' : '<'} ${b.high}`;
  return `${[low, high].filter(Boolean).join(' and ')} ${b.unit}`;
}
