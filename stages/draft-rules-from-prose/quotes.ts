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

/** The folded quote; one that is not in the passage refuses the rule. `text` is folded. */
export function quoted(text: string, field: string, quote: string): string {
  const folded = fold(quote);
  if (isQuoted(text, folded)) return folded;
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
  passage: string,
  field: string,
  given: { readonly text: string; readonly quote: string },
): { readonly text: string; readonly quote: string } {
  const text = fold(given.text);
  if (text === '') refuse('empty_text', `${field}.text`, given.text, 'words');
  const quote = quoted(passage, field, given.quote);
  const printed = numbersIn(quote);
  const strange = (text.match(/\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []).find(
    (d) => !printed.has(Number(d.replaceAll(',', ''))),
  );
  if (strange !== undefined)
    refuse('number_not_in_quote', `${field}.text`, strange, `a number of its quote: ${quote}`);
  return { text, quote };
}
