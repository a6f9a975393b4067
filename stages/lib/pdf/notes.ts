/** Captions above tables and notes below them. */
import { type TextLine, textOf } from './text-lines.js';
import type { Placed } from './types.js';

/** Marks that printers put at notes, as they stand at the start of one. */
const SIGN = /^[*†‡§¶#]{1,5}/;
/** `ND = not detected`: what an abbreviation of a cell means. */
const ABBREVIATION = /^[A-Z][A-Za-z0-9/%-]{0,9}\s*=\s*\S/;
/** A legend: a sign or a bracketed letter that stands in cells, then what it means. */
const LEGEND = /^([–—-]|\([A-Za-z]{1,3}\)|[*†‡§¶#]{1,5})\s+(?=[A-Za-z])/;
const NOTE_WORD = /^(notes?|sources?|abbreviations?|legend|key|footnotes?)\b\s*[:.–—-]?/i;
const CAPTION = /^(table|exhibit|figure|chart|box|appendix|annex)\s+[A-Z]{0,3}[-.–]?\d/i;

/** True for the first line of a caption: a word and a number. */
export const isCaption = (text: string): boolean => CAPTION.test(text.trim());

/** True for the first line of a note: a note word, or a mark that stands raised or is no letter, before text. */
export function isNote(pieces: readonly Placed[]): boolean {
  const text = textOf(pieces).trim();
  if (NOTE_WORD.test(text) || LEGEND.test(text) || ABBREVIATION.test(text)) return true;
  const [first, second] = pieces;
  if (!first || !second) return false;
  if (first.raised === 'super' && first.text.length <= 3) return true;
  return SIGN.test(text) && text.length > 12 && !/^[*†‡§¶#]+[-–\d.,]+$/.test(pieces[0]!.text);
}

/** A note and the mark that points to it; notes that open with a word have none. */
export interface Note {
  readonly mark: string | null;
  readonly text: string;
}

/** Reads notes from lines: each starts a note or continues the one before. */
export function notesOf(lines: readonly TextLine[]): Note[] {
  const out: { mark: string | null; text: string }[] = [];
  for (const line of lines) {
    const started = isNote(line.pieces) ? startOf(line.pieces) : startByNumber(line.pieces);
    if (started) out.push(started);
    else if (out.length > 0) out.at(-1)!.text = `${out.at(-1)!.text} ${textOf(line.pieces)}`;
  }
  return out;
}

function startOf(pieces: readonly Placed[]): Note {
  const first = pieces[0]!;
  if (first.raised === 'super') return { mark: first.text, text: textOf(pieces.slice(1)) };
  const text = textOf(pieces).trim();
  const sign = (LEGEND.exec(text)?.[1] ?? SIGN.exec(text)?.[0])?.trim();
  return sign ? { mark: sign, text: text.slice(sign.length).trim() } : { mark: null, text };
}

/** `1. text`, `1 text` or `(a) text` opens a note with that mark. */
function startByNumber(pieces: readonly Placed[]): Note | null {
  const match = /^\(?([0-9]{1,2}|[a-z])(?:[.):]\s*|\s+)(?=\S)/.exec(textOf(pieces).trim());
  return match ? { mark: match[1]!, text: textOf(pieces).trim().slice(match[0].length) } : null;
}
