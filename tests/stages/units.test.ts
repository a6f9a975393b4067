/** Units of the sources and the conversions that comparisons need. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNITS, type Unit } from '../../schemas/condition.js';
import { Patient } from '../../schemas/patient.js';
import { DOSES, convert as engineConvert, measured } from '../../stages/lib/rules/measures.js';
import { spanIn } from '../../stages/lib/rules/time.js';
import { convert, isUcumCode, type Substance, unitCode } from '../../stages/lib/units.js';
import { guidelineRows } from '../support/guidelines.js';

describe('units', () => {
  it.each([
    ['years', 'a'],
    ['Months', 'mo'],
    ['weeks', 'wk'],
    ['days', 'd'],
    ['mL/min', 'mL/min'],
    ['mL/min/1.73 m2', 'mL/min/{1.73_m2}'],
    ['mL/min/1.73 m²', 'mL/min/{1.73_m2}'],
    ['mg/dL', 'mg/dL'],
    ['micromol/L', 'umol/L'],
    ['µmol/L', 'umol/L'],
    ['mg/day', 'mg/d'],
    ['g birth weight', 'g'],
    ['ms', 'ms'],
    ['kg', 'kg'],
    ['stage', null],
    ['drugs', null],
    ['mL/min (no number printed)', undefined],
    ['mL', undefined],
    ['', undefined],
  ])('%s is %s', (printed, code) => {
    expect(unitCode(printed)).toBe(code);
    if (code) expect(isUcumCode(code)).toBe(true);
  });

  it('has codes that UCUM knows, in the schema of conditions too', () => {
    for (const code of UNITS) expect([code, isUcumCode(code)]).toEqual([code, true]);
    expect(isUcumCode('years')).toBe(false);
  });

  it('reads every unit column of the tables, but for the two remarks that a parser must read', () => {
    const odd = new Set<string>();
    const cells = [
      ...guidelineRows('beers2023').map((r) => r.threshold_unit),
      ...guidelineRows('kids2025').map((r) => r.age_unit),
      ...guidelineRows('kids2020-superseded').map((r) => r.age_unit),
    ];
    for (const cell of cells) if (cell && unitCode(cell) === undefined) odd.add(cell);
    expect([...odd].sort()).toEqual(['mL/min (eGFR; unit as printed)', 'mL/min (no number printed)']);
  });
});

const known: readonly [number, string, string, number, Substance?][] = [
  [133, 'umol/L', 'mg/dL', 1.504496, 'creatinine'],
  [1.5, 'mg/dL', 'umol/L', 132.602545969, 'creatinine'],
  [1, 'mg/dL', 'umol/L', 17.1027877544, 'bilirubin'],
  [5.5, 'meq/L', 'mmol/L', 5.5, 'potassium'],
  [24, 'mo', 'a', 2],
  [18, 'mo', 'a', 1.5],
  [1, 'a', 'd', 365.25],
  [28, 'd', 'wk', 4],
  [1500, 'g', 'kg', 1.5],
  [125, 'ug/d', 'mg/d', 0.125],
  [0.3, 'g/d', 'mg/d', 300],
  [500, 'ms', 'ms', 500],
];

describe('conversion', () => {
  it.each(known)('%d %s in %s', (value, from, to, expected, substance) => {
    expect(convert(value, from, to, substance)).toBeCloseTo(expected, 9);
  });

  it('agrees with clinical practice: 1 mg/dL of creatinine is 88.4 umol/L, of bilirubin 17.1', () => {
    expect(convert(1, 'mg/dL', 'umol/L', 'creatinine')).toBeCloseTo(88.4, 1);
    expect(convert(1, 'mg/dL', 'umol/L', 'bilirubin')).toBeCloseTo(17.1, 1);
  });

  it('refuses clearance for clearance per body surface, both ways, which UCUM itself would do', () => {
    const area = 'mL/min/{1.73_m2}';
    expect(convert(30, 'mL/min', area)).toMatchObject({ reason: 'per_area_and_not' });
    expect(convert(30, area, 'mL/min')).toMatchObject({ reason: 'per_area_and_not' });
    expect(convert(30, area, area)).toBe(30);
  });

  it.each([
    [1, 'mg/d', 'mg', 'other_quantity'],
    [1, 'mL/min', 'mg/dL', 'other_quantity'],
    [1, 'mg/dL', 'umol/L', 'other_quantity'],
    [1, 'years', 'a', 'unknown_unit'],
    [3, null, 'a', 'no_unit'],
    [3, 'a', null, 'no_unit'],
  ] as const)('refuses %d %s in %s: %s', (value, from, to, reason) => {
    expect(convert(value, from, to)).toMatchObject({ reason });
  });

  it('keeps counts and stages as they are', () => {
    expect(convert(3, null, null)).toBe(3);
  });

  it('goes there and back, keeps order, and moves no printed number off an edge', () => {
    const pair = fc.constantFrom(...known.map(([, from, to, , substance]) => [from, to, substance] as const));
    const printed = fc.integer({ min: 1, max: 400_000 }).map((n) => n / 1000);
    fc.assert(
      fc.property(pair, printed, printed, ([from, to, substance], a, b) => {
        const there = (v: number): number => convert(v, from, to, substance) as number;
        const back = convert(there(a), to, from, substance) as number;
        expect(Number(back.toPrecision(9))).toBe(Number(a.toPrecision(9)));
        if (a < b) expect(there(a)).toBeLessThanOrEqual(there(b));
      }),
    );
  });

  it('gives twelfths of a year exactly for whole years', () => {
    for (let y = 0; y <= 120; y++) expect(convert(12 * y, 'mo', 'a')).toBe(y);
  });
});

/** The rule engine multiplies by constants of its own; UCUM is what they are held against. */
describe('the constants of the rule engine', () => {
  it('are those of UCUM for doses and times, to the last digit', () => {
    for (const key of Object.keys(DOSES)) {
      const [from, to] = key.split(' ') as [Unit, Unit];
      expect([key, engineConvert({ value: 1, unit: from }, to, DOSES)]).toEqual([key, convert(1, from, to)]);
    }
    const times: Unit[] = ['a', 'mo', 'wk', 'd', 'h'];
    for (const from of times)
      for (const to of times)
        expect(Number(spanIn({ value: 1, unit: from }, to)[0].toPrecision(12))).toBe(convert(1, from, to));
  });

  it('are those of UCUM to four digits for creatinine and bilirubin, and to the last for weights', () => {
    const own = (measure: 'serum_creatinine' | 'bilirubin' | 'weight', value: number, from: Unit, to: Unit) =>
      measured(
        measure,
        to,
        Patient.parse({ age: null, sex: null, measures: { [measure]: { value, unit: from } } }),
      )!.value;
    expect(own('weight', 1500, 'g', 'kg')).toBe(convert(1500, 'g', 'kg'));
    for (const [measure, substance] of [
      ['serum_creatinine', 'creatinine'],
      ['bilirubin', 'bilirubin'],
    ] as const) {
      const ucum = convert(1, 'mg/dL', 'umol/L', substance) as number;
      expect(Math.abs(own(measure, 1, 'mg/dL', 'umol/L') / ucum - 1)).toBeLessThan(1e-4);
    }
  });

  it('give no value across clearance and clearance per body surface, like the conversion here', () => {
    const patient = Patient.parse({
      age: null,
      sex: null,
      measures: { CrCl: { value: 30, unit: 'mL/min' }, eGFR: { value: 30, unit: 'mL/min/{1.73_m2}' } },
    });
    expect(measured('CrCl', 'mL/min/{1.73_m2}', patient)).toBeNull();
    expect(measured('eGFR', 'mL/min', patient)).toBeNull();
  });
});
