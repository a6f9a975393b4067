import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../schemas/condition.js';
import type { Population } from '../../schemas/lock.js';
import { parseLock } from '../../schemas/lock.js';
import type { Rule, RuleBody } from '../../schemas/rule.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { type Book, type SourceCoverage, standing } from '../../stages/lib/rules/coverage.js';
import { type Case, evaluate } from '../../stages/lib/rules/evaluate.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';
import {
  NEUTRAL_LIMITS_FILE,
  type NeutralDrug,
  NeutralDrugs,
  parseNeutralLimits,
} from '../../stages/lib/rules/neutral.js';
import { populationsOf, speaksOf } from '../../stages/lib/rules/populations.js';
import { guidelineRows } from '../support/guidelines.js';
import { body } from './rule-body.fixture.js';
import { knowledge, patient, use, years } from './rule-engine.support.js';

const limitRows = parseCsv(readFileSync(NEUTRAL_LIMITS_FILE, 'utf8'), NEUTRAL_LIMITS_FILE);
const limits = parseNeutralLimits(limitRows);
const listed = guidelineRows('neutral-drugs') as unknown as NeutralDrug[];
const neutral = new NeutralDrugs(listed, limits, knowledge.drugs);
const partsOf = (d: NeutralDrug) => (d.limits ?? '').split(';').map((s) => s.trim());
const used = new Set(listed.flatMap(partsOf).filter((s) => s !== ''));

const evaluateAny = (condition: Condition, c: Case) => evaluate(condition, c, knowledge).truth;

/** A patient whose vignette closes every list. */
const closed = (age: number, more: object = {}) =>
  years(age, { sex: 'male', closed: ['conditions', 'medications', 'allergies'], ...more });
const woman = (age: number, more: object = {}) => closed(age, { sex: 'female', ...more });

describe('limits of neutral drugs', () => {
  it('every part of every limit is read, and nothing else is', () => {
    expect([...limits.keys()].sort()).toEqual([...used].sort());
  });

  it('a part that asks nothing says why', () => {
    for (const row of limitRows) if (row.reads === '-') expect(row.reason!.length).toBeGreaterThan(10);
    expect(() => parseNeutralLimits([{ limit: 'x', reads: '-', reason: '' }])).toThrow('gives no reason');
    expect(() => parseNeutralLimits([...limitRows, limitRows[0]!])).toThrow('stands twice');
  });

  it('every concept, drug and class of a limit is known', () => {
    for (const condition of limits.values()) {
      // Throws on an unknown concept, drug or class.
      const c = { patient: closed(40, { medications: [use('warfarin')] }), candidate: use() };
      expect(['true', 'false', 'unknown']).toContain(evaluateAny(condition, c));
    }
  });

  it('a limit that is not read is an error that names the drug', () => {
    const row = { population: 'child', ingredient: 'amoxicillin', limits: 'not on Sundays' };
    expect(() => new NeutralDrugs([row], limits, knowledge.drugs)).toThrow(
      'neutral drug amoxicillin: limit "not on Sundays" is not read',
    );
  });

  it('no drug of the table can be a phosphodiesterase-5 inhibitor', () => {
    for (const d of ['sildenafil', 'tadalafil', 'vardenafil', 'avanafil'])
      expect(() => knowledge.drugs.ingredients(d)).toThrow('unknown ingredient');
  });

  const holds = (drug: string, population: Population, p: object, more: object = {}) => {
    const condition = neutral.limits(drug, [population])!;
    return evaluateAny(condition, { patient: p as ReturnType<typeof patient>, candidate: use(drug, more) });
  };
  const crcl = (value: number) => ({ measures: { CrCl: { value, unit: 'mL/min' } } });
  it.each([
    ['amoxicillin', 'older_adult', closed(79), {}, 'true'],
    ['amoxicillin', 'older_adult', closed(79, { facts: { penicillin_allergy: true } }), {}, 'false'],
    ['amoxicillin', 'older_adult', years(79, { closed: ['conditions'] }), {}, 'unknown'],
    // The eGFR is not known, so that the kidneys may be anything; enough not to count.
    ['amoxicillin', 'older_adult', closed(79, crcl(24)), {}, 'unknown'],
    ['amoxicillin', 'older_adult', closed(79, crcl(75)), {}, 'true'],
    ['cephalexin', 'older_adult', closed(79, { facts: { penicillin_allergy: true } }), {}, 'false'],
    ['pravastatin', 'older_adult', closed(79, { facts: { severe_liver_disease: true } }), {}, 'false'],
    ['terbinafine', 'older_adult', closed(79), {}, 'unknown'],
    ['terbinafine', 'older_adult', closed(79), { route: 'topical' }, 'true'],
    ['terbinafine', 'older_adult', closed(79), { route: 'oral' }, 'false'],
    ['finasteride', 'older_adult', woman(79), {}, 'false'],
    ['doxycycline', 'older_adult', closed(79, { medications: [use('warfarin')] }), {}, 'false'],
    ['cetirizine', 'child', years(1), {}, 'false'],
    ['acarbose', 'older_adult', closed(79, crcl(20)), {}, 'unknown'],
    [
      'hydralazine',
      'older_adult',
      closed(79, { facts: { myocardial_infarction_history: true } }),
      {},
      'false',
    ],
  ] as const)('%s for %s: %#', (drug, population, p, more, expected) => {
    expect(holds(drug, population, p, more)).toBe(expected);
  });
});

describe('populations', () => {
  it.each([
    [closed(40), ['adult_renal_impairment']],
    [closed(65), ['older_adult']],
    [closed(64), ['adult_renal_impairment']],
    [closed(17), ['child']],
    [closed(18), ['adult_renal_impairment']],
    [woman(30, { gestation_weeks: 12 }), ['pregnant']],
    [woman(30), ['adult_renal_impairment', 'pregnant']],
    [woman(16, { facts: { pregnant: true } }), ['child', 'pregnant']],
    [woman(62), ['adult_renal_impairment']],
    [patient({ sex: 'male' }), ['child', 'adult_renal_impairment', 'older_adult']],
    // 215 months are 17 years and 11 months.
    [patient({ sex: 'male', age: { value: 215, unit: 'mo' } }), ['child']],
  ])('%#', (p, expected) => {
    expect(populationsOf(p, knowledge)).toEqual(expected);
  });

  it('a source on adults speaks of every adult and of no child', () => {
    expect(speaksOf(['adult'], ['pregnant'])).toBe(true);
    expect(speaksOf(['adult'], ['older_adult'])).toBe(true);
    expect(speaksOf(['adult'], ['child'])).toBe(false);
    expect(speaksOf(['child'], ['child', 'pregnant'])).toBe(true);
    expect(speaksOf([], ['child'])).toBe(false);
  });
});

/** A rule of a source. */
function rule(rule_id: string, source_id: string, more: Partial<RuleBody>): Rule {
  const identity = {
    row_id: rule_id,
    label: rule_id,
    status: 'checked' as const,
    is_usable: true,
    spans: [],
  };
  return {
    rule_id,
    source_id,
    ...identity,
    ...body({ population: parseCondition('always'), unless: [], ...more }),
  };
}
const target = (...refs: string[]) => ({ target: refs.map(parseRef) });
const when = (text: string) => ({ when: parseCondition(text) });
const action = (polarity: RuleBody['action']['polarity'], object: RuleBody['action']['object'] = 'drug') => ({
  action: { ...body().action, polarity, object },
});

const RULES = [
  rule('B1', 'beers2023', { ...target('nitrofurantoin'), ...when('all(age >= 65 a, CrCl < 30 mL/min)') }),
  rule('B2', 'beers2023', {
    ...target('class:opioids'),
    ...when('all(age >= 65 a, fact delirium_or_high_risk)'),
  }),
  rule('F1', 'fda-labels', { ...target('nitrofurantoin'), ...when('CrCl < 60 mL/min') }),
  rule('F2', 'fda-labels', {
    ...target('simvastatin'),
    ...when('with diltiazem'),
    ...action('change', 'dose'),
  }),
  rule('F3', 'fda-labels', { ...target('diltiazem'), ...when('CrCl < 10 mL/min') }),
  rule('F4', 'fda-labels', {
    ...target('class:benzodiazepines'),
    ...when('with codeine'),
    ...action('restrict', 'combination'),
  }),
  rule('F5', 'fda-labels', { ...target('codeine'), ...when('age < 12 a') }),
  rule('F6', 'fda-labels', { ...target('nitrofurantoin'), ...when('age >= 65 a'), ...action('watch') }),
  rule('F7', 'fda-labels', { ...target('ibuprofen'), ...when('gestation >= 20 wk') }),
  rule('T1', 'tga-pregnancy', { ...target('ibuprofen'), ...when('gestation >= 28 wk') }),
];
const sources: SourceCoverage[] = [
  { source_id: 'beers2023', extent: 'complete', populations: ['older_adult'] },
  { source_id: 'kids2025', extent: 'partial', populations: ['child'] },
  { source_id: 'tga-pregnancy', extent: 'partial', populations: ['pregnant'] },
  {
    source_id: 'fda-labels',
    extent: 'partial',
    populations: ['older_adult', 'pregnant', 'child', 'adult_renal_impairment', 'adult'],
  },
];
const book: Book = { rules: RULES, sources, neutral, knowledge };
const crcl = (value: number) => ({ measures: { CrCl: { value, unit: 'mL/min' } } });
/** Antiarrhythmics are a partial class; the rule asks for nothing but the age. */
const OPEN = rule('B3', 'beers2023', { ...target('class:pgp_inhibitors'), ...when('age >= 65 a') });
const of = (p: ReturnType<typeof patient>, drug: string, more: object = {}) =>
  standing({ patient: p, candidate: use(drug, more) }, book);

describe('standing', () => {
  it('an active rule of any source bars a drug', () => {
    const s = of(closed(79, crcl(45)), 'nitrofurantoin');
    expect(s).toMatchObject({ standing: 'active', basis: null });
    expect(s.active.map((v) => v.rule_id)).toEqual(['F1']);
  });

  it('a drug that the sources name and whose rules are false is proved inactive; active watch rules are told', () => {
    const s = of(closed(79, crcl(90)), 'nitrofurantoin');
    expect(s).toMatchObject({ standing: 'proved_inactive', basis: 'rules', silent: [] });
    expect(s.watch.map((v) => v.rule_id)).toEqual(['F6']);
  });

  it('an unknown fact leaves it unknown', () => {
    const s = of(closed(79), 'nitrofurantoin');
    expect(s.standing).toBe('unknown');
    expect(s.undecided.map((v) => v.rule_id)).toEqual(['B1', 'F1']);
  });

  it('a drug that a partial source of this patient does not name is unknown', () => {
    expect(of(closed(40), 'atenolol')).toMatchObject({ standing: 'unknown', silent: ['fda-labels'] });
    expect(of(closed(10), 'atenolol').silent).toEqual(['fda-labels', 'kids2025']);
    expect(of(woman(30), 'atenolol').silent).toEqual(['fda-labels', 'tga-pregnancy']);
    expect(of(woman(30, { facts: { pregnant: false } }), 'atenolol').silent).toEqual(['fda-labels']);
    // The rules of the label are false for a man of 40, and no other source speaks of him.
    expect(of(closed(40), 'codeine')).toMatchObject({ standing: 'proved_inactive', silent: [] });
    // For a boy the KIDs list is partial.
    expect(of(closed(15), 'codeine')).toMatchObject({ standing: 'unknown', silent: ['kids2025'] });
  });

  it('unless it is neutral for this population and its limits hold', () => {
    expect(of(closed(79), 'amoxicillin')).toMatchObject({
      standing: 'proved_inactive',
      basis: 'neutral_list',
    });
    expect(of(closed(79, { facts: { penicillin_allergy: true } }), 'amoxicillin').standing).toBe('unknown');
    expect(of(years(79, { sex: 'male', closed: ['conditions'] }), 'amoxicillin').standing).toBe('unknown');
    expect(of(closed(79), 'terbinafine').standing).toBe('unknown');
    expect(of(closed(79), 'terbinafine', { route: 'topical' }).standing).toBe('proved_inactive');
    // Thiamine and finasteride are listed for old people, finasteride not for children.
    expect(of(closed(79), 'thiamine').standing).toBe('proved_inactive');
    expect(of(closed(10), 'finasteride').standing).toBe('unknown');
    // Metronidazole is listed for adults and not for the pregnant: a woman of 30 may be.
    expect(of(woman(30), 'metronidazole').standing).toBe('unknown');
  });

  it('a rule that is held back does not show that its source was read for the drug', () => {
    const held = {
      ...rule('F9', 'fda-labels', { ...target('atenolol'), ...when('age < 1 a') }),
      is_usable: false,
    };
    const read = { ...held, is_usable: true };
    const c = { patient: closed(40), candidate: use('atenolol') };
    expect(standing(c, { ...book, rules: [...RULES, held] })).toMatchObject({
      standing: 'unknown',
      silent: ['fda-labels'],
    });
    expect(standing(c, { ...book, rules: [...RULES, read] })).toMatchObject({
      standing: 'proved_inactive',
      silent: [],
    });
    // Held back or not, a rule that holds bars the drug.
    const bars = { ...held, when: parseCondition('always') };
    expect(standing(c, { ...book, rules: [...RULES, bars] }).standing).toBe('active');
  });

  it('tells of sources that name the drug for other people only', () => {
    const pregnant = { population: parseCondition('fact pregnant'), ...when('always') };
    const acitretin = rule('F8', 'fda-labels', { ...target('acitretin'), ...pregnant });
    const other = { ...book, rules: [...RULES, acitretin] };
    const is = (p: ReturnType<typeof patient>) =>
      standing({ patient: p, candidate: use('acitretin') }, other);
    expect(is(closed(40))).toMatchObject({ standing: 'proved_inactive', elsewhere: ['fda-labels'] });
    expect(is(woman(30, { gestation_weeks: 9 }))).toMatchObject({ standing: 'active', elsewhere: [] });
  });

  it('a class that is partly known leaves an unlisted drug unknown unless the rest is false', () => {
    const open = { ...book, rules: [...RULES, OPEN] };
    const s = standing({ patient: closed(79), candidate: use('codeine') }, open);
    expect(s).toMatchObject({ standing: 'unknown', silent: [] });
    expect(s.undecided.map((v) => v.rule_id)).toEqual(['B3']);
    // Opioids are partial too, but delirium is false.
    expect(of(closed(79, crcl(90)), 'nitrofurantoin').standing).toBe('proved_inactive');
    // A neutral drug stands outside.
    const neutralOne = standing({ patient: closed(79), candidate: use('amoxicillin') }, open);
    expect(neutralOne).toMatchObject({ standing: 'proved_inactive', basis: 'neutral_list', undecided: [] });
  });

  it('a neutral drug that is taken stands outside classes too', () => {
    const p = closed(79, { medications: [use('amoxicillin'), use('lorazepam')] });
    expect(of(p, 'thiamine')).toMatchObject({ standing: 'proved_inactive' });
  });

  it('a rule that holds bars a neutral drug', () => {
    const barred: Book = {
      ...book,
      rules: [...RULES, rule('X', 'beers2023', { ...target('amoxicillin'), ...when('age >= 65 a') })],
    };
    expect(standing({ patient: closed(79), candidate: use('amoxicillin') }, barred).standing).toBe('active');
  });

  it('a combination counts from either side, and a drug that wakes a rule of another is no safe choice', () => {
    expect(of(closed(40, { medications: [use('lorazepam')] }), 'codeine').standing).toBe('active');
    expect(of(closed(40, { medications: [use('simvastatin')], ...crcl(80) }), 'diltiazem')).toMatchObject({
      standing: 'unknown',
      undecided: [{ rule_id: 'F2', about: 'simvastatin' }],
    });
    expect(of(closed(40, { medications: [use('pravastatin')], ...crcl(80) }), 'diltiazem').standing).toBe(
      'proved_inactive',
    );
  });

  it('pregnancy needs the pregnant list', () => {
    expect(of(woman(30, { gestation_weeks: 12 }), 'ibuprofen')).toMatchObject({
      standing: 'proved_inactive',
      basis: 'rules',
    });
    expect(of(woman(30, { gestation_weeks: 31 }), 'ibuprofen').active.map((v) => v.rule_id)).toEqual([
      'F7',
      'T1',
    ]);
    expect(of(woman(30, { gestation_weeks: 12 }), 'amoxicillin').basis).toBe('neutral_list');
  });
});

describe('the lock', () => {
  it('says of the four sources what these tests take for granted', () => {
    const entries = parseLock(readFileSync('raw/lock.json', 'utf8'));
    for (const s of sources) {
      const entry = entries.find((e) => e.path === `raw/guidelines/${s.source_id}.csv`)!;
      expect(entry.coverage).toMatchObject({ extent: s.extent, populations: s.populations });
    }
  });

  it('most neutral drugs can be used for a patient of whom every list is closed', () => {
    const people: [Population, ReturnType<typeof patient>][] = [
      ['older_adult', closed(79)],
      ['adult_renal_impairment', closed(45, crcl(40))],
      ['child', closed(10)],
      ['pregnant', woman(30, { gestation_weeks: 20 })],
    ];
    for (const [population, p] of people) {
      const names = listed.filter((d) => d.population === population).map((d) => d.ingredient);
      const usable = names.filter((d) => of(p, d).standing === 'proved_inactive');
      expect(
        usable.length,
        `${population}: ${names.filter((d) => !usable.includes(d)).join(', ')}`,
      ).toBeGreaterThan(45);
    }
  });
});
