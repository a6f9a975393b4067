/** How a discharge note is laid out: headers in their forms, a line with one blank between sections. */
import type { Sections } from './note.js';
import type { Phrases } from './phrases.js';
import type { Stream } from './rng.js';
import { wrap } from './wrap.js';

/** Sections whose text stands in the line of the header. */
const SAME_LINE: readonly string[] = ['name', 'admission_date', 'dob', 'service', 'attending'];

/** Forms of the headers of a note by section. */
export type Headers = ReadonlyMap<string, string>;

/** The usual form of every header. */
export function usualHeaders(phrases: Phrases): Map<string, string> {
  return new Map(phrases.sections.map((x) => [x.key, x.variants[0]!]));
}

/** Share of other forms in the notes of D79: 800 of 870 notes have them, which makes 30 percent of all headers. */
const OTHER_FORM = 0.326;

/** Forms drawn for a note of D79; at least one of those in `sections` is not the usual one. */
export function drawnHeaders(phrases: Phrases, sections: Sections, r: Stream): Map<string, string> {
  const headers = usualHeaders(phrases);
  const open = phrases.sections.filter((x) => x.variants.length > 1);
  for (const x of open) if (r.chance(OTHER_FORM)) headers.set(x.key, r.pick(x.variants.slice(1)));
  const there = open.filter((x) => sections.has(x.key));
  if (there.every((x) => headers.get(x.key) === x.variants[0])) {
    const x = r.pick(there);
    headers.set(x.key, r.pick(x.variants.slice(1)));
  }
  return headers;
}

/** The text of a note. */
export function noteText(sections: Sections, headers: Headers): string {
  const blocks = [...sections].map(([key, text]) => {
    const header = headers.get(key)!;
    if (SAME_LINE.includes(key)) return `${header}  ${text}`;
    return `${header}${header.endsWith(':') ? ' ' : ''}\n${key === 'allergies' ? wrap(text) : text}`;
  });
  return ` \n${blocks.join('\n \n')}\n`;
}
