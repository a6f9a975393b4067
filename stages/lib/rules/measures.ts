/** What is known of a patient's numbers: stated, converted within a quantity, or computed from creatinine. */
import type { MEASURES, Unit } from '../../../schemas/condition.js';
import type { Patient, Quantity } from '../../../schemas/patient.js';
import { ckdEpi2021, ckdStage, cockcroftGault } from './kidney.js';

type Measure = (typeof MEASURES)[number];

export interface Measured {
  readonly value: number;
  readonly words: string;
}

/** How many of the second unit make one of the first. */
type Factors = Readonly<Record<string, number>>;
const MASS: Factors = { 'kg g': 1000 };
/** Amount and mass of a substance: 10 000 over its molar mass in g/mol (creatinine 113.12, bilirubin 584.66). */
const CONVERSIONS: Readonly<Partial<Record<Measure, Factors>>> = {
  weight: MASS,
  birth_weight: MASS,
  serum_creatinine: { 'mg/dL umol/L': 88.4 },
  bilirubin: { 'mg/dL umol/L': 17.104 },
};
/** Daily and single doses, for `convert`. */
export const DOSES: Factors = { 'g/d mg/d': 1000, 'mg/d ug/d': 1000, 'g/d ug/d': 1e6, 'g mg': 1000 };

/** A quantity in another unit of the same kind; null where the units do not compare. 12 digits, so that 132.6 is 1.5. */
export function convert(q: Quantity, unit: Unit, factors: Factors): number | null {
  if (q.unit === unit) return q.value;
  const times = factors[`${q.unit} ${unit}`];
  const over = factors[`${unit} ${q.unit}`];
  if (times === undefined && over === undefined) return null;
  return Number((times === undefined ? q.value / over! : q.value * times).toPrecision(12));
}

/** The patient's value of a measure in a unit; null when it is not known. Clearance and eGFR never stand for each other. */
export function measured(measure: Measure, unit: Unit, patient: Patient): Measured | null {
  const stated = patient.measures[measure];
  if (stated) {
    const value = convert(stated, unit, CONVERSIONS[measure] ?? {});
    return value === null ? null : { value, words: `${stated.value} ${stated.unit}` };
  }
  if (measure === 'CrCl' && unit === 'mL/min') return clearance(patient);
  if (measure === 'eGFR' && unit === 'mL/min/{1.73_m2}') return filtration(patient);
  return null;
}

interface Kidney {
  readonly age: number;
  readonly sex: 'female' | 'male';
  readonly creatinine: number;
}

/** What both formulas need, of an adult; they were not made for children. */
function kidney(patient: Patient): Kidney | null {
  const creatinine = patient.measures.serum_creatinine && measured('serum_creatinine', 'mg/dL', patient);
  const { age, sex } = patient;
  if (!creatinine || age === null || sex === null || age.unit !== 'a' || age.value < 18) return null;
  if (creatinine.value <= 0) return null;
  return { age: age.value, sex, creatinine: creatinine.value };
}

/** Creatinine clearance where the weight is known too. */
export function clearance(patient: Patient): Measured | null {
  const k = kidney(patient);
  const weight = measured('weight', 'kg', patient);
  if (!k || !weight) return null;
  const value = cockcroftGault({ ...k, weight: weight.value });
  return { value, words: `${value.toFixed(1)} mL/min by Cockcroft-Gault` };
}

/** Estimated filtration rate. */
export function filtration(patient: Patient): Measured | null {
  const k = kidney(patient);
  if (!k) return null;
  const value = ckdEpi2021(k);
  return { value, words: `${value.toFixed(1)} mL/min/1.73 m2 by CKD-EPI 2021` };
}

/** CKD stage that is stated, or that the eGFR gives; null when neither is known. */
export function stageOf(patient: Patient): ReturnType<typeof ckdStage> | null {
  if (patient.ckd_stage !== null) return patient.ckd_stage;
  const egfr = measured('eGFR', 'mL/min/{1.73_m2}', patient);
  return egfr && ckdStage(egfr.value);
}
