/** Pieces that the parsers of tables share: spans with definitions, action words, promises of a recommendation word. */
import type { RuleBody, Span } from '../../../schemas/rule.js';
import { type Found, type Place, type ReadCell, spansOf } from '../conditions.js';
import { definitionSpans } from '../definition-spans.js';
import { cellSpan } from '../draft.js';
import type { Lexicon } from '../lexicon.js';
import type { Recommendation } from '../recommendations.js';
import { refuse } from '../refuse.js';

export const NO_WORDS = { act: null, dose_text: null, monitoring: null, alternative: null };

/** Spans of a condition with the definition rows of numbers that its words do not print. */
export function conditionSpans(
  place: Place,
  field: string,
  found: readonly Found[],
  lexicon: Lexicon,
): Span[] {
  const words = found.flatMap((f) =>
    f.at.flatMap(({ quote }) => definitionSpans(field, f.condition, quote, lexicon.definitions)),
  );
  return [...spansOf(place, field, found), ...words];
}

/** The action of a row: its recommendation word, and the words that the cells add. An act is the object where there is one. */
export function actionOf(
  row: Place & { readonly recommendation: string },
  column: string,
  word: Recommendation,
  cells: readonly ReadCell[],
): { readonly action: RuleBody['action']; readonly spans: Span[] } {
  const spans = [cellSpan(row, '/action/kind', column, row.recommendation)];
  const words = (role: keyof typeof NO_WORDS): string | null => {
    const found = cells.flatMap((c) =>
      c.readings.filter((r) => r.role === role).map((r) => ({ ...r, column: c.column })),
    );
    for (const r of found) spans.push(cellSpan(row, `/action/${role}`, r.column, r.quote));
    return found.length === 0 ? null : [...new Set(found.map((r) => r.reads))].join('; ');
  };
  const act = words('act');
  const action = {
    ...word,
    object: act === null ? word.object : ('act' as const),
    act,
    dose_text: words('dose_text'),
    monitoring: words('monitoring'),
    alternative: words('alternative'),
  };
  return { action, spans };
}

/** A word that promises an exception must have one in the cells of the row. */
export function expectException(recommendation: string, unless: RuleBody['unless']): void {
  if (/\b(unless|except)\b/.test(recommendation) && unless.length === 0)
    refuse('contradiction', 'recommendation', recommendation, 'an exception in the cells of the row');
}
