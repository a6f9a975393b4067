/** Spans of a condition: the words of the cell, and the definition rows behind numbers that those words do not print. */
import type { Bounds, Condition } from '../../schemas/condition.js';
import type { Span } from '../../schemas/rule.js';
import type { Definition, Definitions } from '../lib/rules/definitions.js';
import { definitionSpan } from './draft.js';

/** Definition spans of a field whose condition was read from `quote`; none where the quote prints the numbers itself. */
export function definitionSpans(
  field: string,
  condition: Condition,
  quote: string,
  definitions: Definitions,
): Span[] {
  const printed = new Set(quote.match(/\d+(?:\.\d+)?/g) ?? []);
  const isPrinted = (d: Definition): boolean => numbersOf(d.condition).every((n) => printed.has(String(n)));
  return definitions
    .usedBy(condition)
    .filter((d) => numbersOf(d.condition).length === 0 || !isPrinted(d))
    .map((d) => definitionSpan(field, d.name, d.words));
}

/** Every number of a condition, in its order. */
export function numbersOf(condition: Condition): number[] {
  if (condition.type === 'not') return numbersOf(condition.of);
  if ('of' in condition) return condition.of.flatMap(numbersOf);
  return 'bounds' in condition ? ends(condition.bounds) : [];
}

const ends = (b: Bounds): number[] => [b.low, b.high].filter((n) => n !== null);
