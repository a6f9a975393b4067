/** The allergies of a note, one by one. */
import { saysSomething } from '../lib/note-text.js';
import type { Piece } from './pieces.js';

/** Statements that there is none; the first of them holds a slash itself. */
const NONE =
  /^(?:patient recorded as having |pt recorded as having )?(?:no known (?:drug )?allergies(?:\s*\/\s*adverse drug reactions| to drugs)?|nkda|nka|no known drug allergies|none(?: known)?|no allergies)[\s.]*$/i;
/** Lines shorter than this were not broken for being full: the next line is another allergy. */
const FULL_LINE = 50;

interface Entry {
  readonly start: number;
  readonly end: number;
}

/** Pieces of the section `allergies`: each allergen has its name, and a statement that none is known is a statement. */
export function allergyPieces(text: string): Piece[] {
  if (NONE.test(text.replace(/\s+/g, ' ').trim())) {
    return [
      {
        kind: 'statement',
        start: 0,
        end: text.length,
        opens: true,
        name: null,
        dose_text: null,
        route: null,
      },
    ];
  }
  return entriesOf(text)
    .filter(({ start, end }) => saysSomething(text.slice(start, end)))
    .map((entry) => {
      const name = text.slice(entry.start, entry.end).replace(/\s+/g, ' ');
      const isStatement = NONE.test(name);
      const kind = isStatement ? 'statement' : 'allergy';
      return { ...entry, kind, opens: true, name: isStatement ? null : name, dose_text: null, route: null };
    });
}

/** Entries end at ` / `, at commas and semicolons where there is no slash, and at the end of a line that was not full. */
function entriesOf(text: string): Entry[] {
  const hasSlash = /\s\/(?=\s|$)/.test(text);
  const entries: Entry[] = [];
  let depth = 0;
  let from = 0;
  const take = (to: number): void => {
    const raw = text.slice(from, to);
    const body = raw
      .trim()
      .replace(/^(?:[-*•]|\d{1,2}[.)])\s+/, '')
      .replace(/[.,;]+$/, '');
    if (body !== '') {
      const start = from + raw.indexOf(body);
      entries.push({ start, end: start + body.length });
    }
    from = to + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '(') depth++;
    else if (c === ')') depth = Math.max(0, depth - 1);
    if (depth > 0) continue;
    const isSlash = c === '/' && /\s/.test(text[i - 1] ?? ' ') && /\s/.test(text[i + 1] ?? ' ');
    const isComma = !hasSlash && (c === ',' || c === ';');
    if (isSlash || isComma || (/[\r\n]/.test(c) && endsEntry(text, i, from))) take(i);
  }
  take(text.length);
  return entries;
}

/** True where the line that ends at `at` is too short to have been broken for being full, and ends in no separator. */
function endsEntry(text: string, at: number, from: number): boolean {
  const before = text.slice(0, at);
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1).trimEnd();
  const next = text.slice(at).trimStart();
  if (line.trim() === '' || at <= from) return false;
  return line.length < FULL_LINE && !/[/,-]$/.test(line) && !next.startsWith('/');
}
