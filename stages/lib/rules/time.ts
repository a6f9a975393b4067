/** Times as people give them: completed units, converted only for comparison. */
import type { Bounds, Unit } from '../../../schemas/condition.js';
import { within } from './bounds.js';
import { type Truth, truthOf } from './truth.js';

/** Days in a UCUM unit of time: `a` and `mo` are the Julian year and its twelfth. */
export const DAYS: Readonly<Partial<Record<Unit, number>>> = {
  a: 365.25,
  mo: 365.25 / 12,
  wk: 7,
  d: 1,
  h: 1 / 24,
};

export interface Span {
  readonly value: number;
  readonly unit: Unit;
}

/** The [from, to) in which a time of completed units lies, in another unit of time. */
export function spanIn(time: Span, unit: Unit): readonly [number, number] {
  const [own, other] = [DAYS[time.unit], DAYS[unit]];
  if (own === undefined || other === undefined)
    throw new Error(`times in ${time.unit} and ${unit} do not compare`);
  return [(time.value * own) / other, ((time.value + 1) * own) / other];
}

/**
 * A time against bounds. In the unit of the bounds completed units are compared as they stand: `<= 18 a` holds at 18,
 * `> 75 a` begins at 76. In another unit it is unknown between the readings: 18 years and 4 months is neither surely
 * inside `<= 18 a` nor outside.
 */
export function timeWithin(time: Span, b: Bounds): Truth {
  if (time.unit === b.unit) return truthOf(within(time.value, b));
  return spanWithin(spanIn(time, b.unit), b);
}

/** Is every moment of [from, to) inside (true), none of them (false), or some, or as the edge is read (unknown)? */
export function spanWithin([from, to]: readonly [number, number], b: Bounds): Truth {
  const isOver = b.low === null || from >= (b.low_inclusive ? b.low : b.low + 1);
  const isUnder = b.high === null || to <= b.high;
  if (isOver && isUnder) return 'true';
  const isBelow = b.low !== null && to <= b.low;
  const isAbove = b.high !== null && from >= (b.high_inclusive ? b.high + 1 : b.high);
  return isBelow || isAbove ? 'false' : 'unknown';
}

/** Years in which an age may lie: [from, to). */
export const years = (age: Span): readonly [number, number] => spanIn(age, 'a');
