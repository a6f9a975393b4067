/** Quotes against the text they claim to come from. */
import { refuse } from './refuse.js';

/** White space folded; nothing else may differ between a quote and its source. */
export const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * True when the quote stands in the text, whole words and whole numbers: `30` is not in `300`, `5` not in `2.5`. Both folded.
 */
export function isQuoted(text: string, quote: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(quote)) return false;
  const before = /^[\p{L}\p{N}]/u.test(quote) ? '(?<![\\p{L}\\p{N}])(?<!\\d[.,])' : '';
  const after = /[\p{L}\p{N}]$/u.test(quote) ? '(?![\\p{L}\\p{N}])(?![.,]\\d)' : '';
  return new RegExp(`${before}${escaped(quote)}${after}`, 'u').test(text);
}

/** A piece of a passage with a place of its own; `text` is folded. */
export interface Part {
  readonly ref: string;
  /** Head of the column that a cell stands in. */
  readonly name: string | null;
  readonly text: string;
}

/** A quote with the part that it stands in. */
export interface Quoted {
  readonly quote: string;
  readonly part: Part;
}

/** The folded quote in the first part that has it; one that no part has refuses the rule. */
export function quoted(parts: readonly Part[], field: string, quote: string): Quoted {
  const folded = fold(quote);
  const part = parts.find((p) => isQuoted(p.text, folded));
  if (part) return { quote: folded, part };
  return refuse(
    'quote_not_in_passage',
    `${field}.quote`,
    quote,
    'words that stand in the passage, letter by letter',
  );
}

const WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Numbers of a text: digits with separators (`1,000`, `2.5`), and counts in words up to twelve. */
export function numbersIn(text: string): Set<number> {
  const digits = text.match(/\d+(?:,\d{3})*(?:\.\d+)?/g) ?? [];
  const words = text.toLowerCase().match(/\b[a-z]+\b/g) ?? [];
  return new Set([
    ...digits.map((d) => Number(d.replaceAll(',', ''))),
    ...words.map((w) => WORDS.indexOf(w)).filter((n) => n >= 0),
  ]);
}

/** Words of ours with the quote behind them: every number of the words is in the quote. */
export function wordsWithQuote(
  parts: readonly Part[],
  field: string,
  given: { readonly text: string; readonly quote: string },
): Quoted & { readonly text: string } {
  const text = fold(given.text);
  if (text === '') refuse('empty_text', `${field}.text`, given.text, 'words');
  const found = quoted(parts, field, given.quote);
  const { quote } = found;
  const printed = numbersIn(quote);
  const strange = (text.match(/\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []).find(
    (d) => !printed.has(Number(d.replaceAll(',', ''))),
  );
  if (strange !== undefined)
    refuse('number_not_in_quote', `${field}.text`, strange, `a number of its quote: ${quote}`);
  return { text, ...found };
}
