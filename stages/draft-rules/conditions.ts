/** Conditions gathered from several cells, each with its spans. */
import { ALWAYS, type Condition } from '../../schemas/condition.js';
import type { RuleBody, Span } from '../../schemas/rule.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { cellSpan } from './draft.js';
import { conditionOf, type Reading } from './lexicon.js';

/** A cell that was read. */
export interface ReadCell {
  readonly column: string;
  readonly readings: readonly Reading[];
}

export interface Place {
  readonly source_file: string;
  readonly row_id: string;
}

/** A condition and where it was read. */
export interface Found {
  readonly condition: Condition;
  readonly at: readonly { readonly column: string; readonly quote: string }[];
}

/** The conditions of a role, in the order of the cells. */
export const foundIn = (cells: readonly ReadCell[], role: Reading['role']): Found[] =>
  cells.flatMap(({ column, readings }) =>
    readings
      .filter((r) => r.role === role)
      .map((r) => ({ condition: conditionOf(r), at: [{ column, quote: r.quote }] })),
  );

/** All of them: nested `all` is opened, repeats are dropped, none is `always`, one is itself. */
export function allOf(found: readonly Found[]): Condition {
  const open = (c: Condition): Condition[] => (c.type === 'all' ? c.of.flatMap(open) : [c]);
  const parts = new Map(found.flatMap((f) => open(f.condition)).map((c) => [canonicalJson(c), c]));
  const of = [...parts.values()];
  return of.length === 0 ? ALWAYS : of.length === 1 ? of[0]! : { type: 'all', of };
}

/** Spans of a field for everything that was found for it. */
export const spansOf = (place: Place, field: string, found: readonly Pick<Found, 'at'>[]): Span[] =>
  found.flatMap((f) => f.at.map(({ column, quote }) => cellSpan(place, field, column, quote)));

/** Exceptions with their spans; the same exception in two cells stands once, with both places. */
export function exceptionsOf(
  place: Place,
  found: readonly Found[],
): { readonly unless: RuleBody['unless']; readonly spans: Span[] } {
  const byCondition = new Map<string, Found[]>();
  for (const f of found) {
    const key = canonicalJson(f.condition);
    byCondition.set(key, [...(byCondition.get(key) ?? []), f]);
  }
  const groups = [...byCondition.values()];
  return {
    unless: groups.map(([first]) => ({ when: first!.condition, text: first!.at[0]!.quote })),
    spans: groups.flatMap((group, i) => spansOf(place, `/unless/${i}`, group)),
  };
}
