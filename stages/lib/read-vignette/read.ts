/** Reads the text of a vignette back into facts. It shares no code with what writes vignettes. */
import { readChildbearing } from './childbearing.js';
import { readMedicines } from './medicines.js';
import { readNumbers } from './numbers.js';
import { readPerson } from './person.js';
import { planReader, type RestReader, restReader } from './plans.js';
import { firstOf, type ReadKnowledge, type Sentence, type SentenceReader, sentencesOf } from './sentences.js';
import { stateReader } from './states.js';

export type { ReadKnowledge, WordsOfFact } from './sentences.js';

/** A fact that a sentence states. */
export interface ReadFact {
  /** `age`, `sex`, `setting`, `measures/CrCl`, `facts/asthma`, `medications/x`, `uses/x/phase`, `closed/conditions` */
  readonly fact: string;
  readonly value: unknown;
  readonly sentence: string;
}

export interface Reading {
  readonly facts: readonly ReadFact[];
  readonly sentences: readonly Sentence[];
  /** Sentences that could not be read as a whole. */
  readonly unread: readonly string[];
}

/** The parts that depend on the knowledge alone, made once for each. */
const prepared = new WeakMap<ReadKnowledge, { states: SentenceReader; rest: RestReader }>();

function prepare(k: ReadKnowledge): { states: SentenceReader; rest: RestReader } {
  const made = prepared.get(k) ?? { states: stateReader(k), rest: restReader(k) };
  prepared.set(k, made);
  return made;
}

/** Facts of a vignette; `drugs` are the candidates whose use it may tell. */
export function readVignette(text: string, drugs: readonly string[], k: ReadKnowledge): Reading {
  const { states, rest } = prepare(k);
  const read = firstOf([
    readPerson,
    readNumbers,
    readChildbearing,
    states,
    planReader(drugs, rest),
    readMedicines,
  ]);
  const facts: ReadFact[] = [];
  const unread: string[] = [];
  const sentences = sentencesOf(text);
  for (const s of sentences) {
    const found = read(s.plain);
    if (found === null) unread.push(s.text);
    else for (const [fact, value] of found) facts.push({ fact, value, sentence: s.text });
  }
  return { facts, sentences, unread };
}
