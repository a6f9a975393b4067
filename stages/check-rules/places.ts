/** The texts that spans point at. */
import type { Span } from '../../schemas/rule.js';
import type { Definitions } from '../lib/rules/definitions.js';

/** Printed text by the ref of its place (`csv:beers2023.csv#B23-T2-001/member_drugs`). */
export class Places {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #definitions: Definitions;

  constructor(texts: ReadonlyMap<string, string>, definitions: Definitions) {
    this.#texts = texts;
    this.#definitions = definitions;
  }

  /** The text of a place; null when there is no such place. */
  text(ref: string): string | null {
    const name = /^definition:(.+)$/.exec(ref)?.[1];
    if (name !== undefined) return this.#definitions.get(name)?.words ?? null;
    return this.#texts.get(ref) ?? null;
  }

  /**
   * True when the quote stands in its place: a cell of a table of ours to the letter, prose and cells of a PDF after
   * folding white space, which line breaks of a page change.
   */
  holds(span: Span): boolean {
    const text = this.text(span.ref);
    if (text === null) return false;
    return /^(csv|definition):/.test(span.ref)
      ? text.includes(span.quote)
      : folded(text).includes(folded(span.quote));
  }
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The cells of rows of a table of ours, by ref. */
export function cellsOf(rows: readonly Readonly<Record<string, unknown>>[]): [string, string][] {
  return rows.flatMap((row) =>
    Object.entries(row)
      .filter((cell): cell is [string, string] => typeof cell[1] === 'string')
      .map(([column, text]): [string, string] => [`csv:${row.source_file}#${row.row_id}/${column}`, text]),
  );
}
