/** Which fields of a body need a span, and whether spans are what they say. */
import type { RuleBody, Span } from '../../schemas/rule.js';
import { spanFields } from '../lib/rules/span-fields.js';

export { spanFields };

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
