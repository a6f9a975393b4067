/** The text of a cell: what is printed, and what is meant once marks and leaders are set apart. */
import { isSpacingSensitive, linesOf, type TextLine, textOf } from './text-lines.js';
import type { Placed } from './types.js';

export interface CellText {
  /** Every glyph, line by line. */
  readonly printed: string;
  /** One line, without note marks and dot leaders; exponents as raised characters. */
  readonly text: string;
  readonly marks: readonly string[];
  readonly is_spacing_doubtful: boolean;
  readonly is_mapped: boolean;
  readonly is_doubtful: boolean;
}

const SIGNS = '*†‡§¶#';
const MARK = /^[a-z0-9*†‡§¶#,]{1,6}$/i;
const ORDINAL = /^(st|nd|rd|th)$/i;
/** Units whose raised digit is a power. */
const UNIT = /(^|[\s/(])[cdmkµμn]?m$/i;
/** Three or more dots, also with blanks between them, at the end of a text. */
const LEADER = /(\s*\.){3,}\s*$/;
const RAISED: Readonly<Record<string, string>> = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '-': '⁻',
  '–': '⁻',
  '−': '⁻',
  '+': '⁺',
};

/** Reads the pieces of one cell. */
export function cellText(pieces: readonly Placed[]): CellText {
  const lines = linesOf(pieces);
  const read = lines.map(readLine);
  return {
    printed: lines.map((l) => textOf(l.pieces)).join('\n'),
    text: joinLines(read.map((r) => r.text)),
    marks: [...new Set(read.flatMap((r) => r.marks))],
    is_spacing_doubtful: lines.some((l) => /\d/.test(textOf(l.pieces)) && isSpacingSensitive(upright(l))),
    is_mapped: pieces.every((p) => p.is_mapped),
    is_doubtful: pieces.some((p) => p.is_doubtful),
  };
}

const upright = (l: TextLine): Placed[] => l.pieces.filter((p) => p.raised === 'no');

/** Joins wrapped lines; a word divided at a hyphen is put together with the hyphen kept. */
function joinLines(lines: readonly string[]): string {
  return lines
    .filter((l) => l !== '')
    .reduce((all, l) => (/[a-z]-$/i.test(all) && /^[a-z]/.test(l) ? all + l : `${all} ${l}`), '')
    .trim();
}

function readLine(line: TextLine): { text: string; marks: string[] } {
  const kept: Placed[] = [];
  const marks: string[] = [];
  for (const [i, p] of line.pieces.entries()) {
    const host = line.pieces.slice(0, i).findLast((q) => q.raised === 'no');
    if (p.raised !== 'super' || ORDINAL.test(p.text)) kept.push(p);
    else if (isPower(p, host)) kept.push({ ...p, text: raise(p.text) });
    else if (MARK.test(p.text)) marks.push(...p.text.split(',').filter((m) => m !== ''));
    else kept.push(p);
  }
  const all = textOf(kept).trim();
  // Dots alone are what the cell says.
  const text = all.replace(LEADER, '').trim() || all;
  const { rest, signs } = stripSigns(text);
  return { text: rest, marks: [...marks, ...signs] };
}

/** A raised number is a power behind a unit of length or behind 10. */
function isPower(p: Placed, host: Placed | undefined): boolean {
  if (!host || !/^[-–−+]?\d+$/.test(p.text)) return false;
  return UNIT.test(host.text) || /(^|[×x·])10$/.test(host.text);
}

const raise = (text: string): string => [...text].map((c) => RAISED[c] ?? c).join('');

/** Signs at the end of a text or before a number are marks; a text of signs alone is a value. */
function stripSigns(text: string): { rest: string; signs: string[] } {
  const signs: string[] = [];
  const take = (m: string): string => {
    signs.push(m);
    return '';
  };
  if (new RegExp(`^[${SIGNS}]+$`).test(text)) return { rest: text, signs: [text] };
  const rest = text
    .replace(new RegExp(`(?<=[^\\s${SIGNS}])[${SIGNS}]+$`), take)
    .replace(new RegExp(`^[${SIGNS}]+(?=[^\\s${SIGNS}])`), take);
  return { rest: rest.trim(), signs };
}
