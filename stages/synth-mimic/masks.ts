/**
 * Places of a note that de-identification blanked out (D78): age, hospital, doctor, date, dose. Each is written plainly
 * or as `___`; what is blanked goes into the ledger.
 */
import { shuffle } from './diagnoses.js';
import type { Stream } from './rng.js';

export const MASK_KINDS = ['age', 'place', 'doctor', 'date', 'dose'] as const;
export type MaskKind = (typeof MASK_KINDS)[number];

/** One blanked place. */
export interface Mask {
  readonly kind: MaskKind;
  readonly clean: string;
  readonly dirty: string;
}

export interface Masks {
  /** Sections that hold a blanked place. */
  readonly sections: ReadonlySet<string>;
  readonly made: readonly Mask[];
  /** The phrase of a place, blanked where the note wants it so. */
  write(kind: MaskKind, clean: string, dirty: string): string;
}

/** Chooses which kinds are blanked: `count` of them, the dose only where the home list has one. */
export function masksOf(count: number, hasDose: boolean, isDirty: boolean, r: Stream): Masks {
  const kinds = MASK_KINDS.filter((kind) => kind !== 'dose' || hasDose);
  const order = [...kinds];
  shuffle(order, r);
  const chosen = new Set(isDirty ? order.slice(0, count) : []);
  const made: Mask[] = [];
  return {
    sections: new Set([...chosen].map((kind) => (kind === 'dose' ? 'meds_admission' : 'hpi'))),
    made,
    write(kind, clean, dirty) {
      if (!chosen.delete(kind)) return clean;
      made.push({ kind, clean, dirty });
      return dirty;
    },
  };
}
