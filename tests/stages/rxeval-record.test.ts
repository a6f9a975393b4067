/** The record of a moment: what is in it, what is not, and which citations stand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cite } from '../../schemas/rxeval.js';
import { citeWhole, citeWords } from '../../stages/lib/clinical/judged.js';
import { checkCite, hasWords } from '../../stages/lib/record/cites.js';
import { hoursBetween, spanText } from '../../stages/lib/record/times.js';
import { at, event, handMoment, item, lab, order, span } from './rxeval-record.fixture.js';

const draw = event('E1', at('3 06:10'), { items: [lab.potassium('3.1'), lab.creatinine('0.9')] });
const value = (over: Partial<Cite> = {}): Cite => ({
  ref: 'E1',
  item: 'Potassium',
  value: '3.1',
  unit: 'mEq/L',
  quote: null,
  ...over,
});

describe('a moment', () => {
  it('holds what was available before the cut, and only the ids of what came later', () => {
    const late = event('E2', at('3 08:40'));
    const moment = handMoment({ events: [draw, late] });
    expect(moment.events.map((e) => e.event_id)).toEqual(['E1']);
    expect(moment.find('E2')).toBeNull();
    expect([...moment.laterEvents]).toEqual(['E2']);
  });

  it('knows which orders run at the cut', () => {
    const earlier = { starttime: at('2 08:00'), stoptime: at('5 08:00') };
    const orders = [
      order('O1', 'Furosemide', earlier),
      order('O2', 'Aspirin', { ...earlier, stoptime: at('3 08:40') }),
      order('O3', 'Heparin', { ...earlier, discontinued_at: at('3 01:00') }),
      order('O4', 'Lorazepam', { ...earlier, starttime: at('1 09:00'), frequency: 'ONCE' }),
      order('O5', 'Ketorolac', { ...earlier, starttime: at('2 20:00'), stoptime: null, frequency: 'ONCE' }),
      order('O6', 'Naloxone', { ...earlier, non_decision_reason: 'withdrawn' }),
    ];
    expect(handMoment({ orders }).activeOrders.map((o) => o.order_id)).toEqual(['O1', 'O5']);
  });

  it('knows which other orders start within a day after it', () => {
    const soon = (id: string, starttime: string) => order(id, 'Cefepime', { starttime });
    const orders = [soon('O1', at('4 09:00')), soon('O2', at('4 10:00')), soon('O3', at('2 10:00'))];
    const moment = handMoment({ orders, answers: [order('O9', 'Vancomycin')] });
    expect(moment.soonOrders.map((o) => o.order_id)).toEqual(['O1']);
  });

  it('tells times as hours and as words', () => {
    expect(hoursBetween(at('2 23:30'), at('3 01:00'))).toBe(1.5);
    expect([0.5, 5.333, 25, 48].map(spanText)).toEqual(['30 min', '5 h 20 min', '1 d 1 h', '2 d']);
    expect(() => hoursBetween('tomorrow', at('3 01:00'))).toThrow(/no time/);
  });
});

describe('citations', () => {
  const moment = handMoment({
    events: [
      draw,
      event('E2', at('3 09:00')),
      event('E3', at('3 05:00'), { is_shown: false }),
      event('E4', at('3 05:00'), { kind: 'radiology', text: 'Opacity of 13.5 mm at the left base.' }),
      event('E5', at('3 05:00'), { items: [lab.lactate('2.2', { is_shown: false })] }),
    ],
    spans: [span('S1', 'past_medical_history', 'Hypertension')],
  });
  const type = (cite: Cite) => checkCite(moment, cite)?.type ?? null;

  it.each([
    ['the value as shown', value(), null],
    ['the value written with another number of digits', value({ value: '3.10' }), null],
    ['an item of another case', value({ item: 'potassium' }), null],
    ['another number', value({ value: '3.2' }), 'wrong_value'],
    ['another unit', value({ unit: 'mg/dL' }), 'wrong_value'],
    ['no unit', value({ unit: null }), 'wrong_value'],
    ['an item that was not drawn', value({ item: 'Sodium' }), 'fabricated_fact'],
    ['an unknown event', value({ ref: 'E77' }), 'fabricated_fact'],
    ['an event of the cut itself', value({ ref: 'E2' }), 'temporal_violation'],
    ['an event that is not shown', citeWhole('E3'), 'fabricated_fact'],
    [
      'an item that is not shown',
      value({ ref: 'E5', item: 'Lactate', value: '2.2', unit: 'mmol/L' }),
      'fabricated_fact',
    ],
    ['words of a report', citeWords('E4', 'opacity of 13.5 mm'), null],
    ['words with another number', citeWords('E4', 'opacity of 18.5 mm'), 'wrong_value'],
    ['part of a number', citeWords('E4', 'opacity of 13'), 'wrong_value'],
    ['words that are not there', citeWords('E4', 'consolidation'), 'fabricated_fact'],
    ['part of a word', citeWords('S1', 'tension'), 'fabricated_fact'],
    ['a span', citeWords('S1', 'hypertension'), null],
    ['an empty quote', citeWords('S1', ' '), 'fabricated_fact'],
  ])('%s', (_, cite, expected) => expect(type(cite)).toBe(expected));

  it('a value is found whatever its digits, and never another one', () => {
    const number = fc.double({ min: 0.1, max: 500, noNaN: true }).map((x) => x.toFixed(1));
    fc.assert(
      fc.property(number, number, (a, b) => {
        const m = handMoment({ events: [event('E1', at('3 06:00'), { items: [item('Potassium', a)] })] });
        const got = checkCite(m, value({ value: b, unit: null }));
        expect(got === null).toBe(Number(a) === Number(b));
      }),
    );
  });

  it('words are whole words', () => {
    expect(hasWords('Potassium 3.1 mEq/L (low)', '3.1 mEq/L')).toBe(true);
    expect(hasWords('Potassium 13.1 mEq/L', '3.1 mEq/L')).toBe(false);
    expect(hasWords('1,200 mL', '200 mL')).toBe(false);
  });
});
