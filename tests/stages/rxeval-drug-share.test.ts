/** No drug fills the moments that go on. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MomentDrugs, overShare } from '../../stages/lib/chains/drug-share.js';

const drugs = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), {
  minLength: 1,
  maxLength: 3,
});
const moments = fc
  .array(drugs, { maxLength: 120 })
  .map((all) => all.map((names, i): MomentDrugs => ({ timepoint_id: `T${i}`, drugs: names })));
const share = fc.double({ min: 0.02, max: 1, noNaN: true });

describe('the share of a drug', () => {
  it('is kept, whatever comes in', () => {
    fc.assert(
      fc.property(moments, share, (all, max) => {
        const out = overShare(all, max);
        const left = all.filter((m) => !out.has(m.timepoint_id)).flatMap((m) => m.drugs);
        for (const d of new Set(left)) {
          const n = left.filter((x) => x === d).length;
          expect(n).toBeLessThanOrEqual(Math.max(5, Math.floor(max * left.length)));
        }
      }),
    );
  });

  it('does not depend on the order of moments, and leaves alone what is not over', () => {
    fc.assert(
      fc.property(moments, share, (all, max) => {
        expect([...overShare([...all].reverse(), max)].sort()).toEqual([...overShare(all, max)].sort());
        expect(overShare(all, 1).size).toBe(0);
      }),
    );
  });

  it('takes moments of one answer before those of several', () => {
    const many = Array.from({ length: 8 }, (_, i) => ({ timepoint_id: `T${i}`, drugs: ['k'] }));
    const both = { timepoint_id: 'T9', drugs: ['k', 'rare'] };
    expect(overShare([...many, both], 0.5).has('T9')).toBe(false);
  });
});
