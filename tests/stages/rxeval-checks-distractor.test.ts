/** Every fault that code must see in a distractor, planted one at a time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DISTRACTOR_ISSUES, type DistractorIssue } from '../../schemas/rxeval.js';
import { Usage } from '../../stages/lib/distractors/pick.js';
import { authorByRules } from '../../stages/lib/distractors/rules-author.js';
import { checkDistractor, numbersIn } from '../../stages/lib/grounding/checks-distractor.js';
import type { Distractor } from '../../stages/lib/grounding/distractor.js';
import {
  caseOf,
  chain,
  chart,
  cite,
  claim,
  good,
  history,
  lowPotassium,
  noAllergies,
  quote,
} from './rxeval-distractor.fixture.js';
import { at, event, type Hand, item, lab, order, span } from './rxeval-record.fixture.js';

const hand: Hand = {
  ...lowPotassium,
  spans: [...history, span('S5', 'allergies', 'Penicillins')],
  events: [
    ...lowPotassium.events!,
    event('E7', at('3 06:30'), { items: [lab.lactate('1.1'), item('INR(PT)', '1.1', { itemid: 51237 })] }),
    event('E8', at('3 10:00'), { items: [chart.magnesium('1.2')] }),
    event('E9', at('2 09:00'), { kind: 'prescription', order_id: 'O9', text: 'Furosemide 40 mg IV' }),
  ],
  orders: [
    order('O9', 'Furosemide', {
      dose_val_rx: '40',
      dose_unit_rx: 'mg',
      route: 'IV',
      starttime: at('2 09:00'),
      decided_at: at('2 09:00'),
    }),
    order('O8', 'Magnesium Sulfate', {
      dose_val_rx: '2',
      dose_unit_rx: 'gm',
      route: 'IV',
      starttime: at('3 20:00'),
      decided_at: at('3 20:00'),
    }),
  ],
};
const c = caseOf(hand);
const phosphate = claim('not_indicated', cite('E1', 'Phosphate', '3.4', 'mg/dL'));

const planted: readonly [DistractorIssue, string, Partial<Distractor>][] = [
  [
    'fabricated_fact',
    'an event that is not there',
    { claims: [claim('not_indicated', ...phosphate.cites, cite('E99', 'Magnesium', '2.3', 'mg/dL'))] },
  ],
  ['fabricated_fact', 'words that are not there', { plausible_cites: [quote('S2', 'Crohn disease')] }],
  [
    'wrong_value',
    'another value',
    { claims: [claim('not_indicated', cite('E1', 'Phosphate', '3.8', 'mg/dL'))] },
  ],
  [
    'wrong_value',
    'another unit',
    { claims: [claim('not_indicated', cite('E1', 'Phosphate', '3.4', 'mmol/L'))] },
  ],
  [
    'wrong_value',
    'a number in the prose that nothing cites',
    { why_wrong: 'Phosphate 3.4 mg/dL after 2.9 is not low.' },
  ],
  [
    'temporal_violation',
    'a value of later',
    { claims: [claim('not_indicated', ...phosphate.cites, cite('E8', 'Magnesium', '1.2', 'mg/dL'))] },
  ],
  ['unknown_drug', 'no such drug', { drug: 'Phosphorin' }],
  ['unreal_dose_or_route', 'a route that nobody uses', { route: 'IT' }],
  ['unreal_dose_or_route', 'a dose that nobody orders', { dose_text: '1500 mmol' }],
  [
    'correct_drug_reused',
    'the correct drug by mouth',
    { drug: 'Potassium Chloride', dose_text: '40 mEq', route: 'PO' },
  ],
  [
    'active_or_started_soon',
    'a running drug in another dose',
    { drug: 'Furosemide', dose_text: '20 mg', route: 'IV' },
  ],
  [
    'active_or_started_soon',
    'a drug of the next hours',
    { drug: 'Magnesium Sulfate', dose_text: '2 gm', route: 'IV' },
  ],
  [
    'not_wrong',
    'a drug that is called for',
    {
      drug: 'Acetaminophen',
      dose_text: '650 mg',
      route: 'PO/NG',
      why_wrong: 'It is not needed.',
      claims: [claim('hepatic', cite('E2', 'Heart Rate', '82', 'bpm'))],
    },
  ],
  ['unproven', 'nothing claimed', { claims: [] }],
  ['unproven', 'nothing cited', { claims: [claim('not_indicated')] }],
  [
    'unproven',
    'a claim that the record does not bear out',
    { claims: [claim('electrolyte', ...phosphate.cites)] },
  ],
  [
    'unproven',
    'a fact that has nothing to do with the proof',
    {
      claims: [claim('not_indicated', cite('E2', 'Heart Rate', '82', 'bpm'))],
      why_wrong: 'The heart rate is 82.',
    },
  ],
  ['wrong_mechanism', 'a danger of other drugs', { claims: [claim('qt', ...phosphate.cites)] }],
  [
    'institutional_reason',
    'the house',
    { why_wrong: 'Phosphate 3.4 mg/dL, and it is not on the formulary.' },
  ],
  ['broken_target', 'no such drug', { targets_order_id: 'O77' }],
  ['broken_target', 'no such step', { targets_step: 4 }],
  ['broken_target', 'no such way', { strategy: 'bad_luck' }],
  [
    'too_easy',
    'a drug from elsewhere',
    {
      drug: 'Piperacillin-Tazobactam',
      dose_text: '4.5 g',
      route: 'IV',
      why_wrong: 'Penicillin allergy.',
      claims: [claim('allergy', quote('S5', 'Penicillins'))],
    },
  ],
];

/** For `not_wrong` the patient has a fever that calls for the drug. */
const feverish = caseOf({
  ...hand,
  events: [...hand.events!, event('E6', at('3 08:00'), { kind: 'vital', items: [chart.temp('39.1')] })],
});

describe('checks of a distractor', () => {
  it('pass a clean one and prove its claim', () => {
    expect(checkDistractor(good, c)).toMatchObject({
      verdict: 'GOOD',
      issues: [],
      proofs: [{ by: 'indications' }],
    });
  });

  it.each(planted)('%s: %s', (type, _, change) => {
    const found = checkDistractor({ ...good, ...change }, type === 'not_wrong' ? feverish : c);
    expect(found.issues.map((i) => i.type)).toContain(type);
    expect(found.verdict).toBe(type === 'too_easy' ? 'TOO_EASY' : 'INVALID');
  });

  it('duplicate: the same drug stands already, in whatever dose', () => {
    const found = checkDistractor(good, c, [{ ...good, dose_text: '30 mmol' }]);
    expect(found.issues.map((i) => i.type)).toEqual(['duplicate']);
  });

  it('every type has been planted', () => {
    const types = new Set([...planted.map(([type]) => type), 'duplicate']);
    expect([...DISTRACTOR_ISSUES].filter((t) => !types.has(t))).toEqual([]);
  });

  it('numbers are those that stand alone', () => {
    expect(numbersIn('SpO2 of 91.5 %, B12, 25,000 units, H2 blocker, 3.1')).toEqual([91.5, 25000, 3.1]);
  });

  it('issues name ids and fields, never what the record says', () => {
    for (const [, , change] of planted)
      for (const { detail } of checkDistractor({ ...good, ...change }, c).issues)
        expect(detail).not.toMatch(/3\.4|Penicillin|weak for two days/);
  });
});

describe('the author without a model', () => {
  const value = (lo: number, hi: number): fc.Arbitrary<string> =>
    fc.double({ min: lo, max: hi, noNaN: true }).map((v) => v.toFixed(1));
  const anyHand = fc
    .record({
      k: value(2.5, 6.9),
      cr: value(0.5, 6),
      mg: value(1, 4),
      phos: value(1, 8),
      hr: value(40, 150),
      sbp: value(70, 200),
      temp: value(35, 40),
      allergy: fc.constantFrom(
        'Penicillins',
        'Sulfa (Sulfonamide Antibiotics)',
        'No Known Allergies',
        'aspirin',
      ),
      active: fc.subarray(['Furosemide', 'Lisinopril', 'Clopidogrel', 'Magnesium Sulfate', 'Aspirin'], {
        maxLength: 3,
      }),
      soon: fc.subarray(['Potassium Phosphate', 'Vancomycin', 'Haloperidol'], { maxLength: 2 }),
    })
    .map(
      (v): Hand => ({
        spans: [...history, span('S5', 'allergies', v.allergy)],
        events: [
          event('E1', at('3 06:00'), {
            items: [lab.potassium(v.k), lab.creatinine(v.cr), chart.magnesium(v.mg), chart.phosphate(v.phos)],
          }),
          event('E2', at('3 07:00'), {
            kind: 'vital',
            items: [chart.hr(v.hr), chart.sbp(v.sbp), chart.mbp(v.sbp), chart.temp(v.temp)],
          }),
          ...v.active.map((drug, i) =>
            event(`E5${i}`, at('2 09:00'), { kind: 'prescription', order_id: `O5${i}`, text: drug }),
          ),
        ],
        orders: [
          ...v.active.map((drug, i) =>
            order(`O5${i}`, drug, { starttime: at('2 09:00'), decided_at: at('2 09:00') }),
          ),
          ...v.soon.map((drug, i) =>
            order(`O6${i}`, drug, { starttime: at('3 15:00'), decided_at: at('3 15:00') }),
          ),
        ],
        answers: lowPotassium.answers!,
      }),
    );

  it('writes nothing that a fresh check refuses, no running drug and none of the next day', () => {
    fc.assert(
      fc.property(anyHand, (h) => {
        const made = authorByRules(caseOf(h), {
          n: 5,
          attempt_n: 1,
          label: '0',
          usage: new Usage(),
        }).distractors;
        const again = caseOf(h);
        for (const [i, d] of made.entries()) {
          expect(checkDistractor(d, again, made.slice(0, i))).toMatchObject({ verdict: 'GOOD' });
          expect((h.orders ?? []).map((o) => o.drug)).not.toContain(d.drug);
          expect(d.drug).not.toBe('Potassium Chloride');
        }
      }),
      { numRuns: 60 },
    );
  });

  it('finds something for an ordinary patient, by different ways', () => {
    const made = authorByRules(caseOf({ ...lowPotassium, spans: [...history, noAllergies] }), {
      n: 5,
      attempt_n: 1,
      label: '0',
      usage: new Usage(),
    });
    expect(made.distractors.length).toBeGreaterThan(0);
    expect(made.distractors.every((d) => d.targets_order_id === chain.order_id)).toBe(true);
  });
});
