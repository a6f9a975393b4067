/** Numbers against bounds. */
import type { Bounds } from '../../../schemas/condition.js';

/** Is a number inside? */
export function within(value: number, b: Bounds): boolean {
  const low = b.low === null || (b.low_inclusive ? value >= b.low : value > b.low);
  const high = b.high === null || (b.high_inclusive ? value <= b.high : value < b.high);
  return low && high;
}

/** `>= 30 and < 60 mL/min` */
export function wordBounds(b: Bounds): string {
  const low = b.low === null ? '' : `${b.low_inclusive ? '>=' : '>'} ${b.low}`;
  const high = b.high === null ? '' : `${b.high_inclusive ? '<=' : '<'} ${b.high}`;
  return `${[low, high].filter(Boolean).join(' and ')} ${b.unit}`;
}
