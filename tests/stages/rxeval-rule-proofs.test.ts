/** Claims that medication-safety rules decide: the patient of the record before the rule engine. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Rule, RuleBody } from '../../schemas/rule.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { readDrugGroups } from '../../stages/lib/drug-groups.js';
import { patientOf } from '../../stages/lib/grounding/rule-patient.js';
import { openRuleBook, type RuleBook } from '../../stages/lib/grounding/rule-proofs.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';
import { bodyHash } from '../../stages/lib/rules/fields.js';
import { guidelineRows } from '../support/guidelines.js';
import { body } from './rule-body.fixture.js';
import { realConcepts } from './rule-engine.support.js';
import {
  chart,
  history,
  lowPotassium,
  noAllergies,
  proverOf,
  rx,
  tables,
  withBook,
} from './rxeval-distractor.fixture.js';
import { at, event, type Hand, lab, order, span } from './rxeval-record.fixture.js';

const rule = (
  rule_id: string,
  drug: string,
  when: string,
  more: Partial<RuleBody> & { status?: Rule['status'] } = {},
) => {
  const { status, ...parts } = more;
  const b = body({
    target: [parseRef(drug)],
    population: parseCondition('always'),
    when: parseCondition(when),
    unless: [],
    special_population: 'none',
    ...parts,
  });
  return {
    rule_id,
    source_id: 'test',
    row_id: rule_id,
    label: drug,
    status: status ?? 'checked',
    is_usable: true,
    body: canonicalJson(b),
    spans: '[]',
    content_hash: bodyHash(b),
  };
};
const together = { ...body().action, kind: 'avoid combination', object: 'combination' } as const;

const bookOf = (...rules: ReturnType<typeof rule>[]): RuleBook =>
  openRuleBook({
    rules,
    drug_names: guidelineRows('drug-names') as never,
    drug_classes: guidelineRows('classes') as never,
    class_words: guidelineRows('class-words') as never,
    concepts: realConcepts(),
    drug_groups: readDrugGroups((f) => readFileSync(f, 'utf8')),
  });

const prove = (
  hand: Hand,
  book: RuleBook,
  p: ReturnType<typeof rx>,
  kind: Parameters<ReturnType<typeof proverOf>['prove']>[1],
) => proverOf(hand, withBook(book)).prove(p, kind);

const spans = [...history, noAllergies];
const enoxaparin = rx('Enoxaparin Sodium', '80 mg', 'SC');

describe('kidney function', () => {
  const book = bookOf(rule('K1', 'enoxaparin', 'CrCl < 30 mL/min'));
  const kidneys = (before: string, now: string, weight: string | null, from = '2 06:00'): Hand => ({
    spans,
    events: [
      event('E1', at(from), { items: [lab.creatinine(before)] }),
      event('E2', at('3 06:00'), { items: [lab.creatinine(now)] }),
      ...(weight === null
        ? []
        : [event('E3', at('2 05:00'), { kind: 'vital', items: [chart.weight(weight)] })]),
    ],
  });

  it('a charted weight and a steady creatinine give the clearance, and both are cited', () => {
    // (140 - 64) x 60 / (72 x 3.0) x 0.85 = 17.9 mL/min
    expect(prove(kidneys('2.9', '3.0', '60'), book, enoxaparin, 'renal')).toEqual({
      proof: {
        claim: 'renal',
        by: 'medpic_rule',
        rule_ids: ['K1'],
        rule_status: 'checked',
        cites: [
          { ref: 'E2', item: 'Creatinine', value: '3.0', unit: 'mg/dL', quote: null },
          { ref: 'E3', item: 'Admission Weight (Kg)', value: '60', unit: 'kg', quote: null },
        ],
      },
    });
  });

  it.each([
    ['no weight', kidneys('2.9', '3.0', null)],
    ['creatinine rises by 0.3', kidneys('2.7', '3.0', '60')],
    ['creatinine rises by half', kidneys('0.4', '0.6', '60')],
    ['one creatinine alone', { spans, events: kidneys('2.9', '3.0', '60').events!.slice(1) }],
    ['values too far apart in time', kidneys('2.9', '3.0', '60', '1 05:00')],
  ])('%s: unknown, so nothing is proved', (_, hand) => {
    expect(prove(hand, book, enoxaparin, 'renal')).toMatchObject({ problem: 'unproven' });
  });

  it('a clearance over the limit proves nothing', () => {
    expect(prove(kidneys('0.9', '0.9', '60'), book, enoxaparin, 'renal')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('a rule that says no beats our own table', () => {
    const hand: Hand = {
      spans: [...spans, span('S9', 'past_medical_history', 'End stage renal disease on dialysis.')],
      events: kidneys('2.9', '3.0', '60').events!,
    };
    const metformin = rx('MetFORMIN (Glucophage)', '500 mg', 'PO');
    expect(
      prove(
        hand,
        bookOf(rule('K2', 'metformin', 'CrCl < 30 mL/min', { status: 'verified' })),
        metformin,
        'renal',
      ),
    ).toMatchObject({
      proof: { by: 'medpic_rule', rule_ids: ['K2', expect.stringMatching(/^C/)], rule_status: 'verified' },
    });
    expect(
      prove(hand, bookOf(rule('K3', 'metformin', 'CrCl < 10 mL/min')), metformin, 'renal'),
    ).toMatchObject({ problem: 'contradicted' });
  });

  it('a rule for people that the patient is not among says nothing, neither for nor against', () => {
    const hand: Hand = {
      spans: [...spans, span('S9', 'past_medical_history', 'End stage renal disease on dialysis.')],
      events: kidneys('2.9', '3.0', '60').events!,
    };
    const forMen = rule('K6', 'metformin', 'CrCl < 10 mL/min', { population: parseCondition('male') });
    expect(prove(hand, bookOf(forMen), rx('MetFORMIN (Glucophage)', '500 mg', 'PO'), 'renal')).toMatchObject({
      proof: { by: 'contraindication' },
    });
  });

  it('rules that are no more than drafts, or are not usable, take no part', () => {
    for (const bad of [
      rule('K4', 'enoxaparin', 'CrCl < 30 mL/min', { status: 'draft' }),
      { ...rule('K5', 'enoxaparin', 'CrCl < 30 mL/min'), is_usable: false },
    ])
      expect(prove(kidneys('2.9', '3.0', '60'), bookOf(bad), enoxaparin, 'renal')).toMatchObject({
        problem: 'unproven',
      });
  });
});

describe('allergy, pregnancy, interaction, twice the same', () => {
  it('allergy: the list of the note', () => {
    const book = bookOf(
      rule('A1', 'amoxicillin', 'fact penicillin_allergy'),
      rule('A2', 'ampicillin', 'fact penicillin_allergy'),
    );
    const hand: Hand = { spans: [...history, span('S5', 'allergies', 'Penicillins')] };
    expect(prove(hand, book, rx('Ampicillin Sodium', '2 g', 'IV'), 'allergy')).toMatchObject({
      proof: { by: 'medpic_rule', rule_ids: ['A2', 'C003'], cites: [{ ref: 'S5' }] },
    });
    expect(prove({ spans }, book, rx('Ampicillin Sodium', '2 g', 'IV'), 'allergy')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('pregnancy: a condition that only pregnant women have; never by age and sex alone', () => {
    const book = bookOf(rule('P1', 'warfarin', 'fact pregnant'));
    const warfarin = rx('Warfarin', '5 mg', 'PO/NG');
    const pregnant: Hand = {
      spans: [...spans, span('S9', 'history_of_present_illness', 'She has severe preeclampsia.')],
    };
    expect(prove(pregnant, book, warfarin, 'pregnancy')).toMatchObject({
      proof: { rule_ids: ['P1', 'C166'] },
    });
    expect(prove({ spans }, book, warfarin, 'pregnancy')).toMatchObject({ problem: 'unproven' });
  });

  const running = (drug: string, more = {}): Hand => ({
    spans,
    orders: [order('O9', drug, { starttime: at('2 09:00'), decided_at: at('2 09:00'), ...more })],
    events: [event('E9', at('2 09:00'), { kind: 'prescription', order_id: 'O9', text: drug })],
  });

  it('interaction: with a drug that runs, from either side, and cites its order', () => {
    const book = bookOf(rule('I1', 'class:opioids', 'with class:benzodiazepines', { action: together }));
    expect(
      prove(running('LORazepam'), book, rx('Morphine Sulfate', '2-4 mg', 'IV'), 'interaction'),
    ).toMatchObject({
      proof: { rule_ids: ['I1'], cites: [{ ref: 'E9' }] },
    });
    expect(
      prove(running('Morphine Sulfate'), book, rx('LORazepam', '0.5-2 mg', 'IV'), 'interaction'),
    ).toMatchObject({
      proof: { rule_ids: ['I1'], cites: [{ ref: 'E9' }] },
    });
    const stopped = running('LORazepam', { stoptime: at('3 01:00') });
    expect(prove(stopped, book, rx('Morphine Sulfate', '2-4 mg', 'IV'), 'interaction')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('a rule on another pair does not speak against our own row', () => {
    const book = bookOf(rule('I2', 'valproate', 'with topiramate', { action: together }));
    expect(
      prove(running('Meropenem'), book, rx('Valproate Sodium', '500 mg', 'IV'), 'interaction'),
    ).toMatchObject({
      proof: { by: 'contraindication', rule_ids: ['C155'] },
    });
  });

  it('twice the same class', () => {
    const book = bookOf(rule('D1', 'class:nsaids', 'with class:nsaids', { action: together }));
    expect(
      prove(running('Ibuprofen'), book, rx('Ketorolac', '15 mg', 'IV'), 'duplicate_therapy'),
    ).toMatchObject({
      proof: { by: 'medpic_rule', rule_ids: ['D1'], cites: [{ ref: 'E9' }] },
    });
  });

  it('of rules for older adults only limits by kidney function prove anything', () => {
    const book = bookOf(
      rule('B2', 'class:opioids', 'with class:benzodiazepines', {
        action: together,
        special_population: 'older adults',
      }),
    );
    expect(
      prove(running('LORazepam'), book, rx('Morphine Sulfate', '2-4 mg', 'IV'), 'interaction'),
    ).toMatchObject({ problem: 'wrong_mechanism' });
  });

  it('age alone proves nothing', () => {
    const book = bookOf(rule('B1', 'diphenhydramine', 'age >= 60 a'));
    const p = rx('DiphenhydrAMINE', '25 mg', 'PO/NG');
    for (const kind of ['disease', 'renal', 'interaction'] as const)
      expect(prove({ spans }, book, p, kind)).toMatchObject({ problem: expect.any(String) });
  });
});

describe('the patient of a record', () => {
  const known = { formulary: tables.formulary, index: bookOf().index, links: tables.links };
  const patient = (hand: Hand) => patientOf(proverOf(hand).state, known).patient;

  it('lists are closed only where the note has them, and no condition is false for want of words', () => {
    expect(patient({ spans }).closed).toEqual(['allergies', 'medications']);
    expect(patient({ spans: [] }).closed).toEqual([]);
    expect(Object.values(patient({ ...lowPotassium, spans }).facts)).not.toContain(false);
  });

  it('a running drug that no table knows leaves the list of medicines open', () => {
    const hand: Hand = {
      spans,
      orders: [
        order('O9', 'Investigational Agent 7', { starttime: at('2 09:00'), decided_at: at('2 09:00') }),
      ],
    };
    expect(patient(hand).closed).toEqual(['allergies']);
  });

  it('home medicines count in the first day only', () => {
    const home = [...history.slice(0, 3), span('S3', 'medications_on_admission', 'Warfarin'), noAllergies];
    expect(patient({ spans: home }).medications).toEqual([]);
    expect(patient({ spans: home, cut_at: at('1 20:00') }).medications.map((m) => m.drug)).toEqual([
      'warfarin',
    ]);
  });
});
