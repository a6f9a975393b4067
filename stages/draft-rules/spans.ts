/** Which fields of a body need a span, and whether spans are what they say. */
import { ALWAYS } from '../../schemas/condition.js';
import type { RuleBody, Span } from '../../schemas/rule.js';
import { canonicalJson } from '../lib/canonical-json.js';

const ACTION_FIELDS = ['kind', 'act', 'dose_text', 'monitoring', 'alternative'] as const;

/**
 * JSON pointers of the fields that a source must say: each target, population, `when` unless it is `always`, each
 * exception, each rating, and what the action holds. Polarity, object and labels follow from these by rules of ours.
 */
export function spanFields(body: RuleBody): string[] {
  const always = canonicalJson(ALWAYS);
  return [
    ...body.target.map((_, i) => `/target/${i}`),
    ...(['population', 'when'] as const).filter((f) => canonicalJson(body[f]) !== always).map((f) => `/${f}`),
    ...body.unless.map((_, i) => `/unless/${i}`),
    ...ACTION_FIELDS.filter((f) => body.action[f] !== null).map((f) => `/action/${f}`),
    ...body.ratings.map((_, i) => `/ratings/${i}`),
  ];
}

/** Fields of `spanFields` that no span is given for, exactly that field. */
export function missingSpans(body: RuleBody, spans: readonly Span[]): string[] {
  const given = new Set(spans.map((s) => s.field));
  return spanFields(body).filter((field) => !given.has(field));
}

/** Spans of a row of a table of ours whose quote does not stand in the cell they point at. */
export function wrongQuotes(
  row: Readonly<Record<string, unknown>> & { readonly source_file: string; readonly row_id: string },
  spans: readonly Span[],
): Span[] {
  const prefix = `csv:${row.source_file}#${row.row_id}/`;
  return spans.filter((span) => {
    if (span.ref.startsWith('definition:')) return false;
    const cell = span.ref.startsWith(prefix) ? row[span.ref.slice(prefix.length)] : undefined;
    return typeof cell !== 'string' || !cell.includes(span.quote);
  });
}
