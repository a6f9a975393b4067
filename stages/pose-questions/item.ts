/** An item before it is written down: members share options; each has its patient and its keys. */
import type { Change, DecisionType, MedpicConfig, Option } from '../../schemas/medpic.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { PATIENT_INFORMATION_TYPES, Rule } from '../../schemas/rule.js';
import type { Profile } from './scenario-types.js';

export type InformationType = (typeof PATIENT_INFORMATION_TYPES)[number];

export interface Member {
  readonly role: string | null;
  readonly patient: Patient;
  /** Uses of the candidates in this member, in the order of `drugs`; only facets may differ between members. */
  readonly uses: readonly Use[];
  /** Indices of candidates that are keys; none means None of the above. */
  readonly keys: readonly number[];
  readonly watch: readonly string[];
  readonly rule_id: string;
}

export interface Draft {
  readonly config: MedpicConfig;
  readonly decision_type: DecisionType;
  readonly operation: string;
  readonly information_type: InformationType;
  readonly profile: Profile;
  readonly rule: Rule;
  /** Texts of the options without None, in candidate order. */
  readonly texts: readonly string[];
  readonly kind: Option['kind'];
  readonly handling_of: readonly (string | null)[];
  readonly members: readonly Member[];
  /** What differs between the first member and each of the others; empty for single items. */
  readonly changes: readonly (readonly Change[])[];
  /** Drug of a dose question. */
  readonly drug: string;
  /** Wording of the stem and label of the random stream of the vignette. */
  readonly wording: number;
  readonly label: string;
}

/** Differences of two members as changes: fields of the patient, facets of candidate uses. */
export function changesBetween(a: Member, b: Member): Change[] {
  const out: Change[] = [];
  const add = (field: string, from: unknown, to: unknown): void => {
    if (JSON.stringify(from ?? null) !== JSON.stringify(to ?? null))
      out.push({ field, from: from ?? null, to: to ?? null });
  };
  add('/age', a.patient.age, b.patient.age);
  add('/sex', a.patient.sex, b.patient.sex);
  add('/setting', a.patient.setting, b.patient.setting);
  add('/pregnancy', pregnancy(a.patient), pregnancy(b.patient));
  add('/postmenstrual_weeks', a.patient.postmenstrual_weeks, b.patient.postmenstrual_weeks);
  add('/ckd_stage', a.patient.ckd_stage, b.patient.ckd_stage);
  add('/stopped', a.patient.stopped, b.patient.stopped);
  for (const m of keysOf(a.patient.measures, b.patient.measures)) {
    add(`/measures/${m}`, a.patient.measures[m as 'CrCl'], b.patient.measures[m as 'CrCl']);
  }
  for (const f of keysOf(a.patient.facts, b.patient.facts)) {
    if (!PREGNANCY_FACTS.includes(f) && !isIndication(f, a, b))
      add(`/facts/${f}`, a.patient.facts[f], b.patient.facts[f]);
  }
  const drugs = (m: Member): string[] => m.patient.medications.map((x) => x.drug).sort();
  add('/medications', drugs(a), drugs(b));
  a.uses.forEach((u, i) => {
    const v = b.uses[i]!;
    add(`/uses/${u.drug}`, useOf(u), useOf(v));
  });
  return out;
}

/** An illness that only comes and goes with what a candidate is given for changes with that use. */
const isIndication = (fact: string, a: Member, b: Member): boolean =>
  a.uses.some(
    (u, i) =>
      u.facets.indication !== b.uses[i]!.facets.indication &&
      [u, b.uses[i]!].some((x) => x.facets.indication === fact),
  );

/** Facts that say one thing about pregnancy: they change together. */
const PREGNANCY_FACTS = ['pregnant', 'could_be_pregnant', 'planning_pregnancy', 'breastfeeding', 'in_labour'];

function pregnancy(p: Patient): object | null {
  const facts = Object.fromEntries(PREGNANCY_FACTS.filter((f) => p.facts[f]).map((f) => [f, true]));
  if (Object.keys(facts).length === 0 && p.gestation_weeks === null) return null;
  return { ...facts, ...(p.gestation_weeks === null ? {} : { weeks: p.gestation_weeks }) };
}

const useOf = (u: Use): object => ({ facets: sorted(u.facets), dose: u.dose, duration: u.duration });

const sorted = (r: object): object =>
  Object.fromEntries(Object.entries(r).sort(([a], [b]) => (a < b ? -1 : 1)));

const keysOf = (a: object, b: object): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
