/** Sentences of a vignette, and what a part of the reader makes of one. */
import type { Concepts } from '../rules/concepts.js';

/** What the reader must know besides the text: wordings are data, the grammar is its own. */
export interface ReadKnowledge {
  readonly concepts: Concepts;
  /** Sentences for facts, variants split by `|`: `{She} has ...`. */
  readonly words: ReadonlyMap<string, WordsOfFact>;
  /** Ordinary use of a drug in words, where it is known. */
  readonly typical_use: (drug: string) => string | undefined;
}

export interface WordsOfFact {
  readonly says_true: string;
  readonly says_false: string;
  readonly indication?: string;
}

export interface Sentence {
  readonly text: string;
  /** Lower case without the full stop; he and she are `@`, his, her and him `@r`. */
  readonly plain: string;
  /** Sexes of the pronouns. */
  readonly pronouns: ReadonlySet<'female' | 'male'>;
}

/** A fact by its path (`age`, `facts/asthma`, `uses/digoxin/phase`) and its value. */
export type Found = readonly [fact: string, value: unknown];

/** Facts of a sentence; null when this part of the reader does not know it. */
export type SentenceReader = (plain: string) => Found[] | null;

/** Sentences end with a full stop before a space and a capital; `1.73` and `NYHA` hold no end. */
export function sentencesOf(text: string): Sentence[] {
  return text
    .trim()
    .split(/(?<=\.)\s+(?=[A-Z0-9])/)
    .filter((s) => s !== '')
    .map((s) => ({ text: s, plain: plain(s), pronouns: pronouns(s) }));
}

/** Folds a sentence; `{She}` and `{her}` of a table fold like the words that stand for them. */
export function plain(sentence: string): string {
  return sentence
    .trim()
    .replace(/\.$/, '')
    .toLowerCase()
    .replace(/\{she\}|\b(?:she|he)\b/g, '@')
    .replace(/\{(?:her|him)\}|\b(?:her|his|him)\b/g, '@r')
    .replace(/\s+/g, ' ');
}

function pronouns(sentence: string): ReadonlySet<'female' | 'male'> {
  const out = new Set<'female' | 'male'>();
  if (/\b(?:she|her)\b/i.test(sentence)) out.add('female');
  if (/\b(?:he|his|him)\b/i.test(sentence)) out.add('male');
  return out;
}

/** The first reader that knows the sentence. */
export function firstOf(readers: readonly SentenceReader[]): SentenceReader {
  return (s) => {
    for (const read of readers) {
      const found = read(s);
      if (found !== null) return found;
    }
    return null;
  };
}
