/** Numbers in columns of their own: an operator, a value or a range, and a unit. */
import type { Bounds, Unit } from '../../schemas/condition.js';
import { boundsOf } from './parser/printed-bounds.js';
import { refuse } from './refuse.js';

const OPERATORS = ['<', '<=', '>', '>=', '=', 'between'];

/**
 * Bounds in a UCUM unit. `between` takes `15-29` with both ends included. A value that is no plain number, or a range
 * that runs backwards, refuses the row.
 */
export function columnBounds(field: string, op: string, value: string, unit: Unit): Bounds {
  if (!OPERATORS.includes(op)) return refuse('unparsable_threshold', field, op, OPERATORS.join(', '));
  const is_range = op === 'between';
  const found = value.includes('-') === is_range ? boundsOf(is_range ? value : `${op} ${value}`, unit) : null;
  return (
    found ?? refuse('unparsable_threshold', field, value, is_range ? 'a range such as 15-29' : 'a number')
  );
}
