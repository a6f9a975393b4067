/** Comparisons and ranges as tables print them. */
import type { Bounds, Unit } from '../../../schemas/condition.js';

const NUMBER = String.raw`\d+(?:\.\d+)?`;

/** `< 30`, `falls below 45`, `15-30`, `20-<40`, `>30-59`, `15`. */
export const PRINTED_BOUNDS = `(?:<=|>=|<|>|=|falls below) ${NUMBER}|>?${NUMBER}-<?${NUMBER}|${NUMBER}`;

const COMPARE = new RegExp(`^(<=|>=|<|>|=|falls below) (${NUMBER})$`);
const RANGE = new RegExp(`^(>?)(${NUMBER})-(<?)(${NUMBER})$`);
const SINGLE = new RegExp(`^(${NUMBER})$`);

/** The interval that printed words mean; both ends of a printed range are in unless a sign takes one out. Null where it is none. */
export function boundsOf(printed: string, unit: Unit): Bounds | null {
  const compare = COMPARE.exec(printed);
  if (compare) return compared(compare[1]!, Number(compare[2]), unit);
  const single = SINGLE.exec(printed);
  if (single) return compared('=', Number(single[1]), unit);
  const range = RANGE.exec(printed);
  if (!range) return null;
  const [low, high] = [Number(range[2]), Number(range[4])];
  // A range that holds no number, or one written backwards, is a slip.
  if (low >= high) return null;
  return { low, low_inclusive: range[1] === '', high, high_inclusive: range[3] === '', unit };
}

function compared(op: string, value: number, unit: Unit): Bounds {
  const inclusive = op.includes('=');
  const has_low = op.startsWith('>') || op === '=';
  const has_high = op.startsWith('<') || op === '=' || op === 'falls below';
  return {
    low: has_low ? value : null,
    low_inclusive: has_low && inclusive,
    high: has_high ? value : null,
    high_inclusive: has_high && inclusive,
    unit,
  };
}
