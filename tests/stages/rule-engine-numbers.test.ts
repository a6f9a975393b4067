import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bounds } from '../../schemas/condition.js';
import { within } from '../../stages/lib/rules/bounds.js';
import { ckdEpi2021, ckdStage, cockcroftGault } from '../../stages/lib/rules/kidney.js';
import { convert, DOSES, measured } from '../../stages/lib/rules/measures.js';
import { spanWithin, timeWithin } from '../../stages/lib/rules/time.js';
import { anyBounds, patient, truth, use, years } from './rule-engine.support.js';

const crcl = (value: number) => patient({ measures: { CrCl: { value, unit: 'mL/min' } } });
const creatinine = (value: number, unit = 'mg/dL') => ({ serum_creatinine: { value, unit } });
const kg = (value: number) => ({ weight: { value, unit: 'kg' } });

describe('bounds', () => {
  it.each([
    ['CrCl < 30 mL/min', 30, 'false'],
    ['CrCl < 30 mL/min', 29.999, 'true'],
    ['CrCl <= 30 mL/min', 30, 'true'],
    ['CrCl > 95 mL/min', 95, 'false'],
    ['CrCl >= 95 mL/min', 95, 'true'],
    ['CrCl 15..29 mL/min', 15, 'true'],
    ['CrCl 15..29 mL/min', 29, 'true'],
    ['CrCl 15..29 mL/min', 29.5, 'false'],
    ['CrCl (30..59] mL/min', 30, 'false'],
    ['CrCl (30..59] mL/min', 59, 'true'],
    ['CrCl [20..30) mL/min', 20, 'true'],
    ['CrCl [20..30) mL/min', 30, 'false'],
    ['CrCl = 15 mL/min', 15, 'true'],
    ['CrCl = 15 mL/min', 15.1, 'false'],
  ])('%s at %d: %s', (text, value, expected) => {
    expect(truth(text, crcl(value))).toBe(expected);
  });

  it('turn once along the number line for one side, twice for two', () => {
    const line = Array.from({ length: 401 }, (_, i) => i / 4);
    fc.assert(
      fc.property(anyBounds('mL/min', [15, 15.5, 29, 30, 60]), (b: Bounds) => {
        const inside = line.map((v) => within(v, b));
        const turns = inside.filter((v, i) => i > 0 && v !== inside[i - 1]).length;
        const sides = [b.low, b.high].filter((s) => s !== null).length;
        expect(turns).toBeLessThanOrEqual(sides);
        expect(inside[0]).toBe(b.low === null);
        expect(inside.at(-1)).toBe(b.high === null);
      }),
    );
  });

  it('adjacent bands that split an edge leave no number in both and none in neither', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 200, noNaN: true }), (v) => {
        const bands = [
          'CrCl < 15 mL/min',
          'CrCl [15..30) mL/min',
          'CrCl [30..60] mL/min',
          'CrCl > 60 mL/min',
        ];
        expect(bands.filter((b) => truth(b, crcl(v)) === 'true')).toHaveLength(1);
      }),
    );
  });
});

describe('ages', () => {
  it.each([
    ['age < 12 a', 11, 'a', 'true'],
    ['age < 12 a', 12, 'a', 'false'],
    ['age <= 18 a', 18, 'a', 'true'],
    ['age > 75 a', 75, 'a', 'false'],
    ['age > 75 a', 76, 'a', 'true'],
    ['age < 2 a', 23, 'mo', 'true'],
    ['age < 2 a', 24, 'mo', 'false'],
    ['age >= 2 a', 24, 'mo', 'true'],
    // A baby of 8 completed weeks is 56 to 62 days old; two months are 60.9 days.
    ['age < 2 mo', 8, 'wk', 'unknown'],
    ['age < 2 mo', 7, 'wk', 'true'],
    ['age < 2 mo', 9, 'wk', 'false'],
    ['age <= 28 d', 28, 'd', 'true'],
    ['age <= 28 d', 29, 'd', 'false'],
    ['age <= 28 d', 3, 'wk', 'true'],
    ['age <= 28 d', 4, 'wk', 'unknown'],
    ['age <= 28 d', 1, 'mo', 'false'],
    // A year is 365 or 366 days.
    ['age < 1 a', 364, 'd', 'true'],
    ['age < 1 a', 365, 'd', 'unknown'],
    ['age < 1 a', 366, 'd', 'false'],
    // Up to 18: a year is open between the birthday and the day before the next.
    ['age <= 18 a', 216, 'mo', 'unknown'],
    ['age <= 18 a', 228, 'mo', 'false'],
    ['age <= 18 a', 215, 'mo', 'true'],
    ['age >= 65 a', 3, 'd', 'false'],
  ])('%s at %d %s: %s', (text, value, unit, expected) => {
    expect(truth(text, patient({ age: { value, unit } }))).toBe(expected);
  });

  it('is unknown when it is not stated', () => {
    expect(truth('age < 12 a')).toBe('unknown');
  });

  it('in smaller units never says the opposite of what the same age says in the unit of the bounds', () => {
    const years = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 11 }));
    fc.assert(
      fc.property(anyBounds('a', [1, 2, 8, 12, 18]), years, (b, [y, m]) => {
        const coarse = timeWithin({ value: y, unit: 'a' }, b);
        const fine = timeWithin({ value: y * 12 + m, unit: 'mo' }, b);
        expect([coarse, 'unknown']).toContain(fine);
      }),
    );
  });

  it('a span is decided only when all of its moments agree, in completed and in exact units', () => {
    const moment = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        anyBounds('a', [2, 12, 18]),
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.double({ min: 0.01, max: 3, noNaN: true }),
        moment,
        (b, from, width, at) => {
          const t = from + width * at;
          const decided = spanWithin([from, from + width], b);
          if (decided === 'unknown') return;
          expect(String(within(t, b) || (t < from + width && within(Math.floor(t), b)))).toBe(decided);
          expect(String(within(Math.floor(t), b))).toBe(decided);
        },
      ),
    );
  });

  it('postmenstrual age is stated, or lies between the earliest and the latest birth', () => {
    const p = (more: object) => truth('pma <= 41 wk', patient(more));
    expect(p({ postmenstrual_weeks: 41 })).toBe('true');
    expect(p({ postmenstrual_weeks: 42 })).toBe('false');
    expect(p({ age: { value: 5, unit: 'd' } })).toBe('unknown');
    expect(p({ age: { value: 20, unit: 'wk' } })).toBe('false');
    expect(p({ age: { value: 79, unit: 'a' } })).toBe('false');
    expect(truth('pma > 100 wk', years(3))).toBe('true');
    expect(truth('pma <= 41 wk')).toBe('unknown');
  });

  it('a bound in a unit that is no time is an error, not a verdict', () => {
    const b: Bounds = { low: 1, low_inclusive: true, high: null, high_inclusive: false, unit: 'kg' };
    expect(() => timeWithin({ value: 3, unit: 'a' }, b)).toThrow('times in a and kg do not compare');
  });
});

describe('gestation', () => {
  it.each([
    ['gestation [20..30) wk', 19, 'false'],
    ['gestation [20..30) wk', 20, 'true'],
    ['gestation [20..30) wk', 29, 'true'],
    ['gestation [20..30) wk', 30, 'false'],
    ['gestation > 18 wk', 18, 'false'],
    ['gestation > 18 wk', 19, 'true'],
  ])('%s at %d weeks: %s', (text, weeks, expected) => {
    expect(truth(text, years(30, { sex: 'female', gestation_weeks: weeks }))).toBe(expected);
  });

  it('is false for who is not pregnant and unknown for a pregnancy without weeks', () => {
    expect(truth('gestation > 18 wk', years(30, { sex: 'male' }))).toBe('false');
    expect(truth('gestation > 18 wk', years(30, { facts: { pregnant: false } }))).toBe('false');
    expect(truth('gestation > 18 wk', years(30, { sex: 'female', facts: { pregnant: true } }))).toBe(
      'unknown',
    );
    expect(truth('gestation > 18 wk', years(45, { sex: 'female' }))).toBe('unknown');
  });
});

describe('doses and durations', () => {
  const dose = (value: number, unit: string) => use('aspirin', { dose: { value, unit } });
  it.each([
    ['dose > 325 mg/d', 325, 'mg/d', 'false'],
    ['dose > 325 mg/d', 0.5, 'g/d', 'true'],
    ['dose > 0.125 mg/d', 125, 'ug/d', 'false'],
    ['dose > 0.125 mg/d', 250, 'ug/d', 'true'],
    ['dose <= 3 g/d', 3000, 'mg/d', 'true'],
    ['dose > 100 ug/d', 0.0001, 'g/d', 'false'],
    // A single dose does not say what a day holds.
    ['dose > 325 mg/d', 650, 'mg', 'unknown'],
  ])('%s at %d %s: %s', (text, value, unit, expected) => {
    expect(truth(text, patient(), dose(value, unit))).toBe(expected);
  });

  it('conversion there and back gives the number again', () => {
    const pairs = Object.keys(DOSES).map((pair) => pair.split(' ') as ['g', 'mg']);
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.integer({ min: 1, max: 1e6 }), ([a, b], n) => {
        const value = n / 1000;
        const there = convert({ value, unit: a }, b, DOSES)!;
        expect(convert({ value: there, unit: b }, a, DOSES)).toBeCloseTo(value, 9);
      }),
    );
  });

  it.each([
    ['duration > 8 wk', 8, 'wk', 'false'],
    ['duration > 8 wk', 9, 'wk', 'true'],
    ['duration > 8 wk', 3, 'mo', 'true'],
    ['duration > 8 wk', 2, 'mo', 'unknown'],
    ['duration > 8 wk', 4, 'a', 'true'],
    ['duration > 8 wk', 10, 'd', 'false'],
    ['duration <= 12 wk', 12, 'wk', 'true'],
  ])('%s after %d %s: %s', (text, value, unit, expected) => {
    expect(truth(text, patient(), use('omeprazole', { duration: { value, unit } }))).toBe(expected);
  });

  it('a duration in a unit that is no time is an error', () => {
    const u = use('omeprazole', { duration: { value: 3, unit: 'mg' } });
    expect(() => truth('duration > 8 wk', patient(), u)).toThrow('do not compare');
  });
});

describe('kidney function', () => {
  it.each([
    // Examples that public calculators and a clinical question service print in full, to the digits they print.
    [{ age: 60, weight: 80, creatinine: 1.2, sex: 'male' }, 74.1],
    [{ age: 70, weight: 75, creatinine: 1, sex: 'male' }, 72.9],
    [{ age: 65, weight: 70, creatinine: 1.4, sex: 'male' }, 52.1],
    [{ age: 45, weight: 60, creatinine: 0.9, sex: 'female' }, 74.8],
    [{ age: 50, weight: 80, creatinine: 1, sex: 'male' }, 100],
    // By hand from the formula of 1976: (140 - 80) * 60 / (72 * 2).
    [{ age: 80, weight: 60, creatinine: 2, sex: 'male' }, 25],
  ] as const)('Cockcroft-Gault of %o is %d mL/min', (p, expected) => {
    expect(cockcroftGault(p)).toBeCloseTo(expected, 1);
  });

  it.each([
    // The calculator of the US National Kidney Foundation, in whole numbers.
    [{ age: 55, creatinine: 1.2, sex: 'male' }, 71, 0],
    // Reference values of other public implementations, to a tenth.
    [{ age: 34, creatinine: 1.14, sex: 'male' }, 86.5, 1],
    [{ age: 60, creatinine: 0.8, sex: 'female' }, 84.3, 1],
    [{ age: 40, creatinine: 0.9, sex: 'male' }, 110.7, 1],
    [{ age: 55, creatinine: 1.8, sex: 'male' }, 43.9, 1],
    [{ age: 55, creatinine: 1.8, sex: 'female' }, 32.9, 1],
  ] as const)('CKD-EPI 2021 of %o is %d', (p, expected, digits) => {
    expect(ckdEpi2021(p).toFixed(digits)).toBe(expected.toFixed(digits));
  });

  it.each([
    [90, '1'],
    [89.9, '2'],
    [60, '2'],
    [59.9, '3a'],
    [45, '3a'],
    [44.9, '3b'],
    [30, '3b'],
    [29.9, '4'],
    [15, '4'],
    [14.9, '5'],
  ])('an eGFR of %d is stage %s', (egfr, stage) => {
    expect(ckdStage(egfr)).toBe(stage);
  });

  it('clearance needs weight, age, sex and creatinine; each one missing leaves it unknown', () => {
    const whole = { age: { value: 80, unit: 'a' }, sex: 'male', measures: { ...creatinine(2), ...kg(60) } };
    expect(truth('CrCl < 30 mL/min', patient(whole))).toBe('true');
    const without = [
      { ...whole, age: null },
      { ...whole, sex: null },
      { ...whole, measures: creatinine(2) },
      { ...whole, measures: kg(60) },
    ];
    for (const p of without) expect(truth('CrCl < 30 mL/min', patient(p))).toBe('unknown');
  });

  it('falls with age and creatinine and rises with weight', () => {
    const some = fc.record({
      age: fc.integer({ min: 18, max: 95 }),
      weight: fc.integer({ min: 35, max: 140 }),
      creatinine: fc.integer({ min: 3, max: 90 }).map((n) => n / 10),
      sex: fc.constantFrom('female' as const, 'male' as const),
    });
    fc.assert(
      fc.property(some, (p) => {
        const older = { ...p, age: p.age + 1 };
        const worse = { ...p, creatinine: p.creatinine + 0.1 };
        expect(cockcroftGault(older)).toBeLessThan(cockcroftGault(p));
        expect(cockcroftGault(worse)).toBeLessThan(cockcroftGault(p));
        expect(cockcroftGault({ ...p, weight: p.weight + 1 })).toBeGreaterThan(cockcroftGault(p));
        expect(ckdEpi2021(older)).toBeLessThan(ckdEpi2021(p));
        expect(ckdEpi2021(worse)).toBeLessThan(ckdEpi2021(p));
      }),
    );
  });

  it('neither formula speaks of children, nor of a creatinine of nothing', () => {
    const child = patient({
      age: { value: 12, unit: 'a' },
      sex: 'male',
      measures: { ...creatinine(2), ...kg(40) },
    });
    expect(truth('CrCl < 30 mL/min', child)).toBe('unknown');
    expect(truth('eGFR < 30 mL/min/{1.73_m2}', child)).toBe('unknown');
    const zero = years(50, { sex: 'male', measures: { ...creatinine(0), ...kg(70) } });
    expect(truth('CrCl > 30 mL/min', zero)).toBe('unknown');
  });

  it('clearance never answers for eGFR, nor eGFR or clearance per area for clearance', () => {
    const perArea = (measure: string) =>
      patient({ measures: { [measure]: { value: 20, unit: 'mL/min/{1.73_m2}' } } });
    expect(truth('eGFR < 30 mL/min/{1.73_m2}', crcl(20))).toBe('unknown');
    expect(truth('CrCl_per_area < 30 mL/min/{1.73_m2}', crcl(20))).toBe('unknown');
    expect(truth('CrCl < 30 mL/min', perArea('eGFR'))).toBe('unknown');
    expect(truth('CrCl_per_area < 30 mL/min/{1.73_m2}', perArea('eGFR'))).toBe('unknown');
    expect(truth('eGFR < 30 mL/min/{1.73_m2}', perArea('CrCl_per_area'))).toBe('unknown');
    // A clearance that is given per area by mistake stays unknown too.
    expect(truth('CrCl < 30 mL/min', perArea('CrCl'))).toBe('unknown');
  });

  it('a stated clearance stands over what the formula would give', () => {
    const p = years(80, {
      sex: 'male',
      measures: { ...creatinine(2), ...kg(60), CrCl: { value: 41, unit: 'mL/min' } },
    });
    expect(truth('CrCl < 30 mL/min', p)).toBe('false');
  });

  it.each([
    ['mg/dL', 1.5, 'true'],
    ['umol/L', 132.6, 'true'],
    ['umol/L', 132.5, 'false'],
    ['umol/L', 133, 'true'],
    ['mg/dL', 1.4, 'false'],
    ['mmol/L', 1.5, 'unknown'],
  ])('creatinine in %s: %d', (unit, value, expected) => {
    expect(truth('serum_creatinine >= 1.5 mg/dL', patient({ measures: creatinine(value, unit) }))).toBe(
      expected,
    );
  });

  it('the factor of creatinine serves no other substance', () => {
    const p = patient({ measures: { bilirubin: { value: 10, unit: 'mg/dL' } } });
    expect(measured('bilirubin', 'umol/L', p)!.value).toBeCloseTo(171.04, 6);
    expect(
      truth('potassium > 5 mg/dL', patient({ measures: { potassium: { value: 5, unit: 'mmol/L' } } })),
    ).toBe('unknown');
  });

  it.each([
    ['weight < 50 kg', 'weight', 49900, 'g', 'true'],
    ['birth_weight < 1500 g', 'birth_weight', 1.5, 'kg', 'false'],
    ['birth_weight < 1500 g', 'birth_weight', 1.499, 'kg', 'true'],
  ])('%s from %s %d %s: %s', (text, measure, value, unit, expected) => {
    expect(truth(text, patient({ measures: { [measure]: { value, unit } } }))).toBe(expected);
  });

  it.each([
    ['3a', { ckd_stage: '3a' }, 'true'],
    ['3a', { ckd_stage: '2' }, 'false'],
    ['3a', { measures: { eGFR: { value: 48, unit: 'mL/min/{1.73_m2}' } } }, 'true'],
    ['3a', { measures: { eGFR: { value: 82, unit: 'mL/min/{1.73_m2}' } } }, 'false'],
    ['3a', { measures: { CrCl: { value: 20, unit: 'mL/min' } } }, 'unknown'],
    ['3a', { facts: { chronic_kidney_disease: false } }, 'false'],
    ['3a', { facts: { chronic_kidney_disease: true } }, 'unknown'],
    ['3a', {}, 'unknown'],
  ])('CKD stage %s or higher of %o: %s', (stage, more, expected) => {
    expect(truth(`ckd_stage >= ${stage}`, patient(more))).toBe(expected);
  });
});

describe('kidneys that are said not to be impaired', () => {
  const unimpaired = patient({ facts: { renal_impairment: false } });
  it.each([
    ['CrCl < 30 mL/min', 'false'],
    ['eGFR < 60 mL/min/{1.73_m2}', 'false'],
    ['CrCl <= 60 mL/min', 'unknown'],
    ['CrCl <= 80 mL/min', 'unknown'],
    ['CrCl > 30 mL/min', 'true'],
    ['CrCl >= 60 mL/min', 'true'],
    ['CrCl > 60 mL/min', 'unknown'],
    ['CrCl > 95 mL/min', 'unknown'],
    ['CrCl 15..50 mL/min', 'false'],
    ['serum_creatinine > 1.5 mg/dL', 'unknown'],
  ])('%s: %s', (text, expected) => {
    expect(truth(text, unimpaired)).toBe(expected);
  });

  it('have the clearance that is stated, if one is', () => {
    const stated = patient({
      facts: { renal_impairment: false },
      ...{ measures: { CrCl: { value: 25, unit: 'mL/min' } } },
    });
    expect(truth('CrCl < 30 mL/min', stated)).toBe('true');
  });
});
