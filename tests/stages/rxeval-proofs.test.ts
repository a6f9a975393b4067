/** Proofs that a drug is wrong: what the record says proves it, what it leaves open does not. */
import { describe, expect, it } from 'vitest';
import { chart, history, lowPotassium, noAllergies, proverOf, rx } from './rxeval-distractor.fixture.js';
import { at, event, type Hand, item, lab, order, span } from './rxeval-record.fixture.js';

const prove = (
  hand: Hand,
  drug: ReturnType<typeof rx>,
  kind: Parameters<ReturnType<typeof proverOf>['prove']>[1],
) => proverOf(hand).prove(drug, kind);
const labs = (...items: ReturnType<typeof item>[]): Hand => ({
  spans: [...history, noAllergies],
  events: [event('E1', at('3 06:00'), { items })],
});

describe('absolute contraindications', () => {
  it('prove with the value that makes them hold', () => {
    expect(prove(labs(lab.potassium('5.9')), rx('Spironolactone', '25 mg', 'PO/NG'), 'electrolyte')).toEqual({
      proof: {
        claim: 'electrolyte',
        by: 'contraindication',
        rule_ids: ['C026'],
        rule_status: null,
        cites: [{ ref: 'E1', item: 'Potassium', value: '5.9', unit: 'mEq/L', quote: null }],
      },
    });
  });

  it('relative ones alone prove nothing', () => {
    // C027, potassium over 5.3 with lisinopril, is a caution.
    const found = prove(labs(lab.potassium('5.9')), rx('Lisinopril', '10 mg', 'PO/NG'), 'electrolyte');
    expect(found).toMatchObject({ problem: 'unproven' });
  });

  it('what was never measured, is normal, or is hidden proves nothing', () => {
    const drug = rx('Spironolactone', '25 mg', 'PO/NG');
    expect(prove(labs(), drug, 'electrolyte')).toMatchObject({ problem: 'unproven' });
    expect(prove(labs(lab.potassium('4.2')), drug, 'electrolyte')).toMatchObject({ problem: 'unproven' });
    const hidden = labs(lab.potassium('5.9', { is_shown: false }));
    expect(prove(hidden, drug, 'electrolyte')).toMatchObject({ problem: 'unproven' });
  });

  it('a danger that a correct drug shares proves nothing', () => {
    // C026 and C025, potassium over 5.3, are one family.
    const shared: Hand = {
      ...labs(lab.potassium('5.9')),
      answers: [order('O1', 'Potassium Chloride', { dose_val_rx: '20', dose_unit_rx: 'mEq', route: 'IV' })],
    };
    const found = prove(shared, rx('Spironolactone', '25 mg', 'PO/NG'), 'electrolyte');
    expect(found).toMatchObject({ problem: 'unproven' });
  });

  it('a danger that the drug does not have is a wrong mechanism', () => {
    const found = prove(labs(lab.potassium('5.9')), rx('Magnesium Sulfate', '2 gm', 'IV'), 'qt');
    expect(found).toMatchObject({ problem: 'wrong_mechanism' });
  });

  it('an allergy is proved by the group or by the name of the drug', () => {
    const allergic: Hand = { spans: [...history, span('S5', 'allergies', 'Penicillins')] };
    const piperacillin = rx('Piperacillin-Tazobactam', '4.5 g', 'IV');
    expect(prove(allergic, piperacillin, 'allergy')).toMatchObject({
      proof: { rule_ids: ['C001'], cites: [{ ref: 'S5' }] },
    });
    const named: Hand = { spans: [...history, span('S5', 'allergies', 'Levetiracetam')] };
    expect(prove(named, rx('LevETIRAcetam', '500 mg', 'IV'), 'allergy')).toMatchObject({
      proof: { rule_ids: ['allergen'], cites: [{ ref: 'S5' }] },
    });
    expect(prove({ spans: [...history, noAllergies] }, piperacillin, 'allergy')).toMatchObject({
      problem: 'unproven',
    });
  });
});

describe('not indicated', () => {
  it('is proved when a value rules out every use', () => {
    const found = prove(lowPotassium, rx('Phytonadione', '10 mg', 'IV'), 'not_indicated');
    expect(found).toMatchObject({ problem: 'unproven' });
    const withInr = {
      ...lowPotassium,
      events: [
        ...lowPotassium.events!,
        event('E3', at('3 06:30'), { items: [item('INR(PT)', '1.1', { itemid: 51237 })] }),
      ],
    };
    expect(prove(withInr, rx('Potassium Phosphate', '15 mmol', 'IV'), 'not_indicated')).toMatchObject({
      proof: { by: 'indications', rule_ids: ['R005'], cites: [{ item: 'Phosphate', value: '3.4' }] },
    });
  });

  it('is not proved by safety alone: low phosphate with bad kidneys still calls for phosphate', () => {
    const hand = labs(chart.phosphate('1.6'), lab.creatinine('3.9'));
    expect(prove(hand, rx('Potassium Phosphate', '15 mmol', 'IV'), 'not_indicated')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('is not proved while one use is open', () => {
    const hand = labs(lab.potassium('4.9'));
    // Without a magnesium nobody knows whether it is wanted.
    expect(prove(hand, rx('Magnesium Sulfate', '2 gm', 'IV'), 'not_indicated')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('is not proved for a drug of which no use is written down', () => {
    expect(prove(lowPotassium, rx('Tamsulosin', '0.4 mg', 'PO'), 'not_indicated')).toMatchObject({
      problem: 'unproven',
    });
    expect(prove(lowPotassium, rx('Somedrug', '1 mg', 'PO'), 'not_indicated')).toMatchObject({
      problem: 'unproven',
    });
  });

  it('a use that holds is found', () => {
    expect(proverOf(lowPotassium).indication(rx('Potassium Chloride', '20 mEq', 'IV'))).toMatchObject({
      rule_id: 'R001',
    });
    expect(proverOf(lowPotassium).indication(rx('Magnesium Sulfate', '2 gm', 'IV'))).toBeNull();
  });
});

describe('a running drug of the same group', () => {
  const running: Hand = {
    ...lowPotassium,
    orders: [
      order('O9', 'Clopidogrel', { starttime: at('2 09:00'), decided_at: at('2 09:00'), route: 'PO' }),
    ],
    events: [
      ...lowPotassium.events!,
      event('E9', at('2 09:00'), { kind: 'prescription', order_id: 'O9', text: 'Clopidogrel 75 mg PO' }),
    ],
  };
  it('proves that another one is too much', () => {
    expect(prove(running, rx('TiCAGRELOR', '90 mg', 'PO'), 'duplicate_therapy')).toMatchObject({
      proof: { by: 'active_order', cites: [{ ref: 'E9' }] },
    });
  });
  it('proves nothing once it was stopped, or where it is not seen', () => {
    const stopped = { ...running, orders: [{ ...running.orders![0]!, stoptime: at('3 01:00') }] };
    expect(prove(stopped, rx('TiCAGRELOR', '90 mg', 'PO'), 'duplicate_therapy')).toMatchObject({
      problem: 'unproven',
    });
    const unseen = { ...running, events: lowPotassium.events! };
    expect(prove(unseen, rx('TiCAGRELOR', '90 mg', 'PO'), 'duplicate_therapy')).toMatchObject({
      problem: 'unproven',
    });
  });
});
