/** Single predicates against a patient and a candidate. */
import { CKD_STAGES, type Predicate } from '../../../schemas/condition.js';
import type { Patient } from '../../../schemas/patient.js';
import { within } from './bounds.js';
import type { Case, Finding } from './evaluate.js';
import { testFact } from './facts.js';
import type { Knowledge } from './knowledge.js';
import { measured, stageOf } from './measures.js';
import { doseWithin } from './target.js';
import { spanIn, spanWithin, timeWithin } from './time.js';
import { testCount, testSince, testTogether } from './together.js';
import { truthOf } from './truth.js';

type Of<T extends Predicate['type']> = Extract<Predicate, { type: T }>;

const UNKNOWN: Finding = { truth: 'unknown', got: 'not stated' };
const found = (b: boolean | null, got: string): Finding => ({ truth: truthOf(b), got });

/** Tests a predicate. */
export function test(p: Predicate, c: Case, k: Knowledge): Finding {
  const { patient, candidate } = c;
  switch (p.type) {
    case 'age':
      return p.kind === 'postmenstrual' ? testPostmenstrual(p, patient) : testAge(p, patient);
    case 'gestation':
      return testGestation(p, c, k);
    case 'sex':
      return patient.sex === null ? UNKNOWN : found(patient.sex === p.sex, patient.sex);
    case 'measure':
      return testMeasure(p, patient);
    case 'ckd_stage':
      return testStage(p, c, k);
    case 'fact':
      return testFact(p.concept, c, k);
    case 'co_medication':
      return testTogether(p, c, k);
    case 'drug_count':
      return testCount(p, c, k);
    case 'since_last_dose':
      return testSince(p, c, k);
    case 'use':
      return testUse(p, c, k);
    case 'dose':
      return testDose(p, c);
    case 'duration':
      return testDuration(p, c);
    case 'route':
      return candidate.route === null ? UNKNOWN : found(p.any_of.includes(candidate.route), candidate.route);
    case 'form':
      return candidate.form === null ? UNKNOWN : found(candidate.form === p.form, candidate.form);
  }
}

function testAge(p: Of<'age'>, { age }: Patient): Finding {
  return age === null ? UNKNOWN : { truth: timeWithin(age, p.bounds), got: `${age.value} ${age.unit}` };
}

/** Weeks of gestation with which a living child is born. */
const BORN_AFTER = { earliest: 22, latest: 44 } as const;

/** Postmenstrual age; where only the age since birth is known, from the earliest to the latest birth. */
function testPostmenstrual(p: Of<'age'>, patient: Patient): Finding {
  const { postmenstrual_weeks: weeks, age } = patient;
  if (weeks !== null)
    return { truth: timeWithin({ value: weeks, unit: 'wk' }, p.bounds), got: `${weeks} wk` };
  if (age === null) return UNKNOWN;
  const [from, to] = spanIn(age, p.bounds.unit);
  const [early] = spanIn({ value: BORN_AFTER.earliest, unit: 'wk' }, p.bounds.unit);
  const [late] = spanIn({ value: BORN_AFTER.latest, unit: 'wk' }, p.bounds.unit);
  return {
    truth: spanWithin([from + early, to + late], p.bounds),
    got: `${age.value} ${age.unit} after birth`,
  };
}

function testGestation(p: Of<'gestation'>, c: Case, k: Knowledge): Finding {
  const weeks = c.patient.gestation_weeks;
  if (weeks !== null)
    return { truth: timeWithin({ value: weeks, unit: 'wk' }, p.bounds), got: `${weeks} wk` };
  const pregnant = testFact('pregnant', c, k);
  return pregnant.truth === 'false' ? { truth: 'false', got: `not pregnant (${pregnant.got})` } : UNKNOWN;
}

function testMeasure(p: Of<'measure'>, patient: Patient): Finding {
  const m = measured(p.measure, p.bounds.unit, patient);
  return m === null ? testUnimpaired(p, patient) : found(within(m.value, p.bounds), m.words);
}

/** Under 60 mL/min kidneys are impaired (entailments.ts), so clearance and eGFR of kidneys that are said not to be are not under it. */
const UNIMPAIRED_FROM = 60;

function testUnimpaired({ measure, bounds }: Of<'measure'>, patient: Patient): Finding {
  const is_kidney = measure === 'CrCl' || measure === 'eGFR';
  if (!is_kidney || patient.facts.renal_impairment !== false) return UNKNOWN;
  const { low, high, low_inclusive, high_inclusive } = bounds;
  const got = 'no renal impairment';
  if (high !== null && (high < UNIMPAIRED_FROM || (high === UNIMPAIRED_FROM && !high_inclusive)))
    return { truth: 'false', got };
  const is_above = low !== null && (low < UNIMPAIRED_FROM || (low === UNIMPAIRED_FROM && low_inclusive));
  return high === null && is_above ? { truth: 'true', got } : UNKNOWN;
}

/** A stage that is stated or follows from the eGFR; without either, a patient without CKD has none. */
function testStage(p: Of<'ckd_stage'>, c: Case, k: Knowledge): Finding {
  const stage = stageOf(c.patient);
  if (stage !== null)
    return found(CKD_STAGES.indexOf(stage) >= CKD_STAGES.indexOf(p.at_least), `stage ${stage}`);
  const { truth, got } = testFact('chronic_kidney_disease', c, k);
  return truth === 'false' ? { truth, got: `no chronic kidney disease (${got})` } : UNKNOWN;
}

/**
 * A facet of the candidate's use. Values of a facet exclude each other, but indications are concepts: a kind of the one
 * asked for is it, and a wider or overlapping one may be it.
 */
function testUse(p: Of<'use'>, c: Case, k: Knowledge): Finding {
  const stated = c.candidate.facets[p.facet];
  if (stated === undefined) return UNKNOWN;
  const got = `${p.facet} ${stated}`;
  const areConcepts = p.facet === 'indication' && k.concepts.has(stated) && k.concepts.has(p.value);
  if (stated === p.value || !areConcepts) return found(stated === p.value, got);
  if (k.concepts.isA(stated, p.value)) return { truth: 'true', got };
  if (k.concepts.isA(p.value, stated)) return { ...testFact(p.value, c, k), got };
  return { truth: k.concepts.mayOverlap(stated, p.value) ? 'unknown' : 'false', got };
}

function testDose(p: Of<'dose'>, { candidate: { dose } }: Case): Finding {
  return dose === null ? UNKNOWN : found(doseWithin(dose, p.bounds), `${dose.value} ${dose.unit}`);
}

function testDuration(p: Of<'duration'>, { candidate: { duration } }: Case): Finding {
  if (duration === null) return UNKNOWN;
  return { truth: timeWithin(duration, p.bounds), got: `${duration.value} ${duration.unit}` };
}
