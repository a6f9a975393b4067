import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleBody } from '../../schemas/rule.js';
import { type Applicable, applyRule } from '../../stages/lib/rules/apply.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';
import type { DrugKnowledge } from '../../stages/lib/rules/knowledge.js';
import { isNamed, isTarget } from '../../stages/lib/rules/target.js';
import { body } from './rule-body.fixture.js';
import { knowledge, patient, truth, use, years } from './rule-engine.support.js';

const { drugs } = knowledge;
const named = (drug: string, ref: string) => isNamed(drug, parseRef(ref), drugs);
const rule = (target: string, when: string, more: Partial<RuleBody> = {}): Applicable => ({
  rule_id: 'R',
  ...body({
    target: target.split(' | ').map(parseRef),
    population: parseCondition('always'),
    when: parseCondition(when),
    unless: [],
    ...more,
  }),
});
const combination = { ...body().action, object: 'combination' as const, kind: 'avoid combination' as const };
const taking = (...names: string[]) =>
  patient({ medications: names.map((n) => use(n)), closed: ['medications'] });

describe('drugs and references', () => {
  it.each([
    ['naproxen', 'naproxen', 'true'],
    ['naproxen', 'ibuprofen', 'false'],
    ['naproxen', 'class:nsaids', 'true'],
    ['naproxen', 'class:nsaids minus naproxen', 'false'],
    ['quetiapine', 'class:antipsychotics minus clozapine minus quetiapine', 'false'],
    ['haloperidol', 'class:antipsychotics minus clozapine minus quetiapine', 'true'],
    // A combination falls under its ingredients, not the other way round.
    ['acetaminophen-codeine', 'codeine', 'true'],
    ['acetaminophen-codeine', 'class:opioids', 'true'],
    ['codeine', 'combination:acetaminophen-codeine', 'false'],
    ['acetaminophen-codeine', 'combination:acetaminophen-codeine', 'true'],
    // What is taken out of a class takes a combination out only as far as it is its only member.
    ['acetaminophen-codeine', 'class:opioids minus acetaminophen', 'true'],
    ['sacubitril-valsartan', 'class:arbs minus valsartan', 'false'],
    // The groups of acetaminophen are outside the partial class; dextromethorphan stands among codeine and its kind.
    ['acetaminophen-codeine', 'class:opioids minus codeine', 'false'],
    ['dextromethorphan-quinidine', 'class:opioids minus codeine', 'unknown'],
    ['aspirin-dipyridamole', 'dipyridamole minus aspirin-dipyridamole', 'false'],
    ['dipyridamole', 'dipyridamole minus aspirin-dipyridamole', 'true'],
    // Whole classes can be taken out.
    ['codeine', 'class:opioids minus opioids', 'false'],
  ])('%s under %s: %s', (drug, ref, expected) => {
    expect(named(drug, ref)).toBe(expected);
  });

  it('a drug that a partial class does not list may belong to it unless ATC groups say no', () => {
    expect(named('acetaminophen', 'class:pgp_inhibitors')).toBe('unknown');
    expect(named('acetaminophen', 'class:anticoagulants')).toBe('false');
    expect(named('warfarin', 'class:anticoagulants')).toBe('true');
    // Taken out by name it is outside, whatever the class holds.
    expect(named('acetaminophen', 'class:pgp_inhibitors minus acetaminophen')).toBe('false');
    expect(named('acetaminophen', 'class:nsaids minus pgp_inhibitors')).toBe('false');
    expect(named('naproxen', 'class:nsaids minus pgp_inhibitors')).toBe('unknown');
    expect(named('naproxen', 'class:nsaids minus anticoagulants')).toBe('true');
  });

  it.each([
    [{}, 'unknown'],
    [{ form: 'extended_release' }, 'unknown'],
    [{ form: 'immediate_release' }, 'false'],
    [{ form: 'extended_release', route: 'oral', dose: { value: 400, unit: 'mg/d' } }, 'true'],
    [{ form: 'extended_release', route: 'oral', dose: { value: 0.3, unit: 'g/d' } }, 'false'],
    [{ route: 'topical' }, 'false'],
  ])('limits of form, route and dose: %o is %s', (more, expected) => {
    const ref = parseRef('tramadol {extended_release; oral/rectal; > 300 mg/d}');
    expect(isTarget(use('tramadol', more), ref, drugs)).toBe(expected);
    expect(isTarget(use('codeine', more), ref, drugs)).toBe('false');
  });

  it('every ingredient of a combination is a drug of its own', () => {
    for (const d of [
      'acetaminophen-codeine',
      'chlordiazepoxide-amitriptyline',
      'emtricitabine-tenofovir disoproxil',
    ])
      for (const part of drugs.ingredients(d)) expect(drugs.ingredients(part)).toEqual([part]);
  });

  it('an unknown drug or class is an error', () => {
    expect(() => named('codein', 'class:opioids')).toThrow('unknown ingredient codein');
    expect(() => named('codeine', 'class:opiods')).toThrow('unknown class opiods');
  });
});

describe('taken together', () => {
  it('counts each ingredient once', () => {
    const two = 'with 2 of class:arbs';
    expect(truth(two, taking('valsartan', 'sacubitril-valsartan'))).toBe('false');
    expect(truth(two, taking('valsartan', 'losartan'))).toBe('true');
    const twice = patient({
      medications: [use('valsartan', { route: 'oral' }), use('valsartan', { route: 'sublingual' })],
      closed: ['medications'],
    });
    expect(truth(two, twice)).toBe('false');
  });

  it('a combination counts as its ingredients', () => {
    expect(truth('with class:benzodiazepines', taking('chlordiazepoxide-amitriptyline'))).toBe('true');
    const both = 'with 2 of class:benzodiazepines | amitriptyline';
    expect(truth(both, taking('chlordiazepoxide-amitriptyline'))).toBe('true');
  });

  it('does not count the candidate with itself', () => {
    expect(truth('with class:arbs', taking('valsartan'), use('valsartan'))).toBe('false');
  });

  it('a count needs the candidate among the drugs counted', () => {
    const count = 'count >= 3 of class:arbs | class:benzodiazepines';
    expect(truth(count, taking('valsartan', 'lorazepam'), use('losartan'))).toBe('true');
    expect(truth(count, taking('valsartan', 'lorazepam', 'losartan'), use('lisinopril'))).toBe('false');
    expect(truth(count, taking('valsartan', 'losartan'), use('valsartan'))).toBe('false');
    expect(truth(count, taking('sacubitril-valsartan', 'valsartan'), use('losartan'))).toBe('false');
    // Clonazepam stands in two classes and is one drug.
    expect(named('clonazepam', 'class:antiepileptics')).toBe('true');
    const two = 'count >= 2 of class:benzodiazepines | class:antiepileptics';
    expect(truth(two, taking(), use('clonazepam'))).toBe('false');
    expect(truth(two, taking('lorazepam'), use('clonazepam'))).toBe('true');
  });

  it('an open list leaves a count unknown unless it is reached', () => {
    const count = 'count >= 2 of class:arbs';
    expect(truth(count, patient({ medications: [use('valsartan')] }), use('losartan'))).toBe('true');
    expect(truth(count, patient(), use('losartan'))).toBe('unknown');
    expect(truth(count, patient(), use('lisinopril'))).toBe('false');
  });

  it('agrees with counting sets, whatever is taken', () => {
    const pool = [
      'valsartan',
      'losartan',
      'lorazepam',
      'chlordiazepoxide-amitriptyline',
      'lisinopril',
      'oxazepam',
    ];
    const inList = new Set(['valsartan', 'losartan', 'lorazepam', 'chlordiazepoxide', 'oxazepam']);
    fc.assert(
      fc.property(
        fc.subarray(pool),
        fc.constantFrom(...pool),
        fc.integer({ min: 2, max: 4 }),
        (taken, candidate, n) => {
          const all = new Set([candidate, ...taken].flatMap((d) => drugs.ingredients(d)));
          const own = drugs.ingredients(candidate).some((d) => inList.has(d));
          const counted = [...all].filter((d) => inList.has(d)).length;
          const is = truth(
            `count >= ${n} of class:arbs | class:benzodiazepines`,
            taking(...taken),
            use(candidate),
          );
          expect(is).toBe(String(own && counted >= n));
        },
      ),
    );
  });
});

describe('combination rules', () => {
  const pair = rule('class:arbs', 'with class:benzodiazepines', { action: combination });
  const active = (r: Applicable, taken: string[], candidate: string) =>
    applyRule(r, { patient: taking(...taken), candidate: use(candidate) }, knowledge).truth;

  it.each([
    [['lorazepam'], 'valsartan', 'true'],
    [['valsartan'], 'lorazepam', 'true'],
    [['valsartan'], 'lisinopril', 'false'],
    [[], 'lorazepam', 'false'],
    [['valsartan'], 'losartan', 'false'],
    // What was wrong before is not about another drug, but a second benzodiazepine is itself wrong.
    [['valsartan', 'lorazepam'], 'lisinopril', 'false'],
    [['valsartan', 'lorazepam'], 'oxazepam', 'true'],
    [['valsartan', 'lorazepam'], 'losartan', 'true'],
    [['sacubitril-valsartan'], 'chlordiazepoxide-amitriptyline', 'true'],
  ])('taking %o, candidate %s: %s', (taken, candidate, expected) => {
    expect(active(pair, taken, candidate)).toBe(expected);
  });

  it('a rule that is no combination looks from the target alone', () => {
    const reduce = rule('class:arbs', 'with class:benzodiazepines');
    expect(active(reduce, ['valsartan'], 'lorazepam')).toBe('false');
    expect(active(reduce, ['lorazepam'], 'valsartan')).toBe('true');
  });

  it('says which drug it is about', () => {
    const c = { patient: taking('valsartan'), candidate: use('lorazepam') };
    expect(applyRule(pair, c, knowledge)).toMatchObject({ truth: 'true', about: 'valsartan' });
  });

  it('a candidate beside the list is not blamed while the list of medicines is open', () => {
    const open = patient({ medications: [use('valsartan')] });
    expect(applyRule(pair, { patient: open, candidate: use('lisinopril') }, knowledge).truth).toBe('false');
    expect(applyRule(pair, { patient: open, candidate: use('lorazepam') }, knowledge).truth).toBe('true');
    expect(applyRule(pair, { patient: patient(), candidate: use('lorazepam') }, knowledge).truth).toBe(
      'unknown',
    );
    expect(applyRule(pair, { patient: patient(), candidate: use('lisinopril') }, knowledge).truth).toBe(
      'false',
    );
    expect(applyRule(pair, { patient: patient(), candidate: use('valsartan') }, knowledge).truth).toBe(
      'unknown',
    );
  });

  it('with two ways to hold, the candidate answers for the way it takes part in', () => {
    const two = rule(
      'class:arbs',
      'any(all(with class:nsaids, fact heart_failure), with class:benzodiazepines)',
      {
        action: combination,
      },
    );
    const p = (heart_failure: boolean) => ({ ...taking('valsartan', 'lorazepam'), facts: { heart_failure } });
    const is = (hf: boolean) =>
      applyRule(two, { patient: p(hf), candidate: use('naproxen') }, knowledge).truth;
    expect(is(true)).toBe('true');
    expect(is(false)).toBe('false');
  });

  it('a product with both drugs is a combination by itself', () => {
    const both = rule('amitriptyline', 'with class:benzodiazepines', { action: combination });
    expect(active(both, [], 'chlordiazepoxide-amitriptyline')).toBe('true');
    expect(active(both, [], 'amitriptyline')).toBe('false');
  });

  it('counts the time since the last dose from the candidate', () => {
    const washout = rule('class:ace_inhibitors', 'since < 36 h of class:neprilysin_inhibitors', {
      action: combination,
    });
    expect(active(washout, ['lisinopril'], 'sacubitril-valsartan')).toBe('true');
    expect(active(washout, ['amlodipine'], 'sacubitril-valsartan')).toBe('false');
    expect(active(washout, ['sacubitril-valsartan'], 'lisinopril')).toBe('true');
  });

  it('agrees with the plain definition for pairs of classes', () => {
    const pool = ['valsartan', 'losartan', 'lorazepam', 'oxazepam', 'lisinopril', 'naproxen'];
    const is = (d: string, key: string) => drugs.membership(d, key) === 'yes';
    fc.assert(
      fc.property(fc.subarray(pool), fc.constantFrom(...pool), (taken, candidate) => {
        const others = taken.filter((d) => d !== candidate);
        const expected =
          (is(candidate, 'arbs') && others.some((d) => is(d, 'benzodiazepines'))) ||
          (is(candidate, 'benzodiazepines') && others.some((d) => is(d, 'arbs')));
        expect(active(pair, taken, candidate)).toBe(String(expected));
      }),
    );
  });
});

describe('exceptions', () => {
  const unless = (...texts: string[]) =>
    rule('warfarin', 'age >= 65 a', {
      unless: texts.map((t) => ({ when: parseCondition(t), text: t })),
    });
  const is = (r: Applicable, more: object, candidate = 'warfarin') =>
    applyRule(r, { patient: years(79, more), candidate: use(candidate) }, knowledge).truth;
  const facts = (doac_barrier?: boolean, inr?: boolean) => ({
    facts: {
      ...(doac_barrier === undefined ? {} : { doac_barrier }),
      ...(inr === undefined ? {} : { inr_well_controlled: inr }),
    },
  });

  it.each([
    [facts(true), 'false'],
    [facts(false), 'unknown'],
    [facts(false, false), 'true'],
    [facts(false, true), 'false'],
    [facts(undefined, true), 'false'],
    [{}, 'unknown'],
  ])('with %o a rule with two exceptions is %s', (more, expected) => {
    expect(is(unless('fact doac_barrier', 'fact inr_well_controlled'), more)).toBe(expected);
  });

  it('no exception and a false target stay what they are', () => {
    expect(is(unless(), {})).toBe('true');
    expect(is(unless('fact doac_barrier'), {}, 'apixaban')).toBe('false');
  });

  it('both halves of an exception are needed', () => {
    const r = unless('all(fact other_options_failed, fact gastroprotection_possible)');
    const both = (a: boolean, b: boolean) => ({
      facts: { other_options_failed: a, gastroprotection_possible: b },
    });
    expect(is(r, both(true, true))).toBe('false');
    expect(is(r, both(true, false))).toBe('true');
    expect(is(r, { facts: { other_options_failed: true } })).toBe('unknown');
    expect(is(r, { facts: { other_options_failed: false } })).toBe('true');
  });
});

describe('a class that is partly known', () => {
  it('an unknown membership makes a rule unknown unless the rest fails', () => {
    const some: DrugKnowledge = { ...drugs, membership: () => 'unknown' };
    const k = { ...knowledge, drugs: some };
    const r = rule('class:opioids', 'age >= 65 a');
    const c = (age: number) => ({ patient: years(age), candidate: use('lisinopril') });
    expect(applyRule(r, c(79), k).truth).toBe('unknown');
    expect(applyRule(r, c(40), k).truth).toBe('false');
  });
});
