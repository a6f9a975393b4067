/** What a profile must not say: facts of the stay itself inside the history (P66). */
import { parseCsv } from '../lib/csv.js';
import { foldWords } from '../lib/note-text.js';

export const LEAK_PHRASES_FILE = 'stages/build-profile/leak-phrases.csv';

/** Why a sentence is a leak, and the word that gave it away (null for a repeated sentence). */
export interface Leak {
  readonly reason: 'in_hospital_drug' | 'course_phrase' | 'course_sentence' | 'discharge_diagnosis';
  readonly word: string | null;
}

/** A sentence of fewer words is repeated by chance (`Stable.`); so are names of diseases in a history. */
const MIN_REPEATED_WORDS = 5;

/** Phrases of the hospital course, folded. */
export function readPhrases(csv: string): string[] {
  return parseCsv(csv, LEAK_PHRASES_FILE).map((r) => foldWords(r.phrase!));
}

export interface LeakSources {
  readonly phrases: readonly string[];
  /** Names of the drugs ordered in the stay that are not taken at home, with the drug that each stands for. */
  readonly drugs: ReadonlyMap<string, string>;
  /** Sentences of the hospital course, the first one left out: it introduces the patient as the history does. */
  readonly course: readonly string[];
  /** Lines of the discharge diagnosis. */
  readonly diagnoses: readonly string[];
  /** The past medical history: what it holds was known before, though course and diagnosis name it again. */
  readonly past: string;
}

/** The check of one admission. */
export class LeakCheck {
  private readonly phrases: readonly string[];
  private readonly drugs: ReadonlyMap<string, string>;
  private readonly course: ReadonlySet<string>;
  private readonly diagnoses: readonly string[];

  constructor({ phrases, drugs, course, diagnoses, past }: LeakSources) {
    const before = foldWords(past);
    const isNew = (words: string): boolean => isLong(words) && !before.includes(words);
    this.phrases = phrases;
    this.drugs = drugs;
    this.course = new Set(course.map(foldWords).filter(isNew));
    this.diagnoses = diagnoses.map(foldWords).filter(isNew);
  }

  /** The first reason against a sentence, or undefined. */
  of(sentence: string): Leak | undefined {
    const words = foldWords(sentence);
    const phrase = this.phrases.find((p) => words.includes(p));
    if (phrase) return { reason: 'course_phrase', word: phrase.trim() };
    for (const [name, drug] of this.drugs)
      if (words.includes(name)) return { reason: 'in_hospital_drug', word: drug };
    if (this.course.has(words)) return { reason: 'course_sentence', word: null };
    if (this.diagnoses.some((d) => words.includes(d))) return { reason: 'discharge_diagnosis', word: null };
    return undefined;
  }
}

const isLong = (words: string): boolean => words.trim().split(' ').length >= MIN_REPEATED_WORDS;
