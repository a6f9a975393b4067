/** Whether a citation stands in the record: the id, the value with its unit, the words. */
import type { Cite } from '../../../schemas/rxeval.js';
import type { Found, Moment, RecordItem } from './moment.js';

/** What is wrong with a citation, in the words of CHAIN_ISSUES. `detail` holds ids and names of fields, no value of the patient. */
export interface CiteProblem {
  readonly type: 'fabricated_fact' | 'wrong_value' | 'temporal_violation';
  readonly detail: string;
}

/** Case, blanks and typographic dashes do not count when words are compared. */
export const foldWords = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();

/** The text that a reader sees of an event or span. */
export const textOf = (found: Found): string => (found.kind === 'event' ? found.event.text : found.span.text);

/** Null when the citation stands in what is shown at the moment; else the problem. */
export function checkCite(moment: Moment, cite: Cite): CiteProblem | null {
  const { ref } = cite;
  if (moment.laterEvents.has(ref))
    return { type: 'temporal_violation', detail: `${ref} was not available before the cut` };
  const found = moment.find(ref);
  if (!found) return { type: 'fabricated_fact', detail: `${ref} is no event or span of this record` };
  if (found.kind === 'event' && !found.event.is_shown)
    return { type: 'fabricated_fact', detail: `${ref} is not shown` };
  return checkItem(found, cite) ?? checkQuote(found, cite);
}

function checkItem(found: Found, { ref, item, value, unit }: Cite): CiteProblem | null {
  if (item === null) {
    if (value === null && unit === null) return null;
    const words = [value, unit].filter((w) => w !== null).join(' ');
    if (hasWords(textOf(found), words)) return null;
    return { type: 'wrong_value', detail: `${ref} does not hold the value` };
  }
  const items = found.kind === 'event' ? found.event.items.filter((i) => i.is_shown) : [];
  const named = items.filter((i) => foldWords(i.label) === foldWords(item));
  if (named.length === 0) return { type: 'fabricated_fact', detail: `${ref} has no item of that name` };
  if (named.some((i) => sameValue(i, value) && sameUnit(i.unit, unit))) return null;
  return { type: 'wrong_value', detail: `${ref} has another value or unit` };
}

function sameValue(item: RecordItem, value: string | null): boolean {
  if (value === null) return true;
  if (foldWords(item.value) === foldWords(value)) return true;
  // 3.10 and 3.1 are one value; `> 182` and 182 are not.
  return item.value.trim() !== '' && value.trim() !== '' && Number(item.value) === Number(value);
}

/** A cited value without its unit stands for another quantity, unless the item has none. */
const sameUnit = (a: string | null, b: string | null): boolean => foldWords(a ?? '') === foldWords(b ?? '');

function checkQuote(found: Found, { ref, quote }: Cite): CiteProblem | null {
  if (quote === null) return null;
  if (foldWords(quote) === '') return { type: 'fabricated_fact', detail: `${ref}: the quote is empty` };
  const text = textOf(found);
  if (hasWords(text, quote)) return null;
  const bare = (t: string): string => t.replace(/\d+([.,]\d+)?/g, '#');
  if (/\d/.test(quote) && hasWords(bare(text), bare(quote)))
    return { type: 'wrong_value', detail: `${ref}: the quote has another number` };
  return { type: 'fabricated_fact', detail: `${ref}: the quote is not in the text` };
}

/** True when the words stand in the text, whole words and whole numbers, white space and case folded. */
export function hasWords(text: string, words: string): boolean {
  const [hay, needle] = [foldWords(text), foldWords(words)];
  if (needle === '') return false;
  for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + 1)) {
    if (isEdge(hay, at, needle[0]!, -1) && isEdge(hay, at + needle.length, needle.at(-1)!, 0)) return true;
  }
  return false;
}

/** A cut at `at` does not run through a word or a number. `inner` is the quoted character beside it. */
function isEdge(text: string, at: number, inner: string, side: -1 | 0): boolean {
  const outer = text[at + side] ?? ' ';
  if (!/[\p{L}\p{N}]/u.test(inner)) return true;
  if (/[\p{L}\p{N}]/u.test(outer)) return false;
  // `3` is not a quote of `3.1` or `13.3`.
  const beyond = text[at + (side === -1 ? -2 : 1)] ?? ' ';
  return !(/\d/.test(inner) && /[.,]/.test(outer) && /\d/.test(beyond));
}
