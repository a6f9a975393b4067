/** Code finds what is planted into clean chains, and nothing in clean ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainIssue, ChainStep, Cite } from '../../schemas/rxeval.js';
import type { Chain } from '../../stages/lib/chains/chain.js';
import { checkChain, contradictions } from '../../stages/lib/grounding/checks-chain.js';
import { ruleChains, septicMoment } from './rxeval-chains.fixture.js';

const moment = septicMoment();
const clean = ruleChains(moment);
const chainOf = (order_id: string): Chain => clean.find((c) => c.order_id === order_id)!;
const potassium = chainOf('O1');
const types = (chain: Chain): ChainIssue[] => [...new Set(checkChain(moment, chain).map((p) => p.type))];

/** The chain with one step changed. */
function withStep(chain: Chain, number: number, change: (step: ChainStep) => ChainStep): Chain {
  return { ...chain, steps: chain.steps.map((s) => (s.number === number ? change(s) : s)) };
}
const withCite = (chain: Chain, number: number, change: Partial<Cite>): Chain =>
  withStep(chain, number, (s) => ({ ...s, cites: s.cites.map((c) => ({ ...c, ...change })) }));

describe('clean chains', () => {
  it('there is one for every drug, of every class', () => {
    expect(clean.map((c) => [c.order_id, c.drug_class, c.rule_id])).toEqual([
      ['O1', 'REASONED_NEW', 'R001'],
      ['O2', 'REASONED_NEW', 'R022'],
      ['O3', 'CONTINUATION', 'home_list'],
      ['O4', 'ROUTINE', 'partner'],
      ['O5', 'ROUTINE', 'admission'],
    ]);
  });

  it('code has nothing against them', () => {
    for (const chain of clean) expect(checkChain(moment, chain), chain.order_id).toEqual([]);
    expect(contradictions(clean).size).toBe(0);
  });

  it('say what stands in the record', () => {
    expect(potassium.steps[0]).toEqual({
      number: 1,
      fact: 'Potassium is 3.1 mEq/L.',
      cites: [{ ref: 'E2', item: 'Potassium', value: '3.1', unit: 'mEq/L', quote: null }],
      depends_on: [],
      inference: 'This is below 3.5 mEq/L.',
    });
  });
});

describe('planted faults', () => {
  it.each<[string, ChainIssue, Chain]>([
    ['an event that does not exist', 'fabricated_fact', withCite(potassium, 1, { ref: 'E404' })],
    ['an item that was not measured', 'fabricated_fact', withCite(potassium, 1, { item: 'Sodium' })],
    ['words that nobody wrote', 'fabricated_fact', withCite(chainOf('O2'), 1, { quote: 'anaphylaxis' })],
    ['another cited value', 'wrong_value', withCite(potassium, 1, { value: '2.1' })],
    ['another cited unit', 'wrong_value', withCite(potassium, 1, { unit: 'mg/dL' })],
    [
      'another number in the prose',
      'wrong_value',
      withStep(potassium, 1, (s) => ({ ...s, fact: 'Potassium is 2.1 mEq/L.' })),
    ],
    [
      'another unit in the prose',
      'wrong_value',
      withStep(potassium, 1, (s) => ({ ...s, fact: 'Potassium is 3.1 mg/dL.' })),
    ],
    ['a value of after the cut', 'temporal_violation', withCite(potassium, 1, { ref: 'E9', value: '3.3' })],
    [
      'another order of the moment as evidence',
      'temporal_violation',
      withCite(potassium, 1, { ref: 'O2', item: null, value: null, unit: null }),
    ],
    [
      'the own order',
      'self_justification',
      withCite(chainOf('O4'), 1, { ref: 'O4', item: null, value: null, unit: null }),
    ],
    [
      'the own name as evidence',
      'self_justification',
      withStep(chainOf('O2'), 2, (s) => ({ ...s, fact: `${s.fact} Norepinephrine was started.` })),
    ],
    [
      'a step that depends on a later one',
      'broken_dependency',
      withStep(potassium, 1, (s) => ({ ...s, depends_on: [2] })),
    ],
    [
      'a step that nothing uses',
      'broken_dependency',
      withStep(chainOf('O2'), chainOf('O2').steps.length, (s) => ({ ...s, depends_on: [1] })),
    ],
    [
      'a conclusion that rests on nothing',
      'broken_dependency',
      withStep(potassium, 2, (s) => ({ ...s, depends_on: [] })),
    ],
    [
      'a new drug without anything new',
      'insufficient_evidence',
      { ...chainOf('O3'), order_id: 'O2', drug_class: 'REASONED_NEW' },
    ],
    ['a hedged summary', 'self_negation', { ...potassium, summary: 'It is unclear why this was given.' }],
    [
      'a hedged conclusion',
      'self_negation',
      withStep(potassium, 2, (s) => ({ ...s, inference: 'It was presumably given for this.' })),
    ],
    ['no steps', 'empty_chain', { ...potassium, steps: [] }],
    ['no summary', 'empty_chain', { ...potassium, summary: ' ' }],
  ])('%s is %s', (_, type, chain) => expect(types(chain)).toContain(type));

  it('one value called high and low in two chains', () => {
    const high = withStep(potassium, 1, (s) => ({ ...s, inference: 'Potassium is high.' }));
    const low = {
      ...withStep(potassium, 1, (s) => ({ ...s, inference: 'Potassium is low.' })),
      order_id: 'O2',
    };
    expect([...contradictions([high, low]).keys()]).toEqual(['O1', 'O2']);
    expect(contradictions([low, potassium]).size).toBe(0);
  });

  it('a relative time is no wrong value when it is right', () => {
    const told = (ago: string) =>
      withStep(potassium, 1, (s) => ({ ...s, fact: `Potassium was 3.1 mEq/L ${ago} before.` }));
    expect(types(told('2 h 30 min'))).toEqual([]);
    expect(types(told('7 h'))).toEqual(['wrong_value']);
  });
});

describe('random corruption', () => {
  const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
  const cited = clean.flatMap((chain) =>
    chain.steps.filter((s) => s.cites.length > 0).map((s) => ({ chain, number: s.number })),
  );
  const valued = cited.filter(({ chain, number }) => chain.steps[number - 1]!.cites[0]!.value !== null);

  it('a reference to nowhere is always found', () => {
    fc.assert(
      fc.property(pick(cited), fc.stringMatching(/^[EST][0-9a-f]{12}$/), ({ chain, number }, ref) => {
        expect(types(withCite(chain, number, { ref }))).toContain('fabricated_fact');
      }),
    );
  });

  it('any other value is always found, in the citation and in the prose', () => {
    fc.assert(
      fc.property(pick(valued), fc.double({ min: 0, max: 900, noNaN: true }), ({ chain, number }, x) => {
        const step = chain.steps[number - 1]!;
        const value = x.toFixed(1);
        fc.pre(Number(value) !== Number(step.cites[0]!.value));
        expect(types(withCite(chain, number, { value }))).toContain('wrong_value');
        const fact = step.fact.replace(step.cites[0]!.value!, value);
        // The lead time of the event may be repeated by a fact.
        fc.pre(!['2', '30', '40'].includes(String(Number(value))));
        expect(types(withStep(chain, number, (s) => ({ ...s, fact })))).toContain('wrong_value');
      }),
    );
  });

  it('an event of the cut or later is always found', () => {
    fc.assert(
      fc.property(pick(cited), ({ chain, number }) => {
        const whole = { ref: 'E9', item: null, value: null, unit: null, quote: null };
        expect(types(withCite(chain, number, whole))).toContain('temporal_violation');
      }),
    );
  });

  it('its own order is always found', () => {
    fc.assert(
      fc.property(pick(cited), ({ chain, number }) => {
        const whole = { ref: chain.order_id, item: null, value: null, unit: null, quote: null };
        expect(types(withCite(chain, number, whole))).toContain('self_justification');
      }),
    );
  });

  it('a dependency on itself, a later step or none is always found', () => {
    fc.assert(
      fc.property(pick(cited), fc.integer({ min: -3, max: 20 }), ({ chain, number }, on) => {
        fc.pre(on < 1 || on >= number);
        const broken = withStep(chain, number, (s) => ({ ...s, depends_on: [...s.depends_on, on] }));
        expect(types(broken)).toContain('broken_dependency');
      }),
    );
  });
});
