/** Measured values with their units, and stages. */
import type { Unit } from '../../../schemas/condition.js';
import type { Found } from './sentences.js';

const UNITS: Readonly<Record<string, Unit>> = {
  'ml/min/1.73 m2': 'mL/min/{1.73_m2}',
  'ml/min': 'mL/min',
  'mg/dl': 'mg/dL',
  'micromol/l': 'umol/L',
  'mmol/l': 'mmol/L',
  kg: 'kg',
  g: 'g',
  ms: 'ms',
};
const Q = `(\\d+(?:\\.\\d+)?) (${Object.keys(UNITS)
  .map((u) => u.replaceAll('.', '\\.'))
  .join('|')})`;

/** One value: the measure, and how its sentence may run. */
const SINGLE: readonly (readonly [string, string])[] = [
  ['weight', `(?:@ weighs|@r body weight is) ${Q}`],
  ['birth_weight', `@r birth weight was ${Q}`],
  ['birth_weight', `@ weighed ${Q} at birth`],
  ['serum_creatinine', `(?:@r )?serum creatinine is ${Q}`],
  ['CrCl_per_area', `(?:@r )?creatinine clearance,? adjusted to body surface area,? is ${Q}`],
  [
    'CrCl',
    `(?:@r )?(?:estimated )?creatinine clearance(?: \\(cockcroft-gault\\))? is (?:estimated at )?${Q}`,
  ],
  ['eGFR', `(?:@r egfr is|the laboratory reports an egfr of) ${Q}`],
  ['QT', `(?:the ecg shows a qt interval of|on the ecg the qt interval is) ${Q}`],
  ['QTc', `(?:the ecg shows a qtc interval of|on the ecg the qtc interval is) ${Q}`],
  ['bilirubin', `(?:@r )?serum bilirubin is ${Q}`],
  ['potassium', `(?:@r )?serum potassium is ${Q}`],
];

const PRESERVED = '(?:@r )?kidney function is well preserved for @r age(?:: |, with a )';
const KIDNEYS = new RegExp(
  `^(?:@r |laboratory tests give a |the latest blood tests show a |${PRESERVED})creatinine clearance (?:is|of) ${Q} and (?:@r |an )?egfr (?:is|of) ${Q}$`,
);

const quantity = (value: string, unit: string): object => ({ value: Number(value), unit: UNITS[unit] });

/** Reads a value, clearance and eGFR together, or a stage. */
export function readNumbers(plain: string): Found[] | null {
  const both = KIDNEYS.exec(plain);
  if (both) {
    return [
      ['measures/CrCl', quantity(both[1]!, both[2]!)],
      ['measures/eGFR', quantity(both[3]!, both[4]!)],
    ];
  }
  for (const [measure, pattern] of SINGLE) {
    const m = new RegExp(`^${pattern}$`).exec(plain);
    if (m) return [[`measures/${measure}`, quantity(m[1]!, m[2]!)]];
  }
  const stage = /^@ has chronic kidney disease stage (1|2|3a|3b|4|5)$/.exec(plain);
  return stage ? [['ckd_stage', stage[1]]] : null;
}
