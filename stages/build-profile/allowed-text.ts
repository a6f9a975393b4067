/** The allowed sections of a note as a model is given them, and where a stretch of them comes from. */
import { PROFILE_SECTIONS, type ProfileSection } from '../../schemas/rxeval-record.js';
import type { Statement } from './pieces.js';

/** A stretch that was found: its words as they stand, and its place in the note, to the piece. */
export interface Found {
  readonly text: string;
  readonly note_start_n: number | null;
  readonly note_end_n: number | null;
}

/** Words that turn the meaning of what follows them in a sentence. */
const TURNS =
  /\b(?:no|not|non|nor|none|never|without|negative|denies|denied|denying|neither|free of|absent|rule out|ruled out|father|mother|brother|sister|family)\b/i;

interface Section {
  readonly name: ProfileSection;
  readonly text: string;
  readonly lower: string;
  readonly pieces: readonly { readonly start: number; readonly end: number; readonly from: Statement }[];
}

export class AllowedText {
  private readonly sections: readonly Section[];

  constructor(statements: readonly Statement[]) {
    this.sections = PROFILE_SECTIONS.map((name) => sectionOf(name, statements)).filter((s) => s.text !== '');
  }

  /** The parts with their names, for a prompt. */
  render(): string {
    return this.sections.map((s) => `## ${s.name}\n${s.text}`).join('\n\n');
  }

  /** True where the words stand in some section, at the borders of words. */
  holds(words: string): boolean {
    return this.sections.some((s) => placesOf(s.lower, words).length > 0);
  }

  /**
   * Where a stretch stands: in the section it is meant for, else in any other. `turned` when it stands only behind a word
   * that turns its meaning and that it leaves out; undefined when it stands nowhere.
   */
  find(stretch: string, section: ProfileSection): Found | 'turned' | undefined {
    const order = [...this.sections].sort((a, b) => Number(b.name === section) - Number(a.name === section));
    let isTurned = false;
    for (const s of order) {
      for (const start of placesOf(s.lower, stretch)) {
        const end = start + flat(stretch).length;
        if (turns(s, start, end)) isTurned = true;
        else return foundAt(s, start, end);
      }
    }
    return isTurned ? 'turned' : undefined;
  }
}

function sectionOf(name: ProfileSection, statements: readonly Statement[]): Section {
  let text = '';
  const pieces = statements
    .filter((s) => s.section === name)
    .map((from) => {
      if (text !== '') text += from.opens ? '\n' : ' ';
      const start = text.length;
      text += from.text;
      return { start, end: text.length, from };
    });
  return { name, text, lower: lowerOf(text).replaceAll('\n', ' '), pieces };
}

/** Lower case of the same length: a letter whose small form is longer stays as it is. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : [...text].map((c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join('');
}

/** True where words stand in a text, at the borders of words. */
export const standsIn = (words: string, text: string): boolean => placesOf(flat(text), words).length > 0;

const flat = (text: string): string => lowerOf(text).replace(/\s+/g, ' ').trim();

/** Where a stretch begins in a text, each with the border of a word at both ends: `1 mg` does not stand in `81 mg`. */
function placesOf(lower: string, stretch: string): number[] {
  const words = flat(stretch).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (words === '') return [];
  const bordered = new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${words}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'gu');
  return [...lower.matchAll(bordered)].map((found) => found.index);
}

/** True where the sentence has a turning word before the stretch that the stretch itself leaves out. */
function turns(s: Section, start: number, end: number): boolean {
  const piece = s.pieces.find((p) => p.start <= start && start < p.end);
  const before = s.text
    .slice(piece?.start ?? 0, start)
    .split(/[.;!?]\s/)
    .at(-1)!;
  return TURNS.test(before) && !TURNS.test(s.text.slice(start, end));
}

function foundAt(s: Section, start: number, end: number): Found {
  const touched = s.pieces.filter((p) => p.start < end && start < p.end);
  return {
    text: s.text.slice(start, end).replace(/\s+/g, ' '),
    note_start_n: touched[0]?.from.note_start_n ?? null,
    note_end_n: touched.at(-1)?.from.note_end_n ?? null,
  };
}
