import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bounds } from '../../schemas/condition.js';
import type { Rule } from '../../schemas/rule.js';
import { compareBounds, gapBetween, intersection } from '../../stages/lib/rules/band-bounds.js';
import { bandAt, type Ladder, ladders } from '../../stages/lib/rules/bands.js';
import { within, wordBounds } from '../../stages/lib/rules/bounds.js';
import { parseCondition, parseRef } from '../../stages/lib/rules/expression.js';

interface Given {
  readonly when: string;
  readonly drug?: string;
  readonly kind?: Rule['action']['kind'];
  readonly population?: string;
  readonly source?: string;
}

const rule = (rule_id: string, given: Given): Rule => ({
  rule_id,
  row_id: rule_id,
  source_id: given.source ?? 'fda-labels',
  label: 'Drug',
  status: 'draft',
  is_usable: true,
  spans: [],
  target: (given.drug ?? 'rivaroxaban').split(' | ').map(parseRef),
  population: parseCondition(given.population ?? 'age >= 18 a'),
  when: parseCondition(given.when),
  unless: [],
  action: {
    kind: given.kind ?? 'reduce dose',
    polarity: 'change',
    object: 'dose',
    act: null,
    dose_text: `dose of ${rule_id}`,
    monitoring: null,
    alternative: null,
  },
  ratings: [],
  patient_information_type: 'renal or dose threshold',
  special_population: 'none',
  operations: [],
});

const ladder = (whens: readonly string[]): Ladder => {
  const made = ladders(whens.map((when, i) => rule(`R-${i}`, { when })));
  expect(made).toHaveLength(1);
  return made[0]!;
};
const holes = (l: Ladder): string[] =>
  l.holes.map((h) => `${wordBounds(h.bounds)}${h.has_whole_number ? '' : ' (no whole number)'}`);

describe('a dose ladder', () => {
  it('orders bands and says which is the usual dose', () => {
    const [l] = ladders([
      rule('R-b', { when: 'CrCl <= 50 mL/min' }),
      rule('R-a', { when: 'CrCl > 50 mL/min', kind: 'state normal dose' }),
    ]);
    expect(l!.bands.map((b) => [b.rule_id, b.is_usual, b.dose_text])).toEqual([
      ['R-b', false, 'dose of R-b'],
      ['R-a', true, 'dose of R-a'],
    ]);
    expect([l!.ambiguous, l!.touching, l!.holes, l!.overlaps]).toEqual([[], [50], [], []]);
  });

  it('marks an edge that two bands print as theirs', () => {
    const l = ladder(['CrCl 30..60 mL/min', 'CrCl 15..30 mL/min', 'CrCl >= 60 mL/min', 'CrCl < 15 mL/min']);
    expect(l.ambiguous).toEqual([30, 60]);
    expect(l.touching).toEqual([15]);
    expect(l.overlaps).toEqual([]);
    expect([14, 15, 29, 30, 31, 60, 61].map((v) => bandAt(l, v)?.rule_id ?? null)).toEqual([
      'R-3',
      'R-1',
      'R-1',
      null,
      'R-0',
      null,
      'R-2',
    ]);
  });

  it('finds holes, and tells a step between whole numbers from a missing number', () => {
    const l = ladder([
      'CrCl (30..59] mL/min',
      'CrCl (15..29] mL/min',
      'CrCl = 15 mL/min',
      'CrCl >= 60 mL/min',
    ]);
    expect(holes(l)).toEqual(['> 29 and <= 30 mL/min', '> 59 and < 60 mL/min (no whole number)']);
    expect(bandAt(l, 30)).toBeNull();
    expect(bandAt(l, 15)?.rule_id).toBe('R-2');
  });

  it('sees past a band that lies inside another', () => {
    const l = ladder([
      'eGFR < 60 mL/min/{1.73_m2}',
      'eGFR < 30 mL/min/{1.73_m2}',
      'eGFR > 70 mL/min/{1.73_m2}',
    ]);
    expect(l.overlaps.map((o) => [o.rule_ids, wordBounds(o.bounds)])).toEqual([
      [['R-1', 'R-0'], '< 30 mL/min/{1.73_m2}'],
    ]);
    expect(holes(l)).toEqual(['>= 60 and <= 70 mL/min/{1.73_m2}']);
    expect([20, 40].map((v) => bandAt(l, v)?.rule_id ?? null)).toEqual([null, 'R-0']);
  });

  it('a band of one number inside another overlaps it; at its open edge it only touches', () => {
    const inside = ladder(['CrCl = 15 mL/min', 'CrCl 15..30 mL/min']);
    expect([inside.ambiguous, inside.overlaps.map((o) => wordBounds(o.bounds))]).toEqual([
      [],
      ['>= 15 and <= 15 mL/min'],
    ]);
    const beside = ladder(['CrCl = 15 mL/min', 'CrCl (15..30] mL/min']);
    expect([beside.ambiguous, beside.touching, beside.overlaps]).toEqual([[], [15], []]);
  });

  it('gives a rule with two bands both its places, and keeps other grounds beside the band', () => {
    const l = ladder(['CrCl 15..50 mL/min', 'any(CrCl < 15 mL/min, CrCl > 95 mL/min)']);
    expect(l.bands.map((b) => b.rule_id)).toEqual(['R-1', 'R-0', 'R-1']);
    expect(holes(l)).toEqual(['> 50 and <= 95 mL/min']);
    const [d] = ladders([rule('R', { when: 'any(CrCl < 15 mL/min, fact dialysis)' })]);
    expect(d!.bands[0]!.or).toEqual([{ type: 'fact', concept: 'dialysis' }]);
  });
});

describe('what stands together', () => {
  const used = (indication: string): string => `use indication=${indication}`;
  it('a rule without an indication joins the ladder of each indication', () => {
    const made = ladders([
      rule('A', { when: `all(${used('atrial_fibrillation')}, CrCl 15..50 mL/min)` }),
      rule('B', { when: 'CrCl < 15 mL/min' }),
      rule('C', { when: `all(${used('venous_thromboembolism')}, CrCl > 15 mL/min)` }),
    ]);
    expect(made.map((l) => [l.indication, l.bands.map((b) => b.rule_id)])).toEqual([
      [[], ['B']],
      [['atrial_fibrillation'], ['B', 'A']],
      [['venous_thromboembolism'], ['B', 'C']],
    ]);
  });

  it('starting and continuing are two ladders', () => {
    const made = ladders([
      rule('A', { when: 'all(use phase=starting, CrCl 30..45 mL/min)' }),
      rule('B', { when: 'all(use phase=continuing, CrCl < 45 mL/min)' }),
    ]);
    expect(made.map((l) => l.use)).toEqual([['use phase=continuing'], ['use phase=starting']]);
  });

  it.each([
    ['source', { source: 'beers2023' }],
    ['drug', { drug: 'apixaban' }],
    ['form', { drug: 'rivaroxaban {extended_release}' }],
    ['population', { population: 'age >= 65 a' }],
    ['measure', { when: 'CrCl_per_area < 30 mL/min/{1.73_m2}' }],
    ['state', { when: 'all(CrCl < 30 mL/min, fact diabetes)' }],
  ])('another %s is another ladder', (_, other) => {
    expect(
      ladders([rule('A', { when: 'CrCl > 30 mL/min' }), rule('B', { when: 'CrCl < 30 mL/min', ...other })]),
    ).toHaveLength(2);
  });

  it('each drug of a rule has its ladder; a class that may be meant has none', () => {
    const two = rule('A', { when: 'CrCl > 30 mL/min', drug: 'apixaban | rivaroxaban' });
    const inferred = { ...parseRef('class:statins'), is_inferred: true as const };
    const made = ladders([{ ...two, target: [...two.target, inferred] }]);
    expect(made.map((l) => l.drug.name)).toEqual(['apixaban', 'rivaroxaban']);
  });

  it.each([
    'at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL)',
    'all(CrCl < 30 mL/min, weight < 60 kg)',
    'any(CrCl < 30 mL/min, weight < 60 kg)',
    'all(CrCl < 30 mL/min, not(weight < 60 kg))',
    'not(CrCl < 30 mL/min)',
    'fact dialysis',
  ])('%s is no step of a ladder', (when) => {
    expect(ladders([rule('A', { when })])).toEqual([]);
  });

  it('does not depend on the order of the rules', () => {
    const given = ['CrCl 30..60 mL/min', 'CrCl 15..30 mL/min', 'CrCl < 15 mL/min'].map((when, i) =>
      rule(`R-${i}`, { when }),
    );
    expect(ladders([...given].reverse())).toEqual(ladders(given));
  });
});

const edge = fc.integer({ min: 0, max: 12 });
const anyBounds: fc.Arbitrary<Bounds> = fc
  .record({
    low: fc.option(edge),
    high: fc.option(edge),
    low_inclusive: fc.boolean(),
    high_inclusive: fc.boolean(),
  })
  .filter((b) => b.low !== null || b.high !== null)
  .filter((b) => b.low === null || b.high === null || b.low < b.high)
  .map((b) => ({
    ...b,
    low_inclusive: b.low !== null && b.low_inclusive,
    high_inclusive: b.high !== null && b.high_inclusive,
    unit: 'mL/min' as const,
  }));
const PROBES = Array.from({ length: 57 }, (_, i) => i / 4 - 1);

describe('bands against a direct count', () => {
  const when = (bounds: Bounds): Rule['when'] => ({ type: 'measure', measure: 'CrCl', bounds });

  it('every value between the first and the last band is in a band or in a hole, never in both', () => {
    fc.assert(
      fc.property(fc.array(anyBounds, { minLength: 1, maxLength: 6 }), (given) => {
        const rules = given.map((b, i) => ({
          ...rule(`R-${i}`, { when: 'CrCl < 1 mL/min' }),
          when: when(b),
        }));
        const [l] = ladders(rules);
        for (const v of PROBES) {
          const holding = given.filter((b) => within(v, b)).length;
          const in_hole = l!.holes.some((h) => within(v, h.bounds));
          const is_outside =
            !given.some((b) => b.low === null || v >= b.low) ||
            !given.some((b) => b.high === null || v <= b.high);
          const on_outer_edge = holding === 0 && !in_hole && given.some((b) => b.low === v || b.high === v);
          if (holding > 0) expect([v, in_hole]).toEqual([v, false]);
          else if (!is_outside && !on_outer_edge) expect([v, in_hole]).toEqual([v, true]);
          expect(bandAt(l!, v) !== null).toBe(holding === 1);
          if (l!.ambiguous.includes(v)) expect(holding).toBeGreaterThan(1);
        }
      }),
    );
  });

  it('what two intervals share, and what lies between', () => {
    fc.assert(
      fc.property(anyBounds, anyBounds, (a, b) => {
        const both = intersection(a, b);
        const gap = compareBounds(a, b) <= 0 ? gapBetween(a, b) : gapBetween(b, a);
        for (const v of PROBES) {
          expect(both !== null && within(v, both)).toBe(within(v, a) && within(v, b));
          if (gap && within(v, gap)) expect(within(v, a) || within(v, b)).toBe(false);
        }
      }),
    );
  });
});
