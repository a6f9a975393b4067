/** Three-valued answers about a record: what is stated, what is denied, what nobody knows. */
import { describe, expect, it } from 'vitest';
import { mentionsIn, phrasePattern } from '../../stages/lib/clinical/mentions.js';
import { rowsOf } from '../../stages/lib/clinical/rules.js';
import { stateOf } from '../../stages/lib/clinical/state.js';
import { compare } from '../../stages/lib/clinical/values.js';
import { parseTerms } from '../../stages/lib/rule-terms.js';
import {
  at,
  clinical,
  event,
  type Hand,
  handMoment,
  item,
  lab,
  order,
  span,
} from './rxeval-record.fixture.js';

const judge = (hand: Hand, text: string) => {
  const [term] = parseTerms(text, { file: 'test', row: '1', field: 'term' });
  return stateOf(handMoment(hand), clinical).judge(term!);
};
const truth = (hand: Hand, text: string) => judge(hand, text).truth;

describe('what a text says', () => {
  const pattern = phrasePattern('pneumonia;PE;gi bleed*')!;
  it.each([
    ['Treated for pneumonia', 'stated'],
    ['No evidence of pneumonia', 'denied'],
    ['She denies cough, fever or pneumonia', 'denied'],
    ['No fever, but pneumonia on the film', 'stated'],
    ['Pneumonia was ruled out', 'denied'],
    ['Opacity concerning for pneumonia', 'considered'],
    ['Rule out PE', 'considered'],
    ['History of pneumonia in 2140', 'past'],
    ['Pneumonia two years ago', 'past'],
    ['Father died of pneumonia', 'family'],
    ['Denied chest pain, was found to have PE', 'stated'],
    ['GI-bleeding for two days', 'stated'],
  ])('%s: %s', (text, sense) => expect(mentionsIn(text, pattern).map((m) => m.sense)).toEqual([sense]));

  it('abbreviations stand as written, words do not depend on case, and neither is part of a word', () => {
    expect(mentionsIn('He can open his pe bag', pattern)).toEqual([]);
    expect(mentionsIn('PNEUMONIA', pattern)).toHaveLength(1);
    expect(mentionsIn('bronchopneumonia', pattern)).toEqual([]);
  });
});

describe('comparisons', () => {
  const draws = (...items: [string, string][]) => ({
    events: items.map(([time, k], i) => event(`E${i}`, at(time), { items: [lab.potassium(k)] })),
  });

  it('are about the latest value, and cite it', () => {
    const hand = draws(['2 06:00', '3.0'], ['3 06:00', '4.1']);
    expect(truth(hand, 'k < 3.5')).toBe(false);
    expect(judge(hand, 'k > 4').cites).toEqual([
      { ref: 'E1', item: 'Potassium', value: '4.1', unit: 'mEq/L', quote: null },
    ]);
  });

  it('do not speak of what was never measured, is too old, or came too late', () => {
    expect(truth({}, 'k < 3.5')).toBeNull();
    expect(truth(draws(['1 06:00', '3.0']), 'k < 3.5')).toBeNull();
    expect(truth(draws(['3 08:40', '3.0']), 'k < 3.5')).toBeNull();
  });

  it('a hidden value decides only what the reader sees too', () => {
    const hidden = event('E9', at('3 07:00'), { items: [lab.potassium('4.0', { is_shown: false })] });
    const seen = (k: string) => event('E1', at('2 20:00'), { items: [lab.potassium(k)] });
    expect(truth({ events: [seen('3.0'), hidden] }, 'k < 3.5')).toBeNull();
    expect(judge({ events: [seen('4.2'), hidden] }, 'k < 3.5')).toMatchObject({
      truth: false,
      cites: [{ ref: 'E1', value: '4.2' }],
    });
    expect(truth({ events: [hidden] }, 'k < 3.5')).toBeNull();
  });

  it('turn Fahrenheit into Celsius', () => {
    const temp = item('Temperature Fahrenheit', '101.8', { itemid: 223761, unit: '°F' });
    const hand = { events: [event('E1', at('3 06:00'), { kind: 'vital', items: [temp] })] };
    expect([truth(hand, 'temp > 38.7'), truth(hand, 'temp > 38.8')]).toEqual([true, false]);
  });

  it.each([
    [{ low: Number.NEGATIVE_INFINITY, high: 0.01 }, '<', 0.1, true],
    [{ low: Number.NEGATIVE_INFINITY, high: 0.01 }, '>', 0.1, false],
    [{ low: Number.NEGATIVE_INFINITY, high: 0.01 }, '<', 0.005, null],
    [{ low: 182, high: Number.POSITIVE_INFINITY }, '>', 10, true],
    [{ low: 182, high: Number.POSITIVE_INFINITY }, '<', 200, null],
  ] as const)('of a censored result: %o %s %d is %s', (value, sign, limit, expected) =>
    expect(compare(value, sign, limit)).toBe(expected),
  );
});

describe('conditions', () => {
  const history = [
    span('S1', 'history_of_present_illness', 'Three days of cough. No fever.'),
    span('S2', 'past_medical_history', 'Hypertension'),
  ];
  const film = (text: string) => event('E1', at('2 06:00'), { kind: 'radiology', text });

  it('hold when they are stated before the cut', () => {
    expect(truth({ spans: [span('S1', 'chief_complaint', 'Septic shock')] }, 'dx:septic_shock')).toBe(true);
    expect(truth({ events: [film('Acute left subdural hematoma.')] }, 'dx:sdh_traumatic')).toBe(true);
    expect(truth({ spans: history }, 'dx:hypertension')).toBe(true);
  });

  it('an acute one of the past history does not hold now, and is not denied either', () => {
    const spans = [...history, span('S3', 'past_medical_history', 'GI bleed')];
    expect(truth({ spans }, 'dx:gi_bleed')).toBeNull();
  });

  it('codes of earlier admissions tell of lasting conditions only', () => {
    const coded = (text: string, code: string) =>
      span('S4', 'past_medical_history', text, {
        source_table: 'diagnoses_icd',
        source_key: `hadm_id=1;seq_num=1;icd_code=${code};icd_version=10`,
      });
    expect(truth({ spans: [...history, coded('Type 2 diabetes', 'E119')] }, 'dx:dm2')).toBe(true);
    expect(truth({ spans: [...history, coded('Septic shock', 'R6521')] }, 'dx:septic_shock')).not.toBe(true);
  });

  it('silence is no answer where no history is on record, or where they may begin in hospital', () => {
    expect(truth({}, 'dx:ich')).toBeNull();
    expect(truth({ spans: history }, 'dx:ich')).toBe(false);
    expect(truth({ spans: history }, 'dx:septic_shock')).toBeNull();
    const calm = event('E2', at('3 07:00'), {
      kind: 'vital',
      items: [
        item('Mean pressure', '80', { itemid: 220181, unit: 'mmHg' }),
        item('Lactate', '1.1', { itemid: 50813, unit: 'mmol/L' }),
      ],
    });
    expect(judge({ spans: history, events: [calm] }, 'dx:septic_shock')).toMatchObject({
      truth: false,
      cites: [{ ref: 'E2' }, { ref: 'E2' }],
    });
  });

  it('one of the other sex cannot be there', () => {
    expect(truth({ spans: history, gender: 'M' }, 'dx:preeclampsia')).toBe(false);
  });
});

describe('drugs, allergies, procedures', () => {
  it('an order that runs is cited by its event', () => {
    const hand = {
      orders: [order('O1', 'NORepinephrine', { route: 'IV DRIP', starttime: at('3 01:00') })],
      events: [event('E1', at('3 01:00'), { kind: 'prescription', order_id: 'O1', text: 'NORepinephrine' })],
    };
    expect(judge(hand, 'drug:norepinephrine')).toMatchObject({ truth: true, cites: [{ ref: 'E1' }] });
    expect(truth({}, 'drug:norepinephrine')).toBe(false);
  });

  it('allergies are known only where the list is', () => {
    const list = (text: string) => ({ spans: [span('S1', 'allergies', text)] });
    expect(truth(list('Zosyn'), 'allergy:penicillin')).toBe(true);
    expect(truth(list('Sulfa (Sulfonamide Antibiotics)'), 'allergy:penicillin')).toBe(false);
    expect(truth(list('Unknown'), 'allergy:penicillin')).toBeNull();
  });

  it('ventilation ends with extubation', () => {
    const step = (id: string, time: string, text: string, itemid: number) =>
      event(id, at(time), { kind: 'procedure', text, items: [item(text, text, { itemid })] });
    const tube = step('E1', '2 10:00', 'Invasive Ventilation', 225792);
    expect(truth({ events: [tube] }, 'proc:invasive_vent')).toBe(true);
    const out = step('E2', '3 01:00', 'Extubation', 227194);
    expect(judge({ events: [tube, out] }, 'proc:invasive_vent')).toMatchObject({
      truth: false,
      cites: [{ ref: 'E2' }],
    });
  });
});

describe('indications', () => {
  const low = event('E1', at('3 06:10'), { items: [lab.potassium('3.1'), lab.creatinine('0.9')] });
  const rules = (hand: Hand, key: string) =>
    Object.fromEntries(rowsOf(stateOf(handMoment(hand), clinical), key).map((r) => [r.row.rule_id, r]));

  it('hold with the places that show them', () => {
    expect(rules({ events: [low] }, 'kcl_iv').R001).toMatchObject({
      truth: true,
      fresh_at: at('3 06:10'),
      clauses: [{ cites: [{ ref: 'E1', item: 'Potassium' }] }],
    });
  });

  it('a guard that is violated makes them false, an unknown one does not', () => {
    const kidney = event('E2', at('3 07:00'), { items: [lab.creatinine('5.2')] });
    expect(rules({ events: [low, kidney] }, 'kcl_iv').R001!.truth).toBe(false);
    const alone = event('E1', at('3 06:10'), { items: [lab.potassium('3.1')] });
    expect(rules({ events: [alone] }, 'kcl_iv').R001!.truth).toBe(true);
  });

  it('a condition alone needs a finding of this admission beside it', () => {
    const spans = [span('S1', 'history_of_present_illness', 'Septic shock from pneumonia.')];
    expect(rules({ spans }, 'norepinephrine').R022!.truth).toBeNull();
    const events = [event('E1', at('3 06:00'), { items: [lab.lactate('4.2')] })];
    expect(rules({ spans, events }, 'norepinephrine').R022).toMatchObject({
      truth: true,
      clauses: [{ cites: [{ ref: 'S1' }] }, { cites: [{ ref: 'E1', item: 'Lactate' }] }],
    });
  });
});
