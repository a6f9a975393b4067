import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../schemas/condition.js';
import { boundsOf } from '../../stages/draft-rules/parser/printed-bounds.js';
import { type Ground, parseThreshold, type Unread } from '../../stages/draft-rules/parser/threshold.js';
import { within } from '../../stages/lib/rules/bounds.js';
import { parseCondition, printCondition } from '../../stages/lib/rules/expression.js';

const WORDS: Readonly<Record<string, string>> = {
  dialysis: 'fact dialysis',
  'P-gp inhibitor': 'with class:pgp_inhibitors',
  'dronedarone or systemic ketoconazole': 'with dronedarone | ketoconazole {oral}',
  'post-tonsillectomy or adenoidectomy': 'fact after_tonsil_or_adenoid_surgery',
  'second half of pregnancy to age 8 years': 'any(gestation >= 20 wk, age <= 8 a)',
  'at start': 'use phase=starting',
  'on treatment': 'use phase=continuing',
  '(premature)': 'fact premature_newborn',
  '(men)': 'male',
  '(women)': 'female',
  'sex = female': 'female',
  'renal impairment': 'fact renal_impairment',
  'risk factor': '-',
};
const words = (text: string): Condition | null | undefined => {
  const reads = WORDS[text];
  return reads === undefined ? undefined : reads === '-' ? null : parseCondition(reads);
};

function read(text: string): string | Unread {
  const parsed = parseThreshold(text, words);
  return 'reason' in parsed ? parsed : parsed.map(printGround).join('; ');
}

function printGround(g: Ground): string {
  if ('condition' in g) return printCondition(g.condition);
  return `interval ${JSON.stringify([g.interval.low, g.interval.high, g.interval.unit])} of ${g.of}`;
}

/** Every printed form of the label rows, and what it says. */
const FORMS: readonly (readonly [string, string])[] = [
  ['CrCl < 30 mL/min', 'CrCl < 30 mL/min'],
  ['CrCl <= 30 mL/min', 'CrCl <= 30 mL/min'],
  ['CrCl > 95 mL/min', 'CrCl > 95 mL/min'],
  ['CrCl >= 60 mL/min', 'CrCl >= 60 mL/min'],
  ['CrCl 15-30 mL/min', 'CrCl [15..30] mL/min'],
  ['CrCl 20-<40 mL/min', 'CrCl [20..40) mL/min'],
  ['CrCl >30-59 mL/min', 'CrCl (30..59] mL/min'],
  ['CrCl 15 mL/min', 'CrCl = 15 mL/min'],
  ['CrCl > 80 mL/min/1.73 m2', 'CrCl_per_area > 80 mL/min/{1.73_m2}'],
  ['CrCl 50-80 mL/min/1.73 m2', 'CrCl_per_area [50..80] mL/min/{1.73_m2}'],
  ['eGFR 30-<45 mL/min/1.73 m2', 'eGFR [30..45) mL/min/{1.73_m2}'],
  ['GFR < 30 mL/min', 'CrCl < 30 mL/min'],
  ['GFR < 30 mL/min/1.73 m2', 'eGFR < 30 mL/min/{1.73_m2}'],
  ['eGFR 30-45 mL/min/1.73 m2 at start', 'all(use phase=starting, eGFR [30..45] mL/min/{1.73_m2})'],
  [
    'eGFR falls below 45 mL/min/1.73 m2 on treatment',
    'all(use phase=continuing, eGFR < 45 mL/min/{1.73_m2})',
  ],
  ['serum creatinine >= 1.5 mg/dL', 'serum_creatinine >= 1.5 mg/dL'],
  [
    'serum creatinine > 2.0 mg/dL (men) or > 1.8 mg/dL (women)',
    'any(all(male, serum_creatinine > 2 mg/dL), all(female, serum_creatinine > 1.8 mg/dL))',
  ],
  ['serum potassium > 5.5 mEq/L at start', 'all(use phase=starting, potassium > 5.5 mmol/L)'],
  ['body weight <= 60 kg', 'weight <= 60 kg'],
  ['QTc > 440 ms', 'QTc > 440 ms'],
  ['QT > 450 ms', 'QT > 450 ms'],
  ['age 12-18 years', 'age [12..18] a'],
  ['age < 1 month', 'age < 1 mo'],
  ['age <= 28 days', 'age <= 28 d'],
  ['gestational age 20-<30 weeks', 'gestation [20..30) wk'],
  ['gestational age 38-42 weeks', 'gestation [38..42] wk'],
  ['postmenstrual age <= 41 weeks (premature)', 'all(fact premature_newborn, pma <= 41 wk)'],
  ['current dose > 2.5 mg twice daily', 'dose > 2.5 mg'],
  ['current dose = 2.5 mg twice daily', 'dose = 2.5 mg'],
  ['dose > 10 mg/day', 'dose > 10 mg/d'],
  ['daily dose 400-800 mg', 'dose [400..800] mg/d'],
  ['duration > 12 weeks', 'duration > 12 wk'],
  ['duration > 5 days', 'duration > 5 d'],
  ['interval < 36 hours', 'interval [null,36,"h"] of named'],
  ['interval < 3 years after last dose', 'interval [null,3,"a"] of own'],
  ['until 1 week after last dose', 'interval [null,1,"wk"] of own'],
  ['sex = female', 'female'],
  ['CrCl < 15 mL/min or dialysis', 'any(CrCl < 15 mL/min, fact dialysis)'],
  ['CrCl < 30 mL/min AND P-gp inhibitor', 'all(CrCl < 30 mL/min, with class:pgp_inhibitors)'],
  [
    'CrCl 30-50 mL/min AND dronedarone or systemic ketoconazole',
    'all(CrCl [30..50] mL/min, with dronedarone | ketoconazole {oral})',
  ],
  [
    'age < 18 years AND post-tonsillectomy or adenoidectomy',
    'all(age < 18 a, fact after_tonsil_or_adenoid_surgery)',
  ],
  ['age 12-18 years AND risk factor', 'age [12..18] a'],
  ['second half of pregnancy to age 8 years', 'any(gestation >= 20 wk, age <= 8 a)'],
  [
    'age >= 65 years; renal impairment; body weight < 50 kg',
    'age >= 65 a; fact renal_impairment; weight < 50 kg',
  ],
];

describe('printed thresholds', () => {
  it.each(FORMS)('%s', (text, says) => {
    expect(read(text)).toBe(says);
  });

  it('keeps the printed words of each part', () => {
    const parts = parseThreshold('age >= 80 years; body weight <= 60 kg', words);
    expect('reason' in parts ? [] : parts.map((p) => p.quote)).toEqual([
      'age >= 80 years',
      'body weight <= 60 kg',
    ]);
  });

  it.each([
    ['CrCl about 30 mL/min', 'CrCl about 30 mL/min'],
    ['CrCl < 30', 'CrCl < 30'],
    ['CrCl < -30 mL/min', 'CrCl < -30 mL/min'],
    ['CrCl 60-30 mL/min', 'CrCl 60-30 mL/min'],
    ['CrCl < 30 kg', 'CrCl < 30 kg'],
    ['CrCl < 3,0 mL/min', 'CrCl < 3,0 mL/min'],
    ['CrCl < 30 mL/min at the end', 'CrCl < 30 mL/min at the end'],
    ['CrCl < 30 mL/min; ', ''],
    ['CrCl < 30 mL/min AND grapefruit', 'grapefruit'],
    ['dialysis or grapefruit', 'grapefruit'],
    ['CrCl < 30 mL/min or risk factor', 'CrCl < 30 mL/min or risk factor'],
    ['creatinine > 2 mg/dL', 'creatinine > 2 mg/dL'],
    ['< 30 mL/min', '< 30 mL/min'],
    ['interval < 36', 'interval < 36'],
    ['', ''],
  ])('refuses "%s" and names the text', (text, got) => {
    expect(read(text)).toMatchObject({ reason: 'unparsable_threshold', got });
  });

  it.each([
    'CrCl 15-30 mL/min/1.73 m2; CrCl < 15 mL/min',
    'eGFR < 30 mL/min/1.73 m2 AND CrCl < 30 mL/min',
    'serum creatinine > 2 mg/dL or > 133 umol/L',
    'dose > 10 mg/day; dose > 5 mg twice daily',
    'eGFR < 30 mL/min',
  ])('refuses mixed units: %s', (text) => {
    expect(read(text)).toMatchObject({ reason: 'mixed_units', got: text });
  });

  it('does not break on arbitrary text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'CrCl eGFR<>=-0123456789.;ANDor mL/min yearsage') }),
        (s) => {
          const parsed = parseThreshold(s, words);
          expect('reason' in parsed || parsed.length > 0).toBe(true);
        },
      ),
    );
  });
});

describe('printed bounds', () => {
  const value = fc.integer({ min: 0, max: 4000 }).map((n) => n / 4);

  /** A direct reading of the printed form, without an interval in between. */
  const DIRECT: Readonly<Record<string, (v: number, a: number, b: number) => boolean>> = {
    '<': (v, a) => v < a,
    '<=': (v, a) => v <= a,
    '>': (v, a) => v > a,
    '>=': (v, a) => v >= a,
    '=': (v, a) => v === a,
    'falls below': (v, a) => v < a,
    '-': (v, a, b) => v >= a && v <= b,
    '-<': (v, a, b) => v >= a && v < b,
    '>-': (v, a, b) => v > a && v <= b,
    '>-<': (v, a, b) => v > a && v < b,
  };
  const print = (form: string, a: number, b: number): string =>
    form.includes('-')
      ? `${form.startsWith('>') ? '>' : ''}${a}-${form.endsWith('<') ? '<' : ''}${b}`
      : `${form} ${a}`;

  it('mean what they say, on edges, beside them and far away', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(DIRECT)), value, value, value, (form, x, y, v) => {
        fc.pre(x !== y);
        const [a, b] = [Math.min(x, y), Math.max(x, y)];
        const bounds = boundsOf(print(form, a, b), 'mL/min');
        for (const probe of [v, a, b, a - 0.25, a + 0.25, b - 0.25, b + 0.25])
          expect([probe, within(probe, bounds!)]).toEqual([probe, DIRECT[form]!(probe, a, b)]);
      }),
    );
  });

  it('a range written backwards or empty is none', () => {
    expect(boundsOf('30-15', 'mL/min')).toBeNull();
    expect(boundsOf('>30-<30', 'mL/min')).toBeNull();
    expect(boundsOf('1.2.3', 'mL/min')).toBeNull();
  });
});
