/** Quantities and units as tables print them, and the predicate each pair stands for. */
import type { Bounds, MEASURES, Predicate, Unit } from '../../../schemas/condition.js';

/** A printed quantity in a printed unit. */
export interface Quantity {
  readonly unit: Unit;
  readonly printed_unit: string;
  /** Quantities of a family are written in one unit within a threshold; null where units may change (time). */
  readonly family: string | null;
  readonly condition: (bounds: Bounds) => Predicate;
}

type Make = Quantity['condition'];
const measure =
  (name: (typeof MEASURES)[number]): Make =>
  (bounds) => ({ type: 'measure', measure: name, bounds });
const age: Make = (bounds) => ({ type: 'age', kind: 'chronological', bounds });
const postmenstrual: Make = (bounds) => ({ type: 'age', kind: 'postmenstrual', bounds });
const gestation: Make = (bounds) => ({ type: 'gestation', bounds });
const dose: Make = (bounds) => ({ type: 'dose', bounds });
const duration: Make = (bounds) => ({ type: 'duration', bounds });

const CLEARANCE = 'mL/min';
const PER_AREA = 'mL/min/1.73 m2';
type Row = readonly [words: string, printed_unit: string, unit: Unit, family: string | null, make: Make];

/**
 * Clearance is CrCl in mL/min; scaled to body surface it is another quantity, and eGFR a third. A label that says "GFR"
 * in mL/min (duloxetine) means kidney function not scaled to body surface, which is what a creatinine clearance
 * estimates; so it is read as CrCl, and "GFR" in mL/min/1.73 m2 as eGFR.
 */
const ROWS: readonly Row[] = [
  ['CrCl', CLEARANCE, 'mL/min', 'kidney function', measure('CrCl')],
  ['CrCl', PER_AREA, 'mL/min/{1.73_m2}', 'kidney function', measure('CrCl_per_area')],
  ['GFR', CLEARANCE, 'mL/min', 'kidney function', measure('CrCl')],
  ['GFR', PER_AREA, 'mL/min/{1.73_m2}', 'kidney function', measure('eGFR')],
  ['eGFR', PER_AREA, 'mL/min/{1.73_m2}', 'kidney function', measure('eGFR')],
  ['serum creatinine', 'mg/dL', 'mg/dL', 'serum creatinine', measure('serum_creatinine')],
  ['serum creatinine', 'umol/L', 'umol/L', 'serum creatinine', measure('serum_creatinine')],
  // 1 mEq of a monovalent ion is 1 mmol.
  ['serum potassium', 'mEq/L', 'mmol/L', 'serum potassium', measure('potassium')],
  ['serum potassium', 'mmol/L', 'mmol/L', 'serum potassium', measure('potassium')],
  ['body weight', 'kg', 'kg', 'body weight', measure('weight')],
  ['QT', 'ms', 'ms', 'QT', measure('QT')],
  ['QTc', 'ms', 'ms', 'QTc', measure('QTc')],
  // A dose without "a day" is a single dose.
  ['current dose', 'mg twice daily', 'mg', 'dose', dose],
  ['dose', 'mg twice daily', 'mg', 'dose', dose],
  ['dose', 'mg/day', 'mg/d', 'dose', dose],
  ['daily dose', 'mg', 'mg/d', 'dose', dose],
  ...times('age', { year: 'a', month: 'mo', week: 'wk', day: 'd' }, age),
  ...times('gestational age', { week: 'wk' }, gestation),
  ...times('postmenstrual age', { week: 'wk' }, postmenstrual),
  ...times('duration', { month: 'mo', week: 'wk', day: 'd' }, duration),
];

function times(words: string, units: Readonly<Record<string, Unit>>, make: Make): Row[] {
  return Object.entries(units).flatMap(([name, unit]): Row[] => [
    [words, name, unit, null, make],
    [words, `${name}s`, unit, null, make],
  ]);
}

const escaped = (s: string): string => s.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
/** Longest first, so that `mL/min/1.73 m2` is not read as `mL/min`. */
const either = (words: readonly string[]): string =>
  [...new Set(words)]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(escaped)
    .join('|');

export const QUANTITY_WORDS = either(ROWS.map(([words]) => words));
export const UNIT_WORDS = either(ROWS.map(([, unit]) => unit));

/** The quantity of a pair; `other unit` for a unit of the same family, null for a unit of something else. */
export function findQuantity(words: string, printed_unit: string): Quantity | 'other unit' | null {
  const row = ROWS.find((r) => r[0] === words && r[1] === printed_unit);
  if (row) return { printed_unit, unit: row[2], family: row[3], condition: row[4] };
  const family = ROWS.find((r) => r[0] === words)?.[3];
  return ROWS.some((r) => r[3] !== null && r[3] === family && r[1] === printed_unit) ? 'other unit' : null;
}
