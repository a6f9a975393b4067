/** Units: words of the sources to UCUM codes, and conversions that are needed to compare a number with a bound. */
import { UcumLhcUtils } from '@lhncbc/ucum-lhc';

/** Printed unit words and their UCUM codes; null for counts and stages, which have no unit. */
const WORDS: ReadonlyMap<string, string | null> = new Map([
  ...words('a', 'years', 'year', 'yr', 'y'),
  ...words('mo', 'months', 'month'),
  ...words('wk', 'weeks', 'week'),
  ...words('d', 'days', 'day'),
  ...words('h', 'hours', 'hour'),
  ...words('mL/min', 'mL/min'),
  ...words('mL/min/{1.73_m2}', 'mL/min/1.73 m2', 'mL/min/1.73m2', 'mL/min per 1.73 m2', 'mL/min/1.73 m²'),
  ...words('mg/dL', 'mg/dL'),
  ...words('umol/L', 'micromol/L', 'umol/L', 'µmol/L', 'μmol/L'),
  ...words('mmol/L', 'mmol/L'),
  ...words('meq/L', 'mEq/L'),
  ...words('mg', 'mg'),
  ...words('g', 'g', 'g birth weight'),
  ...words('kg', 'kg'),
  ...words('mg/d', 'mg/day', 'mg daily', 'mg a day'),
  ...words('ug/d', 'mcg/day', 'microg/day', 'ug/day'),
  ...words('g/d', 'g/day'),
  ...words('ms', 'ms', 'msec', 'milliseconds'),
  ...words('cm', 'cm'),
  ...words('kg/m2', 'kg/m2', 'kg/m²'),
  ...words(null, 'stage', 'drugs', 'features'),
]);

function words(code: string | null, ...printed: string[]): [string, string | null][] {
  return printed.map((word) => [word.toLowerCase(), code]);
}

/** What mass and charge a substance has, for conversions between mass, amount and equivalents. */
const SUBSTANCES = {
  /** C4H7N3O, 113.12 g/mol (PubChem CID 588): 1 mg/dL is 88.4 umol/L. */
  creatinine: { molecularWeight: 113.12 },
  /** C33H36N4O6, 584.7 g/mol (PubChem CID 5280352): 1 mg/dL is 17.1 umol/L. */
  bilirubin: { molecularWeight: 584.7 },
  /** K+, one charge: 1 mEq/L is 1 mmol/L. */
  potassium: { charge: 1 },
} as const;
export type Substance = keyof typeof SUBSTANCES;

/** A conversion that must not be made. */
export interface UnitRefusal {
  readonly reason: 'unknown_unit' | 'per_area_and_not' | 'other_quantity' | 'no_unit';
  readonly got: string;
  readonly expected: string;
}

/**
 * The UCUM code of a unit as printed (case and blanks do not matter; `m2` and `m²` are one). Null for counts and stages,
 * undefined for an unknown word, which the caller rejects.
 */
export function unitCode(printed: string): string | null | undefined {
  return WORDS.get(printed.trim().replace(/\s+/g, ' ').toLowerCase());
}

/** True for a code that UCUM knows. */
export function isUcumCode(code: string): boolean {
  return UcumLhcUtils.getInstance().validateUnitString(code).status === 'valid';
}

/** Digits that a converted number keeps: what UCUM loses in the 16th must not move a value over an edge. */
const DIGITS = 12;

/**
 * A value in another unit, only to compare it with a bound in that unit; values and bounds are stored as printed. A year is
 * 365.25 days and a month its twelfth (UCUM `a`, `mo`), so 24 months are 2 years, and days never make an exact month.
 *
 * UCUM ignores what stands in braces, so it would turn mL/min into mL/min/{1.73_m2}: a clearance and one per body surface
 * are different numbers of one patient, and such a conversion is refused here.
 */
export function convert(
  value: number,
  from: string | null,
  to: string | null,
  substance?: Substance,
): number | UnitRefusal {
  const [got, expected] = [from ?? 'no unit', to ?? 'no unit'];
  if (from === to) return value;
  if (from === null || to === null) return { reason: 'no_unit', got, expected };
  const unknown = [from, to].find((code) => !isUcumCode(code));
  if (unknown !== undefined) return { reason: 'unknown_unit', got: unknown, expected: 'a UCUM code' };
  if (annotations(from) !== annotations(to)) return { reason: 'per_area_and_not', got, expected };
  const options = substance ? SUBSTANCES[substance] : {};
  const { toVal } = UcumLhcUtils.getInstance().convertUnitTo(from, value, to, options);
  if (toVal === null) return { reason: 'other_quantity', got, expected };
  return Number(toVal.toPrecision(DIGITS));
}

const annotations = (code: string): string => (code.match(/\{[^}]*\}/g) ?? []).join('');
