/** Takes flattened label text apart at its numbered headings (`8.2 Lactation`), which is how openFDA files it. */
import { parseCsv } from '../lib/csv.js';

export interface Heading {
  /** `8`, `12.3`, or `8.*` for any subsection of 8. */
  readonly number: string;
  readonly title: string;
  readonly code: string;
}

/** A part of a text with its heading taken off; a text without a numbered heading is one part. */
export interface Piece {
  readonly number: string | null;
  /** Null where the end of the heading cannot be told from the words that follow. */
  readonly title: string | null;
  readonly code: string | null;
  readonly text: string | null;
}

/** Headings of headings.csv, the longest titles first. */
export function readHeadings(csv: string, file: string): Heading[] {
  const rows = parseCsv(csv, file) as unknown as Heading[];
  return [...rows].sort((a, b) => b.title.length - a.title.length);
}

/** Words after which a number is a reference or a quantity, not a heading. */
const NO_HEADING_AFTER =
  /[([,]$|\b(and|or|to|see|sections?|tables?|figures?|of|than|approximately|at|is|in|was|by|the|a|for|from|with)$/i;
const START = /^\s*(\d{1,2}(?:\.\d{1,2})?)\.?\s+(?=["“]?[A-Z])/;

/** Parts in order. Joined with their numbers and titles they give the text again. */
export function splitNumbered(text: string, headings: readonly Heading[]): Piece[] {
  const start = START.exec(text);
  if (!start) return [{ number: null, title: null, code: null, text: text.trim() || null }];
  const [top, sub = '0'] = start[1]!.split('.');
  const cuts = [{ number: start[1]!, at: 0, body: start[0].length }];
  let last = Number(sub);
  for (const m of text.matchAll(new RegExp(`(?<=\\s)${top}\\.(\\d{1,2})\\s+(?=["“]?[A-Z])`, 'g'))) {
    const n = Number(m[1]);
    const number = `${top}.${n}`;
    const body = m.index + m[0].length;
    const before = text.slice(0, m.index).trimEnd();
    if (n <= last || m.index < cuts[0]!.body || NO_HEADING_AFTER.test(before)) continue;
    // Without a known title: a number after a number is a cell of a flattened table, and a leap is no next heading.
    const is_known = headingAt(number, text.slice(body), headings) !== undefined;
    if (!is_known && (/\d%?$/.test(before) || n > last + 2)) continue;
    cuts.push({ number, at: m.index, body });
    last = n;
  }
  return cuts.map(({ number, body }, i) => piece(number, text.slice(body, cuts[i + 1]?.at), headings));
}

function piece(number: string, text: string, headings: readonly Heading[]): Piece {
  const heading = headingAt(number, text, headings);
  const rest = heading ? text.slice(heading.title.length) : text;
  // The title as it stands in the text.
  const title = heading ? text.slice(0, heading.title.length) : null;
  return { number, title, code: heading?.code ?? null, text: rest.trim() || null };
}

/** The known heading that a text begins with. */
export function headingAt(number: string, text: string, headings: readonly Heading[]): Heading | undefined {
  const words = text.toLowerCase();
  return headings.find(
    (h) =>
      (h.number === number || (h.number.endsWith('.*') && number.startsWith(h.number.slice(0, -1)))) &&
      words.startsWith(h.title.toLowerCase()) &&
      !/^[\w-]/.test(words.slice(h.title.length)),
  );
}
