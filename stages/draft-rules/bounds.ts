/** Numbers as the tables print them: an operator, a value or a range, and a unit. */
import type { Bounds, Unit } from '../../schemas/condition.js';
import { refuse } from './refuse.js';

const NUMBER = /^\d+(\.\d+)?$/;
const RANGE = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/;
const OPERATORS = ['<', '<=', '>', '>=', '=', 'between'];

/**
 * Bounds in a UCUM unit. `between` takes `15-29` with both ends included. A value that is no plain number, or a range
 * that runs backwards, refuses the row.
 */
export function boundsOf(field: string, op: string, value: string, unit: Unit): Bounds {
  if (!OPERATORS.includes(op)) return refuse('unparsable_threshold', field, op, OPERATORS.join(', '));
  if (op === 'between') return rangeOf(field, value, unit);
  if (!NUMBER.test(value)) return refuse('unparsable_threshold', field, value, 'a number');
  const number = Number(value);
  const is_low = op.startsWith('>') || op === '=';
  const is_high = op.startsWith('<') || op === '=';
  const inclusive = op.includes('=');
  return {
    low: is_low ? number : null,
    low_inclusive: is_low && inclusive,
    high: is_high ? number : null,
    high_inclusive: is_high && inclusive,
    unit,
  };
}

function rangeOf(field: string, value: string, unit: Unit): Bounds {
  const [, low, high] = RANGE.exec(value) ?? [];
  if (low === undefined || high === undefined || Number(low) >= Number(high))
    return refuse('unparsable_threshold', field, value, 'a range such as 15-29');
  return { low: Number(low), low_inclusive: true, high: Number(high), high_inclusive: true, unit };
}
