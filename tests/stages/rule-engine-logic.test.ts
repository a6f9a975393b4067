import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../schemas/condition.js';
import { Patient, type Use } from '../../schemas/patient.js';
import { applyRule } from '../../stages/lib/rules/apply.js';
import { type Case, evaluate, type Verdict } from '../../stages/lib/rules/evaluate.js';
import { deciding, explain } from '../../stages/lib/rules/explain.js';
import { parseCondition, printCondition } from '../../stages/lib/rules/expression.js';
import { all, any, atLeast, not, type Truth } from '../../stages/lib/rules/truth.js';
import { body } from './rule-body.fixture.js';
import { anyCondition, anyFacts, anyUse, knowledge, patient, use, years } from './rule-engine.support.js';

const anyTruth = fc.constantFrom<Truth>('true', 'false', 'unknown');
const VALUES: readonly Truth[] = ['true', 'false', 'unknown'];
/** All ways to make the unknown ones true or false. */
function completions(values: readonly Truth[]): boolean[][] {
  return values.reduce<boolean[][]>(
    (ways, v) =>
      ways.flatMap((w) =>
        v === 'unknown'
          ? [
              [...w, true],
              [...w, false],
            ]
          : [[...w, v === 'true']],
      ),
    [[]],
  );
}
const agree = (ways: readonly boolean[]): Truth =>
  ways.every(Boolean) ? 'true' : ways.some(Boolean) ? 'unknown' : 'false';

describe('three values', () => {
  it('at least n of some is what all completions agree on', () => {
    fc.assert(
      fc.property(fc.array(anyTruth, { maxLength: 6 }), fc.integer({ min: 0, max: 7 }), (values, n) => {
        const ways = completions(values).map((w) => w.filter(Boolean).length >= n);
        expect(atLeast(n, values)).toBe(agree(ways));
      }),
    );
  });

  it('all and any are its ends, not turns them over', () => {
    for (const a of VALUES)
      for (const b of VALUES) {
        expect(all([a, b])).toBe(not(any([not(a), not(b)])));
        expect(all([a, b])).toBe(agree(completions([a, b]).map((w) => w.every(Boolean))));
      }
    expect(all([])).toBe('true');
    expect(any([])).toBe('false');
  });

  it('two of three features, on every completion', () => {
    const apixaban = 'at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL)';
    const p = (age: number | null, weight: number | null, creatinine: number | null) =>
      patient({
        age: age === null ? null : { value: age, unit: 'a' },
        measures: {
          ...(weight === null ? {} : { weight: { value: weight, unit: 'kg' } }),
          ...(creatinine === null ? {} : { serum_creatinine: { value: creatinine, unit: 'mg/dL' } }),
        },
      });
    const side = (yes: number, no: number) => [yes, no, null];
    for (const age of side(82, 79))
      for (const weight of side(60, 60.1))
        for (const creatinine of side(1.5, 1.4)) {
          const values: Truth[] = [
            age === null ? 'unknown' : age >= 80 ? 'true' : 'false',
            weight === null ? 'unknown' : weight <= 60 ? 'true' : 'false',
            creatinine === null ? 'unknown' : creatinine >= 1.5 ? 'true' : 'false',
          ];
          const ways = completions(values).map((w) => w.filter(Boolean).length >= 2);
          const c = { patient: p(age, weight, creatinine), candidate: use('apixaban') };
          expect(evaluate(parseCondition(apixaban), c, knowledge).truth).toBe(agree(ways));
        }
  });
});

/** A patient whose facts, age, sex, weeks, setting and numbers do not contradict each other. */
const anyPatient = fc
  .record({
    age: fc.option(
      fc.record({ value: fc.integer({ min: 0, max: 85 }), unit: fc.constantFrom('a', 'mo', 'wk', 'd') }),
      { nil: null },
    ),
    sex: fc.constantFrom('female', 'male', null),
    gestation_weeks: fc.option(fc.integer({ min: 5, max: 41 }), { nil: null }),
    facts: anyFacts,
    setting: fc.constantFrom('home', 'ward', 'hospice', null),
    kidney: fc.constantFrom(
      {},
      { CrCl: { value: 25, unit: 'mL/min' } },
      { eGFR: { value: 48, unit: 'mL/min/{1.73_m2}' } },
      { serum_creatinine: { value: 1.5, unit: 'mg/dL' }, weight: { value: 58, unit: 'kg' } },
      { weight: { value: 60, unit: 'kg' }, bilirubin: { value: 30, unit: 'umol/L' } },
    ),
    medications: fc.array(anyUse, { maxLength: 3 }),
  })
  .map(({ kidney, ...rest }) => Patient.parse({ ...rest, measures: kidney }))
  .filter(isConsistent);

/** Nothing that is stated contradicts what the rest says. */
function isConsistent(p: Patient): boolean {
  const c = { patient: p, candidate: use() };
  const is = (concept: string, rest: Patient): Truth =>
    evaluate({ type: 'fact', concept }, { ...c, patient: rest }, knowledge).truth;
  const without = Object.keys(p.facts).every((f) => {
    const { [f]: own, ...facts } = p.facts;
    return [String(own), 'unknown'].includes(is(f, { ...p, facts }));
  });
  const weeks =
    p.gestation_weeks === null ||
    (is('pregnant', { ...p, gestation_weeks: null }) !== 'false' &&
      // Weeks and a first true row of a man or of great age would contradict each other.
      p.sex !== 'male');
  return without && weeks;
}

/** The case with one stated thing forgotten, as many ways as there are. */
function forgetOne({ patient: p, candidate: u }: Case): Case[] {
  const patients: Patient[] = [
    { ...p, age: null },
    { ...p, sex: null },
    { ...p, gestation_weeks: null },
    { ...p, setting: null },
    ...Object.keys(p.facts).map((f) => {
      const { [f]: _, ...facts } = p.facts;
      return { ...p, facts };
    }),
    ...Object.keys(p.measures).map((m) => {
      const measures = { ...p.measures };
      delete measures[m as keyof typeof measures];
      return { ...p, measures };
    }),
    ...p.medications.map((_, i) => ({ ...p, medications: p.medications.toSpliced(i, 1) })),
    ...p.medications.map((m, i) => ({
      ...p,
      medications: p.medications.with(i, { ...m, form: null, route: null, dose: null, facets: {} }),
    })),
  ];
  const uses: Use[] = [
    { ...u, form: null },
    { ...u, route: null },
    { ...u, dose: null },
    { ...u, duration: null },
    { ...u, facets: {} },
  ];
  return [
    ...patients.map((x) => ({ patient: x, candidate: u })),
    ...uses.map((x) => ({ patient: p, candidate: x })),
  ];
}

describe('unknown is never turned into an answer', () => {
  it('forgetting a fact leaves a verdict or makes it unknown', () => {
    fc.assert(
      fc.property(anyCondition, anyPatient, anyUse, (condition, p, u) => {
        const c = { patient: p, candidate: u };
        const before = evaluate(condition, c, knowledge).truth;
        for (const less of forgetOne(c)) {
          const after = evaluate(condition, less, knowledge).truth;
          if (after !== 'unknown') expect(after).toBe(before);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('so does opening a list that a sentence had closed', () => {
    fc.assert(
      fc.property(anyCondition, anyPatient, anyUse, (condition, p, u) => {
        const closed = { ...p, closed: ['conditions', 'medications', 'allergies'] as Patient['closed'] };
        const shut = evaluate(condition, { patient: closed, candidate: u }, knowledge).truth;
        const open = evaluate(condition, { patient: p, candidate: u }, knowledge).truth;
        if (open !== 'unknown') expect(open).toBe(shut);
      }),
      { numRuns: 2000 },
    );
  });

  it('and a whole rule, seen from both sides', () => {
    const object = fc.constantFrom('drug' as const, 'combination' as const);
    fc.assert(
      fc.property(anyCondition, anyCondition, anyPatient, anyUse, object, (when, unless, p, u, o) => {
        const rule = {
          rule_id: 'R',
          ...body({
            target: [
              { kind: 'class', name: 'benzodiazepines', minus: [], form: null, routes: null, dose: null },
            ],
            when,
            unless: [{ when: unless, text: 'x' }],
            action: { ...body().action, object: o },
          }),
        };
        const c = { patient: p, candidate: u };
        const before = applyRule(rule, c, knowledge).truth;
        for (const less of forgetOne(c)) {
          const after = applyRule(rule, less, knowledge).truth;
          if (after !== 'unknown') expect(after).toBe(before);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('conditions as text, any of them', () => {
  it('read back to themselves', () => {
    fc.assert(
      fc.property(anyCondition, (c: Condition) => {
        // `all` of one part and no more is the part; the text form keeps it.
        expect(parseCondition(printCondition(c))).toEqual(c);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['any(all(CrCl (30..59] mL/min, female), male)'],
    ['not(all(with class:nsaids minus aspirin {oral; > 325 mg/d}, age < 5 a))'],
  ])('%s', (text) => {
    expect(printCondition(parseCondition(text))).toBe(text);
  });

  it.each([
    ['not(female), not(male)', /no predicate|closes a bracket/],
    ['not(female, male)', /takes one condition/],
    ['fact heart failure', /no key/],
    ['fact a), not(b', /no key/],
    ['all(female', /no predicate/],
    ['all(any(female, male)', /open/],
    ['at_least(3; female, male)', /more than there are/],
    ['with class:a b', /no key/],
    ['with ', /no predicate/],
    ['use indication=', /no key/],
  ])('refuses %s', (text, words) => {
    expect(() => parseCondition(text)).toThrow(words);
  });
});

/** The tree with the leaves outside `kept` made unknown, evaluated anew. */
function reduced(v: Verdict, kept: ReadonlySet<Verdict>): Truth {
  if (v.parts.length === 0 && v.needs === null) return kept.has(v) ? v.truth : 'unknown';
  const parts = v.parts.map((p) => reduced(p, kept));
  return v.needs === null ? not(parts[0]!) : atLeast(v.needs, parts);
}

describe('what decided', () => {
  it('is enough by itself, and no part of it can be missed', () => {
    fc.assert(
      fc.property(anyCondition, anyPatient, anyUse, (condition, p, u) => {
        const v = evaluate(condition, { patient: p, candidate: u }, knowledge);
        const set = deciding(v);
        expect(new Set(set).size).toBe(set.length);
        for (const leaf of set) expect(leaf.parts).toEqual([]);
        if (v.truth === 'unknown') {
          expect(set.length).toBeGreaterThan(0);
          expect(set.every((leaf) => leaf.truth === 'unknown')).toBe(true);
          return;
        }
        expect(reduced(v, new Set(set))).toBe(v.truth);
        for (const leaf of set) {
          expect(reduced(v, new Set(set.filter((other) => other !== leaf)))).toBe('unknown');
        }
      }),
      { numRuns: 2000 },
    );
  });

  const nitrofurantoin = { rule_id: 'B23-T2-002', ...body({ unless: [] }) };
  const explained = (p: Patient, drug = 'nitrofurantoin') =>
    explain(applyRule(nitrofurantoin, { patient: p, candidate: use(drug) }, knowledge));
  const crcl = (value: number) => ({ measures: { CrCl: { value, unit: 'mL/min' } } });

  it('an active rule names every part', () => {
    const e = explained(years(79, crcl(24)));
    expect(e).toEqual({
      rule_id: 'B23-T2-002',
      truth: 'true',
      about: 'nitrofurantoin',
      because: [
        { part: '/target', asked: 'nitrofurantoin', got: 'nitrofurantoin', truth: 'true' },
        { part: '/population', asked: 'age >= 65 a', got: '79 a', truth: 'true' },
        { part: '/when', asked: 'CrCl < 30 mL/min', got: '24 mL/min', truth: 'true' },
      ],
      words:
        'B23-T2-002 is active for nitrofurantoin: drug nitrofurantoin holds (nitrofurantoin); age >= 65 a holds (79 a); CrCl < 30 mL/min holds (24 mL/min)',
    });
    expect(JSON.parse(JSON.stringify(e))).toEqual(e);
  });

  it('an inactive one the first part that fails, an undecided one what is not known', () => {
    expect(explained(years(40, crcl(58))).because).toEqual([
      { part: '/population', asked: 'age >= 65 a', got: '40 a', truth: 'false' },
    ]);
    expect(explained(years(79, crcl(58))).words).toBe(
      'B23-T2-002 is not active for nitrofurantoin: CrCl < 30 mL/min fails (58 mL/min)',
    );
    expect(explained(years(79)).words).toBe(
      'B23-T2-002 is undecided for nitrofurantoin: CrCl < 30 mL/min unknown (not stated)',
    );
    expect(explained(years(79, crcl(24)), 'cephalexin').words).toBe(
      'B23-T2-002 is not active for cephalexin: drug nitrofurantoin fails (cephalexin)',
    );
  });

  it('an exception that holds, fails or is not known', () => {
    const r = {
      ...nitrofurantoin,
      unless: [{ when: parseCondition('fact other_options_failed'), text: 'nothing else worked' }],
    };
    const because = (facts: object) =>
      explain(
        applyRule(
          r,
          { patient: years(79, { ...crcl(24), facts }), candidate: use('nitrofurantoin') },
          knowledge,
        ),
      );
    expect(because({ other_options_failed: true }).words).toContain(
      'not active for nitrofurantoin: exception other_options_failed holds',
    );
    expect(because({}).because).toEqual([
      { part: '/unless/0', asked: 'other_options_failed', got: 'not stated', truth: 'unknown' },
    ]);
    expect(because({ other_options_failed: false }).because.map((b) => b.part)).toEqual([
      '/target',
      '/population',
      '/when',
      '/unless/0',
    ]);
  });
});
