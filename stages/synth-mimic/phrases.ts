/** The tables of raw/mimic/synthetic about notes: sections with the forms of their headers, and phrases by slot. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';

const FOLDER = 'raw/mimic/synthetic';

/** Files about notes. */
export const NOTE_FILES = ['note_headers', 'note_phrases'].map((name) => `${FOLDER}/${name}.csv`);

/** A section of a discharge note. */
export interface Section {
  readonly key: string;
  /** Share of notes that have it. */
  readonly probPresent: number;
  /** Forms of the header, the usual one first. */
  readonly variants: readonly string[];
}

export interface Phrases {
  /** In the order in which a note has them. */
  readonly sections: readonly Section[];
  /** Phrases of a slot for a diagnosis, or for everybody; may be empty. */
  of(slot: string, dxKey?: string): readonly string[];
  /** Phrases of a slot whose diagnoses, joined by `;`, do not meet `keys`. */
  without(slot: string, keys: ReadonlySet<string>): readonly string[];
}

/** Reads both tables; `file` returns the text of a declared file. */
export function readPhrases(file: (path: string) => string): Phrases {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  const bySlot = new Map<string, Map<string, string[]>>();
  for (const { slot, dx_key, text } of table('note_phrases')) {
    const ofSlot = bySlot.get(slot!) ?? new Map<string, string[]>();
    bySlot.set(slot!, ofSlot);
    ofSlot.set(dx_key!, [...(ofSlot.get(dx_key!) ?? []), text!]);
  }
  return {
    sections: table('note_headers').map((r) => ({
      key: r.section!,
      probPresent: Number(r.prob_present),
      variants: r.variants!.split(';'),
    })),
    of: (slot, dxKey = '*') => bySlot.get(slot)?.get(dxKey) ?? [],
    without: (slot, keys) =>
      [...(bySlot.get(slot) ?? [])]
        .filter(([list]) => !list.split(';').some((key) => keys.has(key)))
        .flatMap(([, texts]) => texts),
  };
}
