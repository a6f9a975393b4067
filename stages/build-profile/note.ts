/** The note of an admission as far as a profile may use it: allowed sections, admission exam only, no leaks. */
import type { ProfileSection } from '../../schemas/rxeval-record.js';
import { cleanNote, saysSomething } from '../lib/note-text.js';
import { allergyPieces } from './allergies.js';
import { medicationPieces } from './home-medications.js';
import type { Leak, LeakCheck } from './leaks.js';
import type { Piece, Statement } from './pieces.js';
import { blocksOf, commaEntries, sentencesOf, type Unit, wrapWidth } from './units.js';

/** A part of a note, as split-notes gives it. */
export interface NotePart {
  readonly note_id: string;
  readonly hadm_id: number;
  readonly section: string;
  readonly part_n: number;
  readonly text: string;
  readonly start_n: number;
}

export interface FoundLeak extends Leak {
  readonly section: ProfileSection;
  readonly start_n: number;
  readonly end_n: number;
}

export interface NoteProfile {
  readonly note_id: string;
  readonly statements: Statement[];
  readonly leaks: FoundLeak[];
  masks_n: number;
  masked_pieces_n: number;
  strict_cut_n: number;
  late_parts_n: number;
}

/** Sections of a note that tell of the time before admission, and the section of the profile that each feeds. */
export const ALLOWED: Readonly<Record<string, ProfileSection>> = {
  allergies: 'allergies',
  chief_complaint: 'chief_complaint',
  hpi: 'history_of_present_illness',
  ros: 'review_of_systems',
  pmh: 'past_medical_history',
  social: 'social_history',
  family: 'family_history',
  exam: 'physical_exam',
  meds_admission: 'medications_on_admission',
};
/** From the first of these on, a section of the history is about the stay. The list of home drugs usually comes after. */
const STAY_BEGINS = new Set([
  'course',
  'exam_discharge',
  'meds_discharge',
  'diagnosis',
  'condition',
  'instructions',
]);
/** Sections whose sentences are checked for leaks. */
const CHECKED = new Set(['hpi', 'ros', 'pmh', 'social', 'family', 'exam']);
/** Where a strict history ends. */
const ARRIVAL =
  /\b(?:in the (?:ed|er|emergency (?:department|room|ward))|(?:up)?on arrival (?:to|in|at)|on transfer|(?:ed|er) course|in the (?:[mstc]?icu|ccu)|(?:vitals|vs) (?:on|prior to) transfer)\b/i;

export interface NoteOptions {
  readonly hpi: 'full' | 'strict';
  readonly check: LeakCheck;
}

/** Statements of a note in the order of the note. `parts` are all parts of one note, in order. */
export function profileOfNote(parts: readonly NotePart[], { hpi, check }: NoteOptions): NoteProfile {
  const [first] = parts;
  const found: NoteProfile = {
    note_id: first!.note_id,
    statements: [],
    leaks: [],
    masks_n: 0,
    masked_pieces_n: 0,
    strict_cut_n: 0,
    late_parts_n: 0,
  };
  const width = wrapWidth(parts.map((p) => p.text));
  const stay = parts.findIndex((p) => STAY_BEGINS.has(p.section));
  let isCut = false;
  parts.forEach((part, i) => {
    const section = ALLOWED[part.section];
    if (!section || part.text === '') return;
    if (stay >= 0 && i > stay && part.section !== 'meds_admission') {
      found.late_parts_n++;
      return;
    }
    for (const piece of piecesOf(part, width)) {
      const raw = part.text.slice(piece.start, piece.end);
      const isHistory = part.section === 'hpi' || part.section === 'ros';
      isCut ||= hpi === 'strict' && isHistory && ARRIVAL.test(raw.replace(/\s+/g, ' '));
      if (isCut && isHistory) found.strict_cut_n++;
      else take(found, { part, section, piece, raw, check });
    }
  });
  return found;
}

function piecesOf(part: NotePart, width: number): Piece[] {
  if (part.section === 'allergies') return allergyPieces(part.text);
  if (part.section === 'meds_admission') return medicationPieces(part.text, width);
  const units = blocksOf(part.text, width).flatMap((b) => {
    const sentences = sentencesOf(part.text, b);
    return part.section === 'pmh' && sentences.length === 1 && !b.is_entry
      ? sentences.flatMap((u) => commaEntries(part.text, u))
      : sentences;
  });
  return units.map((u: Unit) => ({ ...u, kind: 'statement', name: null, dose_text: null, route: null }));
}

interface Taking {
  readonly part: NotePart;
  readonly section: ProfileSection;
  readonly piece: Piece;
  readonly raw: string;
  readonly check: LeakCheck;
}

/** Adds a piece to the statements, or says why not. */
function take(found: NoteProfile, { part, section, piece, raw, check }: Taking): void {
  if (!saysSomething(raw)) {
    found.masked_pieces_n++;
    return;
  }
  const place = { start_n: part.start_n + piece.start, end_n: part.start_n + piece.end };
  const leak = CHECKED.has(part.section) ? check.of(raw) : undefined;
  if (leak) {
    found.leaks.push({ ...leak, section, ...place });
    return;
  }
  found.masks_n += raw.match(/_{3,}/g)?.length ?? 0;
  const { kind, opens, name, dose_text, route } = piece;
  found.statements.push({
    kind,
    section,
    opens,
    text: cleanNote(raw),
    name: name === null ? null : cleanNote(name),
    dose_text,
    route,
    source_table: 'discharge',
    source_key: `note_id=${part.note_id}`,
    note_start_n: place.start_n,
    note_end_n: place.end_n,
  });
}
