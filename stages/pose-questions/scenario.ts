/** A patient and the use of one drug, made from wanted literals: the trigger of a rule, and its neighbours. */
import type { Condition, DrugRef, FACETS, Predicate } from '../../schemas/condition.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import { contradiction } from '../lib/rules/contradiction.js';
import { alternative, fitting } from './alternatives.js';
import { type Literal, literals, shuffled } from './literals.js';
import { pickAge, pickGestation, pickMeasures, pickPostmenstrual } from './patient-numbers.js';
import { isLate, kidneysOf, mustBePlausible } from './plausible.js';
import { NoScenario, type Profile, type Scenario } from './scenario-types.js';
import type { World } from './world.js';

type Facet = (typeof FACETS)[number];

/** Who the patient of a rule is; a label that warns of pregnancy and of small children has patients of both sorts. */
export function profileOf(rule: Rule, wanted: readonly Literal[]): Profile {
  if (rule.special_population === 'older adults') return 'older_adult';
  if (rule.special_population === 'children' || wanted.some(isOfChildren)) return 'child';
  return rule.special_population === 'none' ? 'adult' : 'pregnant';
}

const isOfChildren = ({ predicate: p, want }: Literal): boolean =>
  want &&
  p.type === 'age' &&
  p.bounds.high !== null &&
  (p.bounds.unit !== 'a' || p.bounds.high <= CHILD_UNTIL);
const CHILD_UNTIL = 18;

/** Literals that make a rule active: population and `when` hold, every exception fails. */
export function triggerLiterals(rule: Rule, random: RandomStream): Literal[] {
  return [
    ...literals(rule.population, true, random),
    ...literals(rule.when, true, random),
    ...rule.unless.flatMap((u) => literals(u.when, false, random)),
  ];
}

export interface ScenarioSpec {
  readonly world: World;
  readonly rule: Rule;
  readonly ref: DrugRef;
  readonly drug: string;
  readonly literals: readonly Literal[];
  readonly random: RandomStream;
  /** Values of another member that stay as they are. */
  readonly like?: Scenario;
}

/** Builds the scenario; a wish that cannot be met is a NoScenario with its reason. */
export function buildScenario(spec: ScenarioSpec): Scenario {
  const { rule, random, like } = spec;
  const profile = like?.profile ?? profileOf(rule, spec.literals);
  const wanted = (type: Predicate['type']): Literal[] =>
    spec.literals.filter((l) => l.predicate.type === type);
  const facts = factsOf(wanted('fact'));
  const is_pregnant = isPregnant(profile, facts, wanted('gestation'));
  const age = pickAge(wanted('age'), { profile, random, like, is_late: isLate(spec.literals) });
  const stage = pickStage(wanted('ckd_stage'));
  const patient: Patient = {
    age,
    sex: pickSex(wanted('sex'), facts, is_pregnant, random, like),
    postmenstrual_weeks: pickPostmenstrual(wanted('age'), random),
    gestation_weeks: is_pregnant
      ? pickGestation(wanted('gestation'), { random, like, is_early: facts.birth_expected_in_days === false })
      : null,
    measures: pickMeasures(wanted('measure'), { profile, random, like, kidneys: kidneysOf(facts, stage) }),
    ckd_stage: stage,
    facts: is_pregnant ? { ...facts, pregnant: true } : facts,
    medications: pickMedications(spec, [...wanted('co_medication'), ...wanted('drug_count')]),
    stopped: pickStopped(spec, wanted('since_last_dose')),
    setting: like?.patient.setting ?? settingOf(profile, random),
    closed: ['conditions', 'medications', 'allergies'],
  };
  const use = useOf(spec);
  const stated = statePlainFacts(withIndication(patient, use, spec.world), profile);
  const against = contradiction(stated, spec.world.knowledge.concepts);
  if (against !== null) throw new NoScenario(`facts rule each other out: ${against}`);
  mustBePlausible(stated, use);
  return { profile, patient: stated, use, literals: spec.literals };
}

/** What a drug is given for is an illness of the patient. */
export function withIndication(patient: Patient, use: Use, world: World): Patient {
  const indication = use.facets.purpose === 'glucose_lowering' ? 'type_2_diabetes' : use.facets.indication;
  const { concepts } = world.knowledge;
  if (!indication || !concepts.has(indication) || concepts.get(indication).kind !== 'condition')
    return patient;
  if (patient.facts[indication] === false) throw new NoScenario(`${indication} is wanted and unwanted`);
  return { ...patient, facts: { ...patient.facts, [indication]: true } };
}

function factsOf(wanted: readonly Literal[]): Record<string, boolean> {
  const facts: Record<string, boolean> = {};
  for (const { predicate, want } of wanted) {
    if (predicate.type !== 'fact') continue;
    if (facts[predicate.concept] !== undefined && facts[predicate.concept] !== want) {
      throw new NoScenario(`contradicting wishes about ${predicate.concept}`);
    }
    facts[predicate.concept] = want;
  }
  return facts;
}

const NOT_PREGNANT = ['breastfeeding', 'could_be_pregnant', 'planning_pregnancy', 'partner_pregnant'];

function isPregnant(
  profile: Profile,
  facts: Record<string, boolean>,
  gestation: readonly Literal[],
): boolean {
  if (facts.pregnant !== undefined) return facts.pregnant;
  if (gestation.some((g) => g.want)) return true;
  return profile === 'pregnant' && !NOT_PREGNANT.some((f) => facts[f] === true);
}

function pickSex(
  wanted: readonly Literal[],
  facts: Record<string, boolean>,
  is_pregnant: boolean,
  random: RandomStream,
  like?: Scenario,
): 'female' | 'male' {
  for (const { predicate, want } of wanted) {
    if (predicate.type === 'sex') return (predicate.sex === 'female') === want ? 'female' : 'male';
  }
  if (facts.partner_pregnant === true) return 'male';
  const reproductive = ['pregnant', 'breastfeeding', 'could_be_pregnant', 'planning_pregnancy'];
  if (is_pregnant || reproductive.some((f) => facts[f] !== undefined)) return 'female';
  return like?.patient.sex ?? (random.below(2) === 0 ? 'female' : 'male');
}

function pickStage(wanted: readonly Literal[]): Patient['ckd_stage'] {
  const found = wanted.find((w) => w.predicate.type === 'ckd_stage');
  if (!found) return null;
  // Stage 2 is the nearest stage under 3a; stage 3b is past its edge.
  return found.want ? '3b' : '2';
}

function pickMedications(spec: ScenarioSpec, wanted: readonly Literal[]): Use[] {
  const out = new Map<string, Use>();
  for (const { predicate: p, want } of wanted) {
    if (p.type !== 'co_medication' && p.type !== 'drug_count') continue;
    // A count that is not reached is missed by one drug; a drug that must not be there is not.
    const n = p.type === 'drug_count' ? p.at_least - (want ? 1 : 2) : want ? p.at_least : 0;
    if (n < 1) continue;
    const names = shuffled(p.drugs, spec.random).flatMap((ref) => partnerDrugs(spec, ref));
    const before = spec.like?.patient.medications.map((m) => m.drug) ?? [];
    const fitting = [...new Set([...names.filter((d) => before.includes(d)), ...names])]
      .filter((d) => d !== spec.drug)
      .slice(0, n);
    if (fitting.length < n) throw new NoScenario('no listed drug to be taken together');
    for (const drug of fitting) out.set(drug, plainUse(drug));
  }
  return [...out.values()];
}

function pickStopped(spec: ScenarioSpec, wanted: readonly Literal[]): Patient['stopped'] {
  return wanted.flatMap(({ predicate: p, want }) => {
    if (p.type !== 'since_last_dose' || !want) return [];
    const drug = p.drugs.flatMap((ref) => partnerDrugs(spec, ref))[0];
    if (drug === undefined) throw new NoScenario('no listed drug that was stopped');
    return [{ drug, ago: { value: outside(p.bounds, true), unit: p.bounds.unit } }];
  });
}

/** Listed members in a seeded order, one first. */
const partnerDrugs = (spec: ScenarioSpec, ref: DrugRef): readonly string[] =>
  shuffled(spec.world.listed(ref, spec.rule.source_id), spec.random).slice(0, 3);

export function plainUse(drug: string, more: Partial<Use> = {}): Use {
  return { drug, form: null, route: null, dose: null, duration: null, facets: {}, ...more };
}

function settingOf(profile: Profile, random: RandomStream): Patient['setting'] {
  const places = {
    older_adult: ['home', 'clinic', 'ward', 'nursing_home'],
    adult: ['clinic', 'ward', 'emergency'],
    pregnant: ['clinic', 'ward'],
    child: ['clinic', 'emergency'],
  } as const;
  const from = places[profile];
  return from[random.below(from.length)]!;
}

/** Facts that every vignette of a profile states, so that rules of other sources are decided too. */
function statePlainFacts(patient: Patient, profile: Profile): Patient {
  const facts = { ...patient.facts };
  // A clinic, a ward and an emergency department say it; at home it must be told.
  if (/home/.test(patient.setting ?? '')) facts.hospice_care ??= false;
  else delete facts.hospice_care;
  const years = patient.age?.unit === 'a' ? patient.age.value : 0;
  if (patient.sex === 'female' && years >= 12 && years < 60 && facts.pregnant !== true) {
    facts.pregnant ??= false;
    if (facts.could_be_pregnant === undefined) facts.could_be_pregnant = false;
    if (facts.planning_pregnancy === undefined) facts.planning_pregnancy = false;
    facts.breastfeeding ??= false;
  }
  if (facts.pregnant === true) {
    for (const f of ['breastfeeding', 'in_labour'] as const) facts[f] ??= false;
    // Whether she could become pregnant is no question any more.
    for (const f of ['could_be_pregnant', 'planning_pregnancy'] as const) delete facts[f];
  }
  // A partner who is not pregnant is no news of a woman: the sources mean men.
  if (patient.sex === 'female' && facts.partner_pregnant === false) delete facts.partner_pregnant;
  if (profile === 'child' || profile === 'pregnant') facts.renal_impairment ??= false;
  return { ...patient, facts };
}

/** How the key drug is used: what its reference is limited to, what the literals want, and a start today if nothing else. */
function useOf(spec: ScenarioSpec): Use {
  const { ref, drug } = spec;
  const base = spec.like?.use;
  const use: Use = plainUse(drug, {
    form: ref.form,
    route: ref.routes?.[0] ?? base?.route ?? null,
    dose: ref.dose ? { value: outside(ref.dose, true), unit: ref.dose.unit } : null,
  });
  for (const { predicate: p, want } of spec.literals) {
    if (p.type === 'dose') use.dose = { value: outside(p.bounds, want), unit: p.bounds.unit };
    else if (p.type === 'duration') use.duration = { value: outside(p.bounds, want), unit: p.bounds.unit };
    else if (p.type === 'route')
      use.route = want ? p.any_of[0]! : p.any_of.includes('oral') ? 'intravenous' : 'oral';
    else if (p.type === 'form')
      use.form = want === (p.form === 'extended_release') ? 'extended_release' : 'immediate_release';
  }
  const facets = facetsOf(spec);
  facets.phase ??= 'starting';
  return { ...use, facets: withGoal(facets, drug, spec.world) };
}

/** Treatment and prophylaxis are of something, where it is known of what. */
export function withGoal(facets: Use['facets'], drug: string, world: World): Use['facets'] {
  if (facets.purpose !== 'treatment' && facets.purpose !== 'prophylaxis') return facets;
  const indication = facets.indication ?? world.indications(drug)[0];
  return indication === undefined ? facets : { ...facets, indication };
}

/** Facets that must hold, and for those that must not another value. */
function facetsOf(spec: ScenarioSpec): Use['facets'] {
  const facets: Use['facets'] = {};
  const unwanted = new Map<Facet, string[]>();
  for (const { predicate: p, want } of spec.literals) {
    if (p.type !== 'use') continue;
    if (!want) unwanted.set(p.facet, [...(unwanted.get(p.facet) ?? []), p.value]);
    else if (facets[p.facet] !== undefined && facets[p.facet] !== p.value)
      throw new NoScenario(`two values of ${p.facet}`);
    else facets[p.facet] = p.value;
  }
  const { world, drug, random, like } = spec;
  const profile = like?.profile ?? profileOf(spec.rule, spec.literals);
  for (const [facet, values] of unwanted) {
    if (facets[facet] !== undefined) continue;
    const before = like?.use.facets[facet];
    const value =
      before !== undefined && !values.includes(before)
        ? before
        : alternative(facet, values, fitting(world.indications(drug), profile), random);
    if (value === undefined) throw new NoScenario(`no other ${facet} is known`);
    facets[facet] = value;
  }
  return facets;
}

/** A number on the wanted side of bounds, well away from the edge. */
export function outside(
  b: { low: number | null; high: number | null; unit?: string },
  want: boolean,
): number {
  const value = far(b, want);
  return TIMES.includes(b.unit ?? '') ? Math.round(value) : value;
}

/** Nobody prescribes half a day. */
const TIMES: readonly string[] = ['d', 'wk', 'mo', 'a'];

function far(b: { low: number | null; high: number | null }, want: boolean): number {
  if (b.low !== null && b.high !== null) return want ? (b.low + b.high) / 2 : b.high * 2;
  const edge = (b.low ?? b.high)!;
  return (b.low !== null) === want ? edge * 2 : edge / 2;
}

/** All conditions of a rule in one tree. */
export const wholeCondition = (rule: Rule): Condition => ({
  type: 'all',
  of: [rule.population, rule.when, ...rule.unless.map((u): Condition => ({ type: 'not', of: u.when }))],
});
