/** What is known of a patient's numbers: stated, converted within a quantity, or computed from creatinine. */
import type { MEASURES, Unit } from '../../../schemas/condition.js';
import type { Patient } from '../../../schemas/patient.js';
import { years } from './age.js';
import { ckdEpi2021, ckdStage, cockcroftGault } from './kidney.js';

type Measure = (typeof MEASURES)[number];

export interface Measured {
  readonly value: number;
  readonly words: string;
  readonly stage: ReturnType<typeof ckdStage> | null;
}

/** 113.12 g/mol: 1 mg/dL of creatinine is 88.4 umol/L. */
const UMOL_PER_MG_DL = 88.4;
const SAME: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'mg/dL': { 'umol/L': UMOL_PER_MG_DL },
  'umol/L': { 'mg/dL': 1 / UMOL_PER_MG_DL },
  kg: { g: 1000 },
  g: { kg: 0.001 },
};

/** The patient's value of a measure in a unit; null when it is not known. Clearance and eGFR never stand for each other. */
export function measured(measure: Measure, unit: Unit, patient: Patient): Measured | null {
  const stated = patient.measures[measure];
  if (stated) {
    const factor = stated.unit === unit ? 1 : SAME[stated.unit]?.[unit];
    if (factor === undefined) return null;
    const value = stated.value * factor;
    return {
      value,
      words: `${stated.value} ${stated.unit}`,
      stage: measure === 'eGFR' ? ckdStage(value) : null,
    };
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

function kidney(patient: Patient): Kidney | null {
  const creatinine =
    patient.measures.serum_creatinine && measured('serum_creatinine', 'mg/dL', patient)?.value;
  const { age, sex } = patient;
  if (creatinine === undefined || age === null || sex === null) return null;
  const [whole] = years(age);
  return age.unit === 'a' && whole >= 18 ? { age: age.value, sex, creatinine } : null;
}

function clearance(patient: Patient): Measured | null {
  const k = kidney(patient);
  const weight = measured('weight', 'kg', patient);
  if (!k || !weight) return null;
  const value = cockcroftGault({ ...k, weight: weight.value });
  return { value, words: `${value.toFixed(1)} mL/min by Cockcroft-Gault`, stage: null };
}

function filtration(patient: Patient): Measured | null {
  const k = kidney(patient);
  if (!k) return null;
  const value = ckdEpi2021(k);
  return { value, words: `${value.toFixed(1)} mL/min/1.73 m2 by CKD-EPI 2021`, stage: ckdStage(value) };
}
