import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bounds, Condition } from '../../schemas/condition.js';
import { uniformity } from '../../stages/lib/chi-square.js';
import { randomStream } from '../../stages/lib/random.js';
import { evaluate } from '../../stages/lib/rules/evaluate.js';
import type { Draft } from '../../stages/pose-questions/item.js';
import { Letters } from '../../stages/pose-questions/letters.js';
import { choose, literals, shuffled } from '../../stages/pose-questions/literals.js';
import {
  AGE_GRIDS,
  GESTATION_GRID,
  type Grid,
  measureGrids,
  pickNumber,
  type Wanted,
} from '../../stages/pose-questions/numbers.js';
import { choosePairs, type Quotas } from '../../stages/pose-questions/quotas.js';
import { anyBounds, knowledge, patient, use } from './rule-engine.support.js';

const stream = (label: string | number) => randomStream(7, 'pose-questions parts', label);
const seed = fc.integer({ min: 0, max: 1_000_000 });

describe('literals', () => {
  /** Concepts of which none says anything about another. */
  const free: string[] = [];
  for (const { concept } of knowledge.concepts.all()) {
    const isOpen = (a: string, b: string): boolean =>
      [true, false].every((v) => knowledge.concepts.truth(a, { [b]: v }).truth === 'unknown');
    if (free.length < 40 && free.every((o) => isOpen(o, concept) && isOpen(concept, o))) free.push(concept);
  }

  /** Conditions whose leaves are all different, so that every wish can be met. */
  const FACETS = ['indication', 'phase', 'pattern', 'purpose'] as const;
  const shape: fc.Arbitrary<Condition> = fc.letrec<{ c: Condition }>((tie) => ({
    c: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      fc.constant<Condition>({ type: 'fact', concept: '' }),
      fc.constant<Condition>({ type: 'use', facet: 'indication', value: '' }),
      fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of): Condition => ({ type: 'all', of })),
      fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of): Condition => ({ type: 'any', of })),
      fc
        .tuple(fc.array(tie('c'), { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 4 }))
        .map(([of, n]): Condition => ({ type: 'at_least', n: Math.min(n, of.length), of })),
      tie('c').map((of): Condition => ({ type: 'not', of })),
    ),
  })).c;
  function withLeaves(c: Condition, next: { fact: number; use: number }): Condition {
    if (c.type === 'not') return { ...c, of: withLeaves(c.of, next) };
    if ('of' in c) return { ...c, of: c.of.map((p) => withLeaves(p, next)) };
    if (c.type === 'use' && next.use < FACETS.length)
      return { type: 'use', facet: FACETS[next.use++]!, value: 'asked' };
    return { type: 'fact', concept: free[next.fact++]! };
  }
  const size = (c: Condition): number =>
    c.type === 'not' ? size(c.of) : 'of' in c ? c.of.reduce((n, p) => n + size(p), 0) : 1;
  const condition = shape
    .filter((c) => size(c) <= free.length)
    .map((c) => withLeaves(c, { fact: 0, use: 0 }));

  it('has enough concepts that say nothing about each other', () => {
    expect(free.length).toBeGreaterThanOrEqual(20);
  });

  it('decides a condition as wanted, whatever else is unknown', () => {
    fc.assert(
      fc.property(condition, fc.boolean(), seed, (c, want, s) => {
        const wishes = literals(c, want, stream(s));
        const facts: Record<string, boolean> = {};
        const facets: Record<string, string> = {};
        for (const { predicate: p, want: w } of wishes) {
          if (p.type === 'fact') facts[p.concept] = w;
          if (p.type === 'use') facets[p.facet] = w ? 'asked' : 'other';
        }
        const got = evaluate(
          c,
          { patient: patient({ facts }), candidate: use('codeine', { facets }) },
          knowledge,
        );
        expect(got.truth).toBe(String(want));
      }),
      { numRuns: 400 },
    );
  });

  it('leaves one fact that decides: turning any part of a failed "all" makes it hold', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), seed, (n, s) => {
        const of = free.slice(0, n).map((concept): Condition => ({ type: 'fact', concept }));
        const failed = literals({ type: 'all', of }, false, stream(s));
        expect(failed.filter((l) => !l.want)).toHaveLength(1);
        const held = literals({ type: 'any', of }, true, stream(s));
        expect(held.filter((l) => l.want)).toHaveLength(1);
        for (const k of [1, n]) {
          const enough = literals({ type: 'at_least', n: k, of }, true, stream(s));
          const short = literals({ type: 'at_least', n: k, of }, false, stream(s));
          expect(enough.filter((l) => l.want)).toHaveLength(k);
          expect(short.filter((l) => l.want)).toHaveLength(k - 1);
        }
      }),
    );
  });

  it('draws every branch about alike', () => {
    const of = free.slice(0, 4).map((concept): Condition => ({ type: 'fact', concept }));
    const counts = [0, 0, 0, 0];
    const order = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    for (let i = 0; i < 4000; i++) {
      const chosen = literals({ type: 'any', of }, true, stream(i));
      counts[chosen.findIndex((l) => l.want)]! += 1;
      shuffled([0, 1, 2, 3], stream(i)).forEach((x, at) => {
        order[at]![x]! += 1;
      });
    }
    expect(uniformity(counts).p_value).toBeGreaterThan(0.001);
    for (const row of order) expect(uniformity(row).p_value).toBeGreaterThan(0.001);
  });

  it('chooses distinct indices, all when as many are wanted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 12 }), seed, (of, n, s) => {
        const got = [...choose(of, n, stream(s))];
        expect(got).toHaveLength(Math.min(of, n));
        for (const i of got) expect(i >= 0 && i < of).toBe(true);
      }),
    );
  });
});

describe('numbers', () => {
  /** Distance that a value must keep from an edge, as guidelines say: a tenth, a week, a year. */
  const margin = (edge: number, kind: string, unit: string): number =>
    kind === 'measure' ? edge / 10 : kind === 'gestation' || unit === 'a' ? 1 : Math.max(1, edge / 10);
  const inside = (v: number, b: Bounds): boolean =>
    (b.low === null || v > b.low || (b.low_inclusive && v === b.low)) &&
    (b.high === null || v < b.high || (b.high_inclusive && v === b.high));

  const cases: readonly (readonly [Grid, 'measure' | 'age' | 'gestation', readonly number[]])[] = [
    ...measureGrids('CrCl').map((g) => [g, 'measure', [15, 30, 50, 60, 90]] as const),
    ...measureGrids('serum_creatinine').map((g) => [g, 'measure', [1, 1.5, 2, 133]] as const),
    ...AGE_GRIDS.map((g) => [g, 'age', [1, 6, 12, 18, 65, 80]] as const),
    [GESTATION_GRID, 'gestation', [14, 20, 28, 30, 37]],
  ];
  const wanted = fc.constantFrom(...cases).chain(([grid, kind, edges]) =>
    fc.record({
      grid: fc.constant(grid),
      kind: fc.constant(kind),
      list: fc.array(
        fc.record({ bounds: anyBounds(grid.unit, edges), want: fc.boolean() }) as fc.Arbitrary<Wanted>,
        { maxLength: 4 },
      ),
      s: seed,
    }),
  );

  it('picks a value that is inside what is wanted, outside the rest, and on or near no edge', () => {
    fc.assert(
      fc.property(wanted, ({ grid, kind, list, s }) => {
        const fits = grid.values.filter((v) =>
          list.every(
            ({ bounds, want }) =>
              inside(v, bounds) === want &&
              [bounds.low, bounds.high].every(
                (e) => e === null || Math.abs(v - e) > margin(e, kind, grid.unit) - 1e-6,
              ),
          ),
        );
        const got = pickNumber(grid, list, kind, stream(s));
        if (fits.length === 0) expect(got).toBeUndefined();
        else expect(fits).toContain(got);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps to what is preferred where that is possible, and else takes what fits', () => {
    const bounds: Bounds = { low: 65, low_inclusive: true, high: null, high_inclusive: false, unit: 'a' };
    const years = AGE_GRIDS.find((g) => g.unit === 'a')!;
    for (let i = 0; i < 200; i++) {
      const near = pickNumber(years, [{ bounds, want: true }], 'age', stream(i), (v) => v <= 70)!;
      expect(near).toBeGreaterThanOrEqual(66);
      expect(near).toBeLessThanOrEqual(70);
      expect(pickNumber(years, [{ bounds, want: false }], 'age', stream(i), (v) => v > 80)).toBeLessThan(65);
    }
  });
});

describe('quotas', () => {
  const draft = ([rule, source, type]: readonly [number, number, number], i: number): Draft =>
    ({
      label: `d${i}`,
      rule: { rule_id: `s${source}r${rule}`, source_id: `s${source}` },
      information_type: `t${type}`,
    }) as unknown as Draft;
  const drafts = (maxLength: number) =>
    fc.array(fc.tuple(fc.nat(4), fc.nat(2), fc.nat(3)), { maxLength }).map((list) => list.map(draft));
  const quotas = fc.record({
    pairs_per_rule: fc.integer({ min: 1, max: 3 }),
    max_pairs: fc.integer({ min: 1, max: 20 }),
    max_source_share: fc.constantFrom(0.45, 0.5, 0.7, 1),
    max_type_share: fc.constantFrom(0.35, 0.5, 1),
  });
  const most = (list: readonly string[]): number =>
    Math.max(0, ...[...new Set(list)].map((x) => list.filter((y) => y === x).length));
  const isWithin = (chosen: readonly Draft[], q: Quotas): boolean =>
    chosen.length <= q.max_pairs &&
    most(chosen.map((d) => d.rule.rule_id)) <= q.pairs_per_rule &&
    most(chosen.map((d) => d.rule.source_id)) <= chosen.length * q.max_source_share + 1e-9 &&
    most(chosen.map((d) => d.information_type)) <= chosen.length * q.max_type_share + 1e-9;

  it('keeps every limit and takes no draft twice', () => {
    fc.assert(
      fc.property(drafts(60), quotas, (all, q) => {
        const chosen = choosePairs(all, q);
        expect(new Set(chosen).size).toBe(chosen.length);
        for (const d of chosen) expect(all).toContain(d);
        expect(isWithin(chosen, q)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  /** Size of the largest choice within the limits, by trying all. */
  function largest(all: readonly Draft[], q: Quotas): number {
    let best = 0;
    for (let set = 0; set < 2 ** all.length; set++) {
      const chosen = all.filter((_, i) => (set >> i) & 1);
      if (chosen.length > best && isWithin(chosen, q)) best = chosen.length;
    }
    return best;
  }

  it('takes as many as any choice could where no share is limited', () => {
    fc.assert(
      fc.property(drafts(9), quotas, (all, q) => {
        const open = { ...q, max_source_share: 1, max_type_share: 1 };
        expect(choosePairs(all, open).length).toBe(largest(all, open));
      }),
      { numRuns: 100 },
    );
  });

  it('never misses more than a few of what any choice could take', () => {
    const random = stream('quotas');
    let [taken, possible] = [0, 0];
    for (let i = 0; i < 150; i++) {
      const all = Array.from({ length: 11 }, (_, k) =>
        draft([random.below(5), random.below(3), random.below(4)], k),
      );
      const q = { pairs_per_rule: 2, max_pairs: 9, max_source_share: 0.5, max_type_share: 0.5 };
      taken += choosePairs(all, q).length;
      possible += largest(all, q);
    }
    expect(taken / possible).toBeGreaterThan(0.97);
  });

  it('takes different changes of a rule before different drugs', () => {
    const all = [draft([1, 0, 0], 0), draft([1, 0, 0], 1), draft([1, 0, 1], 2)];
    const q = { pairs_per_rule: 2, max_pairs: 9, max_source_share: 1, max_type_share: 1 };
    expect(
      choosePairs(all, q)
        .map((d) => d.information_type)
        .sort(),
    ).toEqual(['t0', 't1']);
  });
});

describe('letters', () => {
  interface Kind {
    readonly options: number;
    readonly keys: readonly (readonly number[])[];
  }
  /** Places many drafts; per number of options how often a key, and None, stood at each letter. */
  function place(kinds: readonly Kind[], n: number) {
    const letters = new Letters(stream);
    const random = stream('kinds');
    const keys = new Map<number, number[]>();
    const none = new Map<number, number[]>();
    const noneWhenRight = new Map<number, number[]>();
    const add = (to: Map<number, number[]>, size: number, at: number): void => {
      to.set(size, to.get(size) ?? Array<number>(size).fill(0));
      to.get(size)![at]! += 1;
    };
    for (let i = 0; i < n; i++) {
      const kind = kinds[random.below(kinds.length)]!;
      const texts = Array.from({ length: kind.options - 1 }, (_, t) => `drug ${t}`);
      const members = kind.keys.map((k) => ({ keys: k }));
      const order = letters.place({ label: `draft ${i}`, texts, members } as unknown as Draft);
      expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: kind.options }, (_, k) => k));
      add(none, kind.options, order.indexOf(kind.options - 1));
      for (const k of kind.keys) {
        if (k.length === 0) add(noneWhenRight, kind.options, order.indexOf(kind.options - 1));
        for (const key of k.length > 0 ? k : [kind.options - 1]) add(keys, kind.options, order.indexOf(key));
      }
    }
    return { keys, none, noneWhenRight };
  }
  const KINDS: readonly Kind[] = [
    { options: 5, keys: [[0]] },
    { options: 5, keys: [[]] },
    { options: 5, keys: [[2], []] },
    { options: 5, keys: [[0, 3]] },
    { options: 6, keys: [[1], []] },
    { options: 6, keys: [[4], [2]] },
    { options: 4, keys: [[0], [], []] },
    { options: 3, keys: [[1], [0]] },
  ];

  it('puts right options and None on every letter alike, for each number of options', () => {
    const { keys, none, noneWhenRight } = place(KINDS, 2000);
    for (const tallies of [keys, none, noneWhenRight]) {
      expect([...tallies.keys()].length).toBeGreaterThanOrEqual(3);
      for (const counts of tallies.values()) expect(uniformity(counts).p_value).toBeGreaterThan(0.01);
    }
  });

  it('does so for a few drafts of one sort too', () => {
    for (const kind of KINDS) {
      const { keys } = place([kind], 60);
      expect(uniformity(keys.get(kind.options)!).p_value).toBeGreaterThan(0.2);
    }
  });
});
