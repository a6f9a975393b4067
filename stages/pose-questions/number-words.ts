/** Measured values in words. */
import type { MEASURES } from '../../schemas/condition.js';
import type { Patient, Quantity } from '../../schemas/patient.js';
import { hasYears } from './people.js';
import type { Said, Telling } from './telling.js';

type Measure = (typeof MEASURES)[number];

const UNIT_TEXT: Readonly<Record<string, string>> = {
  'mL/min/{1.73_m2}': 'mL/min/1.73 m2',
  'umol/L': 'micromol/L',
};
const amount = (q: Quantity): string => `${q.value} ${UNIT_TEXT[q.unit] ?? q.unit}`;

/** In the order in which they are told; `#` is the value. */
const WORDS: Readonly<Record<Measure, readonly string[]>> = {
  weight: ['{She} weighs #.', '{Her} body weight is #.'],
  birth_weight: ['{Her} birth weight was #.', '{She} weighed # at birth.'],
  serum_creatinine: ['{Her} serum creatinine is #.', 'Serum creatinine is #.'],
  CrCl: [
    '{Her} creatinine clearance (Cockcroft-Gault) is #.',
    '{Her} estimated creatinine clearance is #.',
    'Creatinine clearance is estimated at #.',
  ],
  CrCl_per_area: [
    '{Her} creatinine clearance, adjusted to body surface area, is #.',
    'Creatinine clearance adjusted to body surface area is #.',
  ],
  eGFR: ['{Her} eGFR is #.', 'The laboratory reports an eGFR of #.'],
  QT: ['The ECG shows a QT interval of #.', 'On the ECG the QT interval is #.'],
  QTc: ['The ECG shows a QTc interval of #.', 'On the ECG the QTc interval is #.'],
  bilirubin: ['Serum bilirubin is #.', '{Her} serum bilirubin is #.'],
  potassium: ['Serum potassium is #.', '{Her} serum potassium is #.'],
};
const ORDER = Object.keys(WORDS) as Measure[];

/** One sentence a value; clearance and eGFR, where both are known, stand in one. */
export function numbers(t: Telling): Said[] {
  const { measures } = t.spec.patient;
  const both = measures.CrCl && measures.eGFR ? [kidneys(t)] : [];
  const others = ORDER.filter((m) => measures[m] && !(both.length > 0 && (m === 'CrCl' || m === 'eGFR'))).map(
    (m) => ({
      sentence: t.pick(m, WORDS[m]).replace('#', amount(measures[m]!)),
      facts: [`measures/${m}`],
    }),
  );
  return [...others, ...both];
}

const KIDNEYS = [
  '{Her} creatinine clearance is # and {her} eGFR is @.',
  'Laboratory tests give a creatinine clearance of # and an eGFR of @.',
  'The latest blood tests show a creatinine clearance of # and an eGFR of @.',
];
/** A clearance of 90 is remarked upon in the old: from 75 on most have less (Lindeman 1985). */
const PRESERVED = [
  '{Her} kidney function is well preserved for {her} age, with a creatinine clearance of # and an eGFR of @.',
  'Kidney function is well preserved for {her} age: creatinine clearance is # and eGFR is @.',
];

function kidneys(t: Telling): Said {
  const { CrCl, eGFR } = t.spec.patient.measures;
  const words = t.every((m) => isPreserved(m.patient)) ? PRESERVED : KIDNEYS;
  return {
    sentence: t.pick('kidneys', words).replace('#', amount(CrCl!)).replace('@', amount(eGFR!)),
    facts: ['measures/CrCl', 'measures/eGFR'],
  };
}

const isPreserved = (p: Patient): boolean =>
  p.ckd_stage === null &&
  hasYears(p, 75) &&
  (p.measures.CrCl?.value ?? 0) >= 80 &&
  (p.measures.eGFR?.value ?? 0) >= 80;

/** A value that a reader takes for an illness although none is named. */
export const isNotable = ({ measures: m }: Patient): boolean =>
  [m.CrCl, m.eGFR, m.CrCl_per_area].some((q) => q !== undefined && q.value < 60) ||
  [m.serum_creatinine, m.QT, m.QTc, m.bilirubin, m.potassium].some((q) => q !== undefined);
