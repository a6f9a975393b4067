/** Ages as people give them: completed units, converted only for comparison. */
import type { Bounds } from '../../../schemas/condition.js';
import { spanWithin, within } from './bounds.js';
import { type Truth, truthOf } from './truth.js';

/** Days in a UCUM unit of time: `a` and `mo` are the Julian year and its twelfth. */
export const DAYS = { a: 365.25, mo: 365.25 / 12, wk: 7, d: 1, h: 1 / 24 } as const;
export interface Age {
  readonly value: number;
  readonly unit: 'a' | 'mo' | 'wk' | 'd';
}

/** The years in which an age of completed units may lie: [from, to). */
export function years(age: Age): readonly [number, number] {
  const unit = DAYS[age.unit] / DAYS.a;
  return [age.value * unit, (age.value + 1) * unit];
}

/**
 * An age against bounds. In the unit of the bounds completed units are compared as they stand (`<= 18 a` holds at 18);
 * in another unit the whole span of the age must be inside, and it is unknown when a bound cuts it.
 */
export function ageWithin(age: Age, b: Bounds): Truth {
  if (age.unit === b.unit) return truthOf(within(age.value, b));
  const unit = DAYS[b.unit as keyof typeof DAYS];
  if (unit === undefined) throw new Error(`age bounds in ${b.unit}`);
  return spanWithin((age.value * DAYS[age.unit]) / unit, ((age.value + 1) * DAYS[age.unit]) / unit, b);
}
