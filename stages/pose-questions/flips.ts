/** The one fact that is changed in a pair: which facts of a rule can be changed, and what sort of information each is. */
import type { Predicate } from '../../schemas/condition.js';
import type { Patient } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { Concepts } from '../lib/rules/concepts.js';
import type { InformationType } from './item.js';
import type { Literal } from './literals.js';

/** A literal whose wish is turned round. */
export interface Flip {
  readonly index: number;
  readonly literal: Literal;
  readonly sort: string;
}

/** The literals of a trigger that a pair may turn round, one flip each. */
export function flipsOf(all: readonly Literal[], concepts: Concepts): Flip[] {
  return all.flatMap((literal, index) => {
    const sort = sortOf(literal.predicate, concepts);
    return sort === null ? [] : [{ index, literal, sort }];
  });
}

export const flipped = (all: readonly Literal[], at: number): Literal[] =>
  all.map((l, i) => (i === at || (at === GROWN_UP && isChildhood(l)) ? { ...l, want: !l.want } : l));

/** The flip that makes a child an adult: every upper limit of age is passed. */
export const GROWN_UP = -1;

const isChildhood = ({ predicate: p, want }: Literal): boolean =>
  want && p.type === 'age' && p.kind === 'chronological' && p.bounds.high !== null;

/** That flip, where the rule is about children. */
export function growingUp(all: readonly Literal[]): Flip[] {
  const literal = all.find(isChildhood);
  return literal ? [{ index: GROWN_UP, literal, sort: 'age' }] : [];
}

function sortOf(p: Predicate, concepts: Concepts): string | null {
  switch (p.type) {
    case 'age':
      // Adulthood of a label's population is a scope, not a decision.
      return p.bounds.low === 18 && p.bounds.high === null ? null : 'age';
    case 'gestation':
      return 'gestation';
    case 'measure':
    case 'ckd_stage':
      return 'renal';
    case 'co_medication':
    case 'drug_count':
      return 'interaction';
    case 'fact': {
      const { kind } = concepts.get(p.concept);
      if (p.concept === 'hospice_care') return null;
      if (kind === 'reproductive') return 'pregnancy';
      return kind === 'condition' ? 'condition' : 'circumstance';
    }
    case 'use':
    case 'dose':
    case 'duration':
      return 'use';
    default:
      return null;
  }
}

/** The label of a pair: the sort of the fact that changes. */
export function informationType(sort: string, a: Patient, b: Patient): InformationType {
  if (sort === 'age') return crossesAdulthood(a, b) ? 'pediatric-adult contrast' : 'age threshold';
  return TYPES[sort]!;
}

const TYPES: Readonly<Record<string, InformationType>> = {
  gestation: 'gestational-week threshold',
  renal: 'renal or dose threshold',
  interaction: 'drug interaction',
  pregnancy: 'pregnancy status',
  condition: 'condition trigger',
  circumstance: 'composite clinical context',
  use: 'composite clinical context',
};

const isAdult = (p: Patient): boolean => p.age !== null && p.age.unit === 'a' && p.age.value >= 18;
const crossesAdulthood = (a: Patient, b: Patient): boolean => isAdult(a) !== isAdult(b);

/** A single item carries the label of its rule. */
export const ruleType = (rule: Rule): InformationType => rule.patient_information_type;
