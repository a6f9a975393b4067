/** A condition against a structured patient and one candidate: true, false or unknown, with the reason. */
import { CKD_STAGES, type Condition, type DrugRef, type Predicate } from '../../../schemas/condition.js';
import type { Patient, Use } from '../../../schemas/patient.js';
import { ageWithin, DAYS } from './age.js';
import { within, wordBounds } from './bounds.js';
import { entailed } from './entailments.js';
import type { Knowledge } from './knowledge.js';
import { measured } from './measures.js';
import { doseWithin, isNamed, isTarget } from './target.js';
import { all, any, atLeast, not, type Truth, truthOf } from './truth.js';

/** One node of an explanation. `asked` says what was tested, `got` what the patient has. */
export interface Verdict {
  readonly asked: string;
  readonly truth: Truth;
  readonly got: string;
  readonly parts: readonly Verdict[];
}

export interface Case {
  readonly patient: Patient;
  readonly candidate: Use;
}

/** Evaluates a condition. */
export function evaluate(condition: Condition, c: Case, k: Knowledge): Verdict {
  switch (condition.type) {
    case 'all':
    case 'any':
    case 'at_least': {
      const parts = condition.of.map((part) => evaluate(part, c, k));
      const values = parts.map((p) => p.truth);
      const n = condition.type === 'all' ? parts.length : condition.type === 'any' ? 1 : condition.n;
      const asked = condition.type === 'at_least' ? `at least ${n} of ${parts.length}` : condition.type;
      return { asked, truth: atLeast(n, values), got: '', parts };
    }
    case 'not': {
      const part = evaluate(condition.of, c, k);
      return { asked: 'not', truth: not(part.truth), got: '', parts: [part] };
    }
    default: {
      const { truth, got } = test(condition, c, k);
      return { asked: wordPredicate(condition), truth, got, parts: [] };
    }
  }
}

interface Finding {
  readonly truth: Truth;
  readonly got: string;
}

const unknown: Finding = { truth: 'unknown', got: 'not stated' };
const found = (b: boolean | null, got: string): Finding => ({ truth: truthOf(b), got });

function test(p: Predicate, c: Case, k: Knowledge): Finding {
  const { patient, candidate } = c;
  switch (p.type) {
    case 'age':
      return testAge(p, patient);
    case 'gestation':
      return testGestation(p, patient, k);
    case 'sex':
      return patient.sex === null ? unknown : found(patient.sex === p.sex, patient.sex);
    case 'measure': {
      const m = measured(p.measure, p.bounds.unit, patient);
      return m === null ? unknown : found(within(m.value, p.bounds), m.words);
    }
    case 'ckd_stage': {
      const stage = patient.ckd_stage ?? measured('eGFR', 'mL/min/{1.73_m2}', patient)?.stage ?? null;
      if (stage === null) return unknown;
      return found(CKD_STAGES.indexOf(stage) >= CKD_STAGES.indexOf(p.at_least), `stage ${stage}`);
    }
    case 'fact':
      return testFact(p.concept, patient, k);
    case 'co_medication':
      return testTogether(p.drugs, p.at_least, c, k);
    case 'drug_count':
      return testCount(p.drugs, p.at_least, c, k);
    case 'since_last_dose':
      return testSince(p, c, k);
    case 'use':
      return testUse(p, candidate, k);
    case 'dose':
      return candidate.dose === null
        ? unknown
        : found(doseWithin(candidate.dose, p.bounds), `${candidate.dose.value} ${candidate.dose.unit}`);
    case 'duration': {
      const d = candidate.duration;
      if (d === null) return unknown;
      const days = DAYS as Readonly<Record<string, number>>;
      return found(
        within((d.value * days[d.unit]!) / days[p.bounds.unit]!, p.bounds),
        `${d.value} ${d.unit}`,
      );
    }
    case 'route':
      return candidate.route === null ? unknown : found(p.any_of.includes(candidate.route), candidate.route);
    case 'form':
      return candidate.form === null ? unknown : found(candidate.form === p.form, candidate.form);
  }
}

function testAge(p: Extract<Predicate, { type: 'age' }>, patient: Patient): Finding {
  if (p.kind === 'postmenstrual') {
    const weeks = patient.postmenstrual_weeks;
    // A year after birth nobody counts from the last period any more.
    if (weeks === null)
      return patient.age !== null && patient.age.unit === 'a' && patient.age.value >= 2
        ? found(within(patient.age.value * 52 + 40, p.bounds), `${patient.age.value} a after birth`)
        : unknown;
    return found(within(weeks, p.bounds), `${weeks} wk`);
  }
  if (patient.age === null) return unknown;
  return { truth: ageWithin(patient.age, p.bounds), got: `${patient.age.value} ${patient.age.unit}` };
}

function testGestation(
  p: Extract<Predicate, { type: 'gestation' }>,
  patient: Patient,
  k: Knowledge,
): Finding {
  const weeks = patient.gestation_weeks;
  if (weeks !== null) return found(within(weeks, p.bounds), `${weeks} wk`);
  const pregnant = testFact('pregnant', patient, k);
  return pregnant.truth === 'false' ? { truth: 'false', got: `not pregnant (${pregnant.got})` } : unknown;
}

/** Stated facts first, then what they imply, then age, sex and setting, then closed-world sentences. */
export function testFact(concept: string, patient: Patient, k: Knowledge): Finding {
  const stated = k.concepts.truth(concept, patient.facts);
  if (stated.truth !== 'unknown') return { truth: stated.truth, got: stated.because ?? '' };
  const e = entailed(concept, patient);
  if (e) return { truth: e.truth, got: e.because };
  const { kind } = k.concepts.get(concept);
  if (kind === 'condition' && patient.closed.includes('conditions') && !impliedByKidney(concept, patient))
    return { truth: 'false', got: 'no other illness' };
  if (kind === 'allergy' && patient.closed.includes('allergies'))
    return { truth: 'false', got: 'no allergies' };
  return unknown;
}

/** "No other illness" says nothing against a condition that the patient's own numbers suggest. */
const impliedByKidney = (concept: string, patient: Patient): boolean =>
  concept.includes('renal') &&
  (patient.ckd_stage !== null || Object.keys(patient.measures).some((m) => /CrCl|eGFR|creatinine/.test(m)));

function testTogether(drugs: readonly DrugRef[], n: number, c: Case, k: Knowledge): Finding {
  const others = c.patient.medications.filter((m) => m.drug !== c.candidate.drug);
  const truths = others.map((m) => any(drugs.map((ref) => isTarget(m, ref, k.drugs))));
  const open = c.patient.closed.includes('medications') ? [] : Array<Truth>(n).fill('unknown');
  const taken = others.filter((_, i) => truths[i] === 'true').map((m) => m.drug);
  return { truth: atLeast(n, [...truths, ...open]), got: taken.join(', ') || 'none of them stated' };
}

function testCount(drugs: readonly DrugRef[], n: number, c: Case, k: Knowledge): Finding {
  const names = [...new Set([c.candidate.drug, ...c.patient.medications.map((m) => m.drug)])];
  const truths = names.map((drug) => any(drugs.map((ref) => isNamed(drug, ref, k.drugs))));
  // The candidate must be one of them; other drugs alone make no rule about it.
  const own = truths[0]!;
  const open = c.patient.closed.includes('medications') ? [] : Array<Truth>(n).fill('unknown');
  const counted = names.filter((_, i) => truths[i] === 'true');
  return {
    truth: all([own, atLeast(n, [...truths, ...open])]),
    got: `${counted.length}: ${counted.join(', ')}`,
  };
}

/** A closed list of medicines also says that no other medicine was stopped lately: what was is stated. */
function testSince(p: Extract<Predicate, { type: 'since_last_dose' }>, c: Case, k: Knowledge): Finding {
  const days = DAYS as Readonly<Record<string, number>>;
  const now = [c.candidate, ...c.patient.medications].map((m) => ({ drug: m.drug, days: 0, words: 'now' }));
  const before = c.patient.stopped.map(({ drug, ago }) => ({
    drug,
    days: ago.value * days[ago.unit]!,
    words: `${ago.value} ${ago.unit} ago`,
  }));
  const taken = [...now, ...before].map((t) => ({
    words: `${t.drug} ${t.words}`,
    truth: all([
      any(p.drugs.map((ref) => isNamed(t.drug, ref, k.drugs))),
      truthOf(within(t.days / days[p.bounds.unit]!, p.bounds)),
    ]),
  }));
  const open: Truth[] = c.patient.closed.includes('medications') ? [] : ['unknown'];
  const inside = taken.filter((t) => t.truth === 'true').map((t) => t.words);
  return {
    truth: any([...taken.map((t) => t.truth), ...open]),
    got: inside.join(', ') || 'none of them stated',
  };
}

function testUse(p: Extract<Predicate, { type: 'use' }>, candidate: Use, k: Knowledge): Finding {
  const stated = candidate.facets[p.facet];
  if (stated === undefined) return unknown;
  const is =
    stated === p.value ||
    (p.facet === 'indication' &&
      k.concepts.has(stated) &&
      k.concepts.has(p.value) &&
      k.concepts.isA(stated, p.value));
  return found(is, `${p.facet} ${stated}`);
}

const wordRef = (r: DrugRef): string =>
  [r.name, ...r.minus.map((m) => `minus ${m}`), ...(r.form ? [r.form] : []), ...(r.routes ?? [])].join(' ');

/** A predicate in words. */
export function wordPredicate(p: Predicate): string {
  switch (p.type) {
    case 'age':
      return `${p.kind === 'postmenstrual' ? 'postmenstrual age' : 'age'} ${wordBounds(p.bounds)}`;
    case 'gestation':
      return `gestation ${wordBounds(p.bounds)}`;
    case 'sex':
      return p.sex;
    case 'measure':
      return `${p.measure} ${wordBounds(p.bounds)}`;
    case 'ckd_stage':
      return `CKD stage ${p.at_least} or higher`;
    case 'fact':
      return p.concept;
    case 'co_medication':
      return `together with ${p.at_least > 1 ? `${p.at_least} of ` : ''}${p.drugs.map(wordRef).join(' or ')}`;
    case 'drug_count':
      return `at least ${p.at_least} drugs of ${p.drugs.map(wordRef).join(', ')}`;
    case 'since_last_dose':
      return `last dose of ${p.drugs.map(wordRef).join(' or ')} ${wordBounds(p.bounds)} ago`;
    case 'use':
      return `${p.facet} ${p.value}`;
    case 'dose':
      return `dose ${wordBounds(p.bounds)}`;
    case 'duration':
      return `use for ${wordBounds(p.bounds)}`;
    case 'route':
      return `route ${p.any_of.join(' or ')}`;
    case 'form':
      return p.form;
  }
}
