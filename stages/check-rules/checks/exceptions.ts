/** Exceptions: words of a cell that promise one must have become one. */
import type { Rule } from '../../../schemas/rule.js';
import { groupBy } from '../../lib/group-by.js';
import { type Finding, finding, type Sources } from './check.js';

/** Columns of the tables of ours that may promise an exception, and the one that holds it. */
const PROMISES = ['recommendation', 'criterion_text', 'recommendation_detail', 'condition_text'] as const;
const HOLDS = 'exceptions_text';
const PROMISE = /\b(unless|except|excepting|with the exception of)\b/i;
/** Place of a row in a table of ours, up to the column. */
const CELL = /^(csv:.+#.+\/)[^/]+$/;
const NOT_CITED = 'exception_cell_not_cited';
/** Words of prose that make an exception. */
const PROSE = /\b(unless|except (when|if|in|for|where|that)|with the exception of)\b/i;

/**
 * A promise without an exception in any rule of its row is an error; a cell of exceptions that no rule of the row cites is
 * reported: it may draw the limits of the row, or hold an exception that was not read.
 */
export function checkExceptions(rules: readonly Rule[], sources: Sources): Finding[] {
  const rows = groupBy(rules, (r) => `${r.source_id} ${r.row_id}`);
  return [...rows.values()].flatMap((row) => checkRow(row, sources));
}

function checkRow(row: readonly Rule[], { places }: Sources): Finding[] {
  const spans = row.flatMap((r) => r.spans);
  const [first] = row as [Rule];
  const has_exception = row.some((r) => r.unless.length > 0);
  const cells = spans.map((s) => CELL.exec(s.ref)?.[1]).find((p) => p !== undefined);
  if (cells === undefined) {
    const found = spans.map((s) => PROSE.exec(places.text(s.ref) ?? '')).find((m) => m !== null);
    if (has_exception || !found) return [];
    return [finding(first, NOT_CITED, '/unless', found[0], 'the exception of the passage')];
  }
  const promises = PROMISES.map((c) => [c, places.text(`${cells}${c}`) ?? ''] as const);
  const missing = has_exception ? [] : promises.filter(([, text]) => PROMISE.test(text));
  const cell = places.text(`${cells}${HOLDS}`);
  const isCited = spans.some((s) => s.ref === `${cells}${HOLDS}`);
  return [
    ...missing.map(([c, text]) =>
      finding(first, 'exception_missing', '/unless', text, `an exception, promised in ${c}`),
    ),
    ...(cell === null || isCited
      ? []
      : [finding(first, NOT_CITED, '/unless', cell, 'a span that cites the cell')]),
  ];
}
