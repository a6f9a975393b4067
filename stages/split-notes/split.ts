/** A note becomes its parts: header and text, with their places. Together they cover it from end to end. */
import { NO_SECTION } from '../../schemas/notes.js';
import type { Header, Headers } from './headers.js';

/** Offsets in UTF-16 code units; `text` is the note from `start` to `end`, without blanks around it. */
export interface Part {
  readonly section: string;
  readonly header: string;
  readonly header_start: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A line without its end. */
export interface Line {
  readonly text: string;
  readonly start: number;
}

interface Mark {
  readonly section: string;
  readonly start: number;
  readonly end: number;
}

/** A line shorter than this was not broken because it was full: whoever wrote it began a new one on purpose. */
const SHORT_LINE = 50;

/** The lines of a text; LF, CRLF and CR end a line. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const end of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, end.index), start });
    start = end.index + end[0].length;
  }
  lines.push({ text: text.slice(start), start });
  return lines;
}

/**
 * True where a header may stand: after an empty line or at the start. Elsewhere its first letter is a capital, and the
 * line before has ended: by its punctuation, because it is a header, or because it is too short to have been broken.
 */
function mayStand(line: string, before: string | undefined, isAfterHeader: boolean): boolean {
  if (before === undefined || before.trim() === '') return true;
  const [first] = line.match(/[A-Za-z]/) ?? [''];
  if (first !== first.toUpperCase()) return false;
  return isAfterHeader || before.trimEnd().length < SHORT_LINE || /[.!?:;)*=_-]\s*$/.test(before);
}

/** The headers of a note in order. */
function marksOf(lines: readonly Line[], headers: Headers): Mark[] {
  const marks: Mark[] = [];
  let current = NO_SECTION;
  let isAfterHeader = false;
  lines.forEach((line, i) => {
    const lead = line.text.length - line.text.trimStart().length;
    const found: Header | undefined = headers.at(line.text.slice(lead), current);
    const stands = found && mayStand(line.text, lines[i - 1]?.text, isAfterHeader);
    isAfterHeader = Boolean(stands);
    if (!found || !stands) return;
    current = found.section;
    marks.push({ section: current, start: line.start + lead, end: line.start + lead + found.length });
  });
  return marks;
}

/** The part of a text between two places, its blanks taken off. */
export function partOf(
  text: string,
  { section, start, end }: Mark,
  { from, to }: { readonly from: number; readonly to: number },
): Part {
  const raw = text.slice(from, to);
  const lead = raw.length - raw.trimStart().length;
  const body = raw.trim();
  const at = body === '' ? from : from + lead;
  return {
    section,
    header: text.slice(start, end),
    header_start: start,
    text: body,
    start: at,
    end: at + body.length,
  };
}

/** The parts of a note. The text before the first header is a part of section `none`, when there is any. */
export function splitNote(text: string, headers: Headers): Part[] {
  return partsBetween(text, marksOf(linesOf(text), headers));
}

/** Parts that begin at given marks, which are in order. */
export function partsBetween(text: string, marks: readonly Mark[]): Part[] {
  const first = marks[0]?.start ?? text.length;
  const before = partOf(text, { section: NO_SECTION, start: 0, end: 0 }, { from: 0, to: first });
  const parts = marks.map((mark, i) =>
    partOf(text, mark, { from: mark.end, to: marks[i + 1]?.start ?? text.length }),
  );
  return before.text === '' ? parts : [{ ...before, header_start: before.start }, ...parts];
}

/** Blanks of the deidentification. */
export function masksIn(text: string): number {
  return text.match(/_{3,}/g)?.length ?? 0;
}
