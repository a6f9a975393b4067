/** The choice among provable distractors: spread, whatever the order in which candidates come. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../schemas/rxeval.js';
import { pick, Usage } from '../../stages/lib/distractors/pick.js';
import type { Candidate } from '../../stages/lib/distractors/pool.js';
import { good } from './rxeval-distractor.fixture.js';

const candidate = (n: number, strategy = STRATEGIES[n % 5]!): Candidate => ({
  idea: { ...good, drug: `Drug ${n}`, strategy },
  ingredient: `drug ${n}`,
  drug_class: `class ${n % 7}`,
  tie: 'class',
  rule_ids: [],
});
const drugs = (list: readonly Candidate[]): string[] => list.map((c) => c.ingredient);

describe('the choice', () => {
  it('does not depend on the order of the candidates', () => {
    const all = Array.from({ length: 12 }, (_, n) => candidate(n));
    const first = drugs(pick(all, { n: 5, label: '0 T1', usage: new Usage() }));
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(drugs(pick(shuffled, { n: 5, label: '0 T1', usage: new Usage() }))).toEqual(first);
      }),
    );
  });

  it('takes a drug once, and every strategy where it can', () => {
    const all = Array.from({ length: 15 }, (_, n) => candidate(n));
    const chosen = pick([...all, ...all], { n: 5, label: '0 T1', usage: new Usage() });
    expect(new Set(drugs(chosen)).size).toBe(5);
    expect(new Set(chosen.map((c) => c.idea.strategy)).size).toBe(5);
  });

  it('over many moments no drug has more than its share by much', () => {
    const usage = new Usage();
    const all = Array.from({ length: 25 }, (_, n) => candidate(n));
    for (let i = 0; i < 200; i++) pick(all, { n: 5, label: `0 T${i}`, usage });
    expect(usage.topShare()).toBeLessThan(1.25 / 25);
  });

  it('moments that stay short do not count', () => {
    const usage = new Usage();
    expect(pick([candidate(1)], { n: 5, label: '0 T1', usage })).toHaveLength(1);
    expect(usage.topShare()).toBe(0);
  });
});
