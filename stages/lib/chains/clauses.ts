/** A clause of a rules author: what stands in the record, and what follows from it. */
import type { Cite } from '../../../schemas/rxeval.js';
import type { Clause } from '../clinical/rules.js';
import type { ClinicalState } from '../clinical/state.js';
import type { Found } from '../record/moment.js';
import { termText } from '../rule-terms.js';

export interface ClauseText {
  readonly fact: string;
  readonly inference: string;
  readonly cites: readonly Cite[];
}

const SECTION_NAMES: Readonly<Record<string, string>> = {
  chief_complaint: 'chief complaint',
  history_of_present_illness: 'history of present illness',
  past_medical_history: 'past medical history',
};

/** The sentences of a clause. Numbers come from the places it cites, never from the rule, but for the limit in the inference. */
export function clauseText(state: ClinicalState, { term, cites }: Clause): ClauseText {
  const cite = cites.at(-1)!;
  const found = state.moment.find(cite.ref);
  if (!found) throw new Error(`a clause cites ${cite.ref}, which is not in the record`);
  if (term.kind === 'compare') return { ...comparison(state, term, cite), cites: [cite] };
  if (term.kind === 'is')
    return { fact: `On record: ${lineOf(found)}`, inference: `This is part of the decision.`, cites: [cite] };
  const name = nameOf(state, term.of, term.key);
  switch (term.of) {
    case 'dx':
      return {
        fact: `${placeOf(found)}: "${cite.quote ?? lineOf(found)}"`,
        inference: `The patient has ${name}.`,
        cites: [cite],
      };
    case 'drug':
      return {
        fact: `Ordered before: ${lineOf(found)}`,
        inference: `The patient is on this treatment already.`,
        cites: [cite],
      };
    case 'allergy':
      return {
        fact: `The allergy list names ${lineOf(found)}.`,
        inference: `This rules out ${name}.`,
        cites: [cite],
      };
    case 'rad':
      return {
        fact: `The imaging report says: "${cite.quote ?? ''}"`,
        inference: `There is ${name}.`,
        cites: [cite],
      };
    case 'micro':
      return {
        fact: `The culture result reads: ${lineOf(found)}`,
        inference: `There is growth: ${name}.`,
        cites: [cite],
      };
    case 'proc':
      return {
        fact: `Procedure on record: ${lineOf(found)}`,
        inference: `The patient has had this: ${name}.`,
        cites: [cite],
      };
  }
}

type Comparison = Extract<Clause['term'], { kind: 'compare' }>;

function comparison(state: ClinicalState, term: Comparison, cite: Cite): Omit<ClauseText, 'cites'> {
  if (term.item === 'age') {
    const { age } = state.moment.patient;
    return { fact: `The patient is ${age} years old.`, inference: limitText(term, 'years') };
  }
  const row = state.tables.items.get(term.item);
  if (!row) throw new Error(`no item ${term.item} for ${termText(term)}`);
  const value = [cite.value, cite.unit].filter(Boolean).join(' ');
  return { fact: `${row.name} is ${value}.`, inference: limitText(term, UNIT_WORDS[row.unit] ?? row.unit) };
}

/** UCUM codes as they are written at the bedside. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  '/min': 'a minute',
  'mm[Hg]': 'mmHg',
  Cel: '°C',
  'meq/L': 'mEq/L',
  '10*3/uL': 'K/uL',
  '[pH]': '',
  '{score}': '',
  '{ratio}': '',
  '/[HPF]': 'per field',
  '/uL': 'per uL',
};

function limitText({ sign, limit, isNegated }: Comparison, unit: string): string {
  const side = sign === '<' ? 'below' : 'above';
  return `This is ${isNegated ? 'not ' : ''}${side} ${limit}${unit ? ` ${unit}` : ''}.`;
}

function nameOf(state: ClinicalState, of: string, key: string): string {
  if (of === 'dx') return state.tables.dx.get(key)?.name ?? key;
  return state.tables.tags.find((t) => t.group === of && t.tag === key)?.name ?? key;
}

function placeOf(found: Found): string {
  if (found.kind === 'event') return 'The imaging report says';
  return `The ${SECTION_NAMES[found.span.section] ?? 'profile'} says`;
}

/** The text of an event or span in one line. */
export const lineOf = (found: Found): string =>
  (found.kind === 'event' ? found.event.text : found.span.text).replace(/\s+/g, ' ').trim();
