/** What a section of the profile is made of. */
import type { ProfileSection, SPAN_KINDS } from '../../schemas/rxeval-record.js';

/** A piece of a section of a note: from `start` to `end` in its text. */
export interface Piece {
  readonly kind: (typeof SPAN_KINDS)[number];
  readonly start: number;
  readonly end: number;
  /** It begins a line of its own. */
  readonly opens: boolean;
  readonly name: string | null;
  readonly dose_text: string | null;
  readonly route: string | null;
}

/** A statement of the profile with its source, not yet placed in the text of its section. */
export interface Statement extends Omit<Piece, 'start' | 'end'> {
  readonly section: ProfileSection;
  readonly text: string;
  readonly source_table: string;
  readonly source_key: string;
  /** Place in the note, null where the source is a table. */
  readonly note_start_n: number | null;
  readonly note_end_n: number | null;
}
