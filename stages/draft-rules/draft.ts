/** What an author of rules hands over for one source row, and helpers to build it with its spans. */
import type { RuleBody, Span } from '../../schemas/rule.js';

/** One rule of a row. `part` names it where the row gives several (`ir`, `er`); ids must not depend on position. */
export interface DraftRule extends RuleBody {
  readonly part: string | null;
  readonly spans: readonly Span[];
}

/** Rules, or the reason why the row gives none. */
export type Draft =
  | { readonly rules: readonly DraftRule[] }
  | {
      readonly reject: {
        /** Word for the count: `unread_phrase`, `unknown_drug`, `unparsable_threshold`, `mixed_units`, `no_decision`. */
        readonly reason: string;
        readonly field: string;
        readonly got: string;
        readonly expected: string;
      };
    };

/** A cell of a table of ours as a span of a field: the whole cell, or the part of it that says it. */
export function cellSpan(
  row: { readonly source_file: string; readonly row_id: string },
  field: string,
  column: string,
  quote: string,
): Span {
  return { field, ref: `csv:${row.source_file}#${row.row_id}/${column}`, quote };
}

/** A number that no cell prints but a named definition row gives. */
export function definitionSpan(field: string, name: string, quote: string): Span {
  return { field, ref: `definition:${name}`, quote };
}
