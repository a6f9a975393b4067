/** What must agree in a patient although no rule asks it: illness and numbers of the kidneys, age and illness, pattern and duration. */
import type { Patient, Use } from '../../schemas/patient.js';
import type { Literal } from './literals.js';
import type { Kidneys } from './patient-numbers.js';
import { NoScenario } from './scenario-types.js';

/** On dialysis hardly any function is left (KDIGO 2012: stage 5 is under 15). */
const ON_DIALYSIS: Kidneys = [9, 12];
/** Impaired, and well above the 35 mL/min under which zoledronic acid is barred anyway. */
const IMPAIRED: Kidneys = [42, 48];

/** Clearances that go with what is said of the kidneys: a range, none where a stage is told, or null where nothing is said. */
export function kidneysOf(facts: Patient['facts'], stage: Patient['ckd_stage']): Kidneys {
  // A stage stands alone, so that it can change without a second number that would have to follow it.
  if (stage !== null) return 'untold';
  if (facts.dialysis) return ON_DIALYSIS;
  return facts.acute_renal_impairment || facts.renal_impairment ? IMPAIRED : null;
}

/** Illnesses that start in the second half of life, as a rule. */
const LATE: readonly string[] = [
  'atrial_fibrillation_nonvalvular',
  'atrial_fibrillation_permanent',
  'coronary_disease',
  'osteoporosis',
  'paget_disease',
  'peripheral_artery_disease',
];

/** Is such an illness wanted, as a fact or as what a drug is given for? */
export const isLate = (literals: readonly Literal[]): boolean =>
  literals.some(
    ({ predicate: p, want }) =>
      want &&
      ((p.type === 'fact' && LATE.includes(p.concept)) || (p.type === 'use' && LATE.includes(p.value))),
  );

const LONG: readonly string[] = ['chronic', 'suppressive', 'persistent_as_needed'];
const DAYS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, wk: 7, mo: 30, a: 365 };
/** Nobody calls a shorter course long-term. */
const LONG_FROM_DAYS = 28;
/** Dialysis starts at the latest under 15 mL/min, as a rule. */
const DIALYSIS_UNDER = 15;

/** Girls who are pregnant in a vignette are at least this old. */
const PREGNANT_FROM_YEARS = 16;

/** Cockcroft-Gault and CKD-EPI were made for adults. */
const ADULT_FROM_YEARS = 18;

/** Throws a NoScenario where a reader would see a contradiction. */
export function mustBePlausible(patient: Patient, use: Use): void {
  const { CrCl, eGFR } = patient.measures;
  if (patient.facts.dialysis && [CrCl, eGFR].some((m) => m !== undefined && m.value >= DIALYSIS_UNDER))
    throw new NoScenario('dialysis with kidneys that work');
  const { age } = patient;
  if ((CrCl || eGFR) && age && (age.unit !== 'a' || age.value < ADULT_FROM_YEARS))
    throw new NoScenario('kidneys of a child in the numbers of adults');
  if (patient.facts.pregnant && age && (age.unit !== 'a' || age.value < PREGNANT_FROM_YEARS))
    throw new NoScenario('too young to be pregnant');
  const { duration, facets } = use;
  if (
    duration &&
    LONG.includes(facets.pattern ?? '') &&
    duration.value * DAYS[duration.unit]! < LONG_FROM_DAYS
  )
    throw new NoScenario('long-term use for a few days');
}
