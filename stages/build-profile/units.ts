/** Sentences and list entries of a section, with their places. */

/** From `start` to `end` in the text of the section; `opens` where it begins a line of its own in the profile. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly opens: boolean;
}

/** A list entry, a paragraph, or a line that stands for itself; `is_entry` where it has a list mark. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly is_entry: boolean;
}

const LIST_MARK = /^\s*(?:\(?\d{1,2}[.)]\s+|[-*•+#>]+\s*(?=\S))/;
/** Lines of decoration. Underscores are masks. */
const RULE_LINE = /^[\s=*~#-]*$/;
/** `Lungs: ...`, `HEENT - ...`: begins a new line of thought. */
const LABEL = /^\s*[A-Z][A-Za-z/ ]{0,28}(?::|\s-\s)/;
/** Lines shorter than this are not broken for being full. */
const FULL_LINE = 55;
/** A note whose lines are longer was not broken by hand or program at all. */
const LONGEST_WRAP = 130;

/** Longest line of a note: the width at which it was broken. Infinite where it was not. */
export function wrapWidth(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.flatMap((t) => t.split(/\r\n|\n|\r/)).map((l) => l.trimEnd().length));
  return longest > LONGEST_WRAP ? Number.POSITIVE_INFINITY : longest;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const end of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, end.index), start });
    start = end.index + end[0].length;
  }
  return [...lines, { text: text.slice(start), start }];
}

/** True where a line was broken because the first word of the next did not fit, or goes on in small letters. */
function runsOn(line: string, next: string, width: number): boolean {
  const length = line.trimEnd().length;
  const word = next.trim().split(/\s/)[0]!;
  if (length >= FULL_LINE && /^[a-z]/.test(word)) return true;
  return length >= FULL_LINE && length + 1 + word.length > width - 3;
}

/** True where a line under a list entry belongs to it: it is set in, or does not begin as a statement would. */
const goesOn = (line: string): boolean => !LABEL.test(line) && /^(?:\s{2,}|\s*[a-z0-9(])/.test(line);

/** The blocks of a section. */
export function blocksOf(text: string, width: number): Block[] {
  const blocks: { start: number; end: number; is_entry: boolean }[] = [];
  let before: string | undefined;
  for (const line of linesOf(text)) {
    const isBlank = RULE_LINE.test(line.text);
    if (!isBlank) {
      const mark = LIST_MARK.exec(line.text)?.[0] ?? '';
      const last = blocks.at(-1);
      const end = line.start + line.text.trimEnd().length;
      const isContinued =
        last !== undefined &&
        before !== undefined &&
        mark === '' &&
        (runsOn(before, line.text, width) || (last.is_entry && goesOn(line.text)));
      if (isContinued) last.end = end;
      else blocks.push({ start: startOf(line, mark), end, is_entry: mark !== '' });
    }
    before = isBlank ? undefined : line.text;
  }
  return blocks.filter((b) => b.end > b.start);
}

function startOf({ text, start }: Line, mark: string): number {
  const rest = text.slice(mark.length);
  return start + mark.length + (rest.length - rest.trimStart().length);
}

/** Words before a full stop that end no sentence. */
const ABBREVIATIONS = new Set(
  'dr mr mrs ms st vs eg ie e.g i.e approx dept fig jr sr prof a.m p.m b.i.d t.i.d q.i.d p.o p.r.n q.d h.s i.v s.c cc pt y.o'.split(
    ' ',
  ),
);
const STOP = /[.!?]+["')\]]*(?=\s+["'([]?[A-Z0-9_])/g;

/** Sentences between two places of a text. */
export function sentencesOf(text: string, { start, end }: { start: number; end: number }): Unit[] {
  const units: Unit[] = [];
  let from = start;
  const take = (to: number): void => {
    const raw = text.slice(from, to);
    const at = from + (raw.length - raw.trimStart().length);
    if (raw.trim() !== '') units.push({ start: at, end: at + raw.trim().length, opens: units.length === 0 });
    from = to;
  };
  for (const stop of text.slice(start, end).matchAll(STOP)) {
    const at = start + stop.index;
    const after = at + stop[0].length;
    if (endsSentence(text.slice(from, at), text.slice(after, after + 3))) take(after);
  }
  take(end);
  return units;
}

/** False for a stop behind an abbreviation, an initial, a number that opens a sentence, or `No.` before a number. */
function endsSentence(before: string, after: string): boolean {
  const word = /\S*$/.exec(before)![0].toLowerCase().replace(/^\W+/, '');
  if (ABBREVIATIONS.has(word) || /^[a-z]$/.test(word)) return false;
  if (/^\d{1,2}$/.test(word) && before.trim() === word) return false;
  return !(word === 'no' && /^\s*\d/.test(after));
}

/** More words than that make a clause, no entry of a list. */
const MAX_ENTRY_WORDS = 8;
const NEGATION = /\b(no|not|non|nor|none|never|without|negative|denies|denied|neither|unless|except)\b/i;

/**
 * Entries of a list that is written in one line, `CAD, HTN, gout`: at least three, all short. A sentence with a negation
 * stays whole, since what it denies would look affirmed.
 */
export function commaEntries(text: string, unit: Unit): Unit[] {
  const raw = text.slice(unit.start, unit.end);
  if (NEGATION.test(raw) || /[.!?]\s/.test(raw)) return [unit];
  const pieces = splitOutside(raw, /[,;]/);
  const isList =
    pieces.length > 2 && pieces.every((p) => p.text.trim().split(/\s+/).length <= MAX_ENTRY_WORDS);
  if (!isList) return [unit];
  return pieces.flatMap(({ text: piece, start }) => {
    const body = piece.trim().replace(/^and\s+/i, '');
    if (body === '') return [];
    const at = unit.start + start + piece.lastIndexOf(body);
    return [{ start: at, end: at + body.length, opens: true }];
  });
}

/** Pieces between separators that stand outside brackets and not between digits. */
export function splitOutside(text: string, separator: RegExp): { text: string; start: number }[] {
  const pieces: { text: string; start: number }[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '(' || c === '[') depth++;
    else if (c === ')' || c === ']') depth = Math.max(0, depth - 1);
    const isNumber = /\d/.test(text[i - 1] ?? '') && /\d/.test(text[i + 1] ?? '');
    if (depth > 0 || isNumber || !separator.test(c)) continue;
    pieces.push({ text: text.slice(start, i), start });
    start = i + 1;
  }
  return [...pieces, { text: text.slice(start), start }];
}
