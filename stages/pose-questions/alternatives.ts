/** Another value of a facet of use, for the member of a pair in which the facet does not hold. */
import type { FACETS } from '../../schemas/condition.js';
import type { RandomStream } from '../contract.js';
import type { Profile } from './scenario-types.js';

type Facet = (typeof FACETS)[number];

/** What else a drug may be used for, by drug or class: indications.csv. */
export const INDICATIONS_FILE = 'stages/pose-questions/indications.csv';
export interface IndicationRow {
  readonly drug_or_class: string;
  readonly indication: string;
}

/** Values of uses.csv that stand for the opposite of another. */
const OTHERS: Readonly<Record<Exclude<Facet, 'indication'>, Readonly<Record<string, readonly string[]>>>> = {
  line_of_therapy: { first: ['later'], second: ['later'], later: ['first'] },
  phase: { starting: ['continuing'], continuing: ['starting'] },
  pattern: {
    chronic: ['short_term'],
    suppressive: ['short_term'],
    short_term: ['chronic'],
    short_term_scheduled: ['as_needed', 'chronic'],
    scheduled: ['as_needed'],
    persistent_as_needed: ['short_term'],
    as_needed: ['scheduled'],
  },
  regimen: { sliding_scale_alone: ['basal_and_correction'] },
  purpose: {
    primary_prevention: ['secondary_prevention'],
    secondary_prevention: ['primary_prevention'],
    treatment: ['prophylaxis'],
    prophylaxis: ['treatment'],
  },
};

/** Illnesses that one age has and the other hardly, among the indications. */
const NOT_OF: Readonly<Partial<Record<Profile, readonly string[]>>> = { child: ['chronic_back_pain'] };
const OF_CHILDREN: readonly string[] = ['injury_pain'];

/** The indications of a drug that fit a profile. */
export const fitting = (indications: readonly string[], profile: Profile): string[] =>
  indications.filter((i) => (OF_CHILDREN.includes(i) ? profile === 'child' : !NOT_OF[profile]?.includes(i)));

/** A value of the facet that is none of `values`; undefined when none is known. `indications` are those of the drug. */
export function alternative(
  facet: Facet,
  values: readonly string[],
  indications: readonly string[],
  random: RandomStream,
): string | undefined {
  const others = facet === 'indication' ? indications : values.flatMap((v) => OTHERS[facet][v] ?? []);
  const left = others.filter((o) => !values.includes(o));
  return left.length === 0 ? undefined : left[random.below(left.length)];
}
