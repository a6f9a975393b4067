/**
 * Reads the triggers and conditions of drug_indications.csv and contraindications.csv (raw/mimic/synthetic/README.md):
 * terms joined by `;`, all of which must hold. `dx:afib; hr > 120; not drug:warfarin` has three. What a term means on a
 * record is said by whoever asks; here it is only read.
 */
import { nearest } from './nearest.js';

/** Things a patient can have by key. */
export const KEYED = ['dx', 'drug', 'proc', 'micro', 'rad', 'allergy'] as const;
/** Facts without a key: on the home list, at admission, gut usable. */
export const STATES = ['home', 'admit', 'enteral'] as const;

export type Keyed = (typeof KEYED)[number];
export type State = (typeof STATES)[number];

/** What a term asks, before its `not`. */
export type Question =
  | { readonly kind: 'has'; readonly of: Keyed; readonly key: string }
  | { readonly kind: 'is'; readonly state: State }
  | {
      readonly kind: 'compare';
      readonly item: string;
      readonly sign: '<' | '>';
      /** In the unit of the item (items.csv). */
      readonly limit: number;
    };

/** One term; `isNegated` turns the answer round. */
export type Term = Question & { readonly isNegated: boolean };

/** Where a text stands, for the error. */
export interface TermsPlace {
  readonly file: string;
  readonly row: string;
  readonly field: string;
}

/** Keys that exist; a group that is missing is not checked. Items stand under `item`. */
export type KnownKeys = Readonly<Partial<Record<Keyed | 'item', ReadonlySet<string>>>>;

const COMPARISON = /^([a-z][a-z0-9_]*)\s*([<>])\s*(-?\d*\.?\d+)$/;
const HAS = new RegExp(`^(${KEYED.join('|')}):([a-z0-9_]+)$`);

/** Terms of one cell; an empty cell has none. Throws an Error with file, row and field at what cannot be read. */
export function parseTerms(text: string, place: TermsPlace, known: KnownKeys = {}): Term[] {
  if (text.trim() === '') return [];
  return text.split(';').map((part) => {
    const isNegated = /^\s*not\s/.test(part);
    const question = readQuestion(part.replace(/^\s*not\s/, '').trim(), place);
    checkKey(question, place, known);
    return { ...question, isNegated };
  });
}

function readQuestion(text: string, place: TermsPlace): Question {
  const has = HAS.exec(text);
  if (has) return { kind: 'has', of: has[1] as Keyed, key: has[2]! };
  const state = STATES.find((x) => x === text);
  if (state) return { kind: 'is', state };
  const compare = COMPARISON.exec(text);
  if (!compare) {
    throw problem(place, `got "${text}", expected a key such as dx:afib, ${STATES.join(', ')} or k < 3.3`);
  }
  return {
    kind: 'compare',
    item: compare[1]!,
    sign: compare[2] === '<' ? '<' : '>',
    limit: Number(compare[3]),
  };
}

function checkKey(question: Question, place: TermsPlace, known: KnownKeys): void {
  if (question.kind === 'is') return;
  const group = question.kind === 'has' ? question.of : 'item';
  const key = question.kind === 'has' ? question.key : question.item;
  const keys = known[group];
  if (!keys || keys.has(key)) return;
  const close = nearest(key, [...keys]);
  throw problem(place, `no ${group} is called "${key}"${close ? `, did you mean "${close}"` : ''}`);
}

const problem = (place: TermsPlace, message: string): Error =>
  new Error(`${place.file}, row ${place.row}, field ${place.field}: ${message}`);

/** The term as the tables write it. */
export function termText(term: Term): string {
  const text =
    term.kind === 'has'
      ? `${term.of}:${term.key}`
      : term.kind === 'is'
        ? term.state
        : `${term.item} ${term.sign} ${term.limit}`;
  return term.isNegated ? `not ${text}` : text;
}
