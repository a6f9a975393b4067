/** The forest in TypeScript and as compiled kernel: the bits of the direct way, on any shape of data. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bins, sharedBins } from '../../stages/lib/binning.js';
import { gatherRows, growTrees } from '../../stages/lib/forest.js';
import { xoshiro128 } from '../../stages/lib/random.js';
import { planParts } from '../../stages/rank-features/forests.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { kernel } from '../support/kernels.js';
import { runStageOn } from '../support/stage.js';
import { referenceTrees } from './forest-reference.js';
import { rankInputs, smallCohort } from './small-cohort.js';

const forest = kernel('forest');
const upTo = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

interface Shape {
  /** Rows and columns of the set. */
  readonly n: number;
  readonly p: number;
  /** Bins of the columns: column f has `levels[f % levels.length]`. */
  readonly levels: readonly number[];
  /** Share of the rows that have label 1, of those that equal the row before, and of columns that carry signal. */
  readonly ones: number;
  readonly repeated: number;
  readonly signal: number;
  readonly seed: number;
}

function makeSet(s: Shape): { bins: Bins; labels: Uint8Array } {
  const random = xoshiro128([s.seed, s.n, s.p, 1]);
  const labels = Uint8Array.from({ length: s.n }, () => (random.float() < s.ones ? 1 : 0));
  const bins = sharedBins(s.n, s.p);
  for (let f = 0; f < s.p; f++) {
    const level = s.levels[f % s.levels.length]!;
    bins.binsN[f] = level;
    const shift = random.float() < s.signal ? random.float() : 0;
    for (let r = 0; r < s.n; r++) {
      const x = random.float() * random.float() + (labels[r]! ? shift : 0);
      bins.byColumn[f * s.n + r] = Math.min(level - 1, Math.floor(x * level));
    }
  }
  for (let r = 1; r < s.n; r++) {
    if (random.float() >= s.repeated) continue;
    for (let f = 0; f < s.p; f++) bins.byColumn[f * s.n + r] = bins.byColumn[f * s.n + r - 1]!;
  }
  for (let f = 0; f < s.p; f++) {
    for (let r = 0; r < s.n; r++) bins.byRow[r * s.p + f] = bins.byColumn[f * s.n + r]!;
  }
  return { bins, labels };
}

/** Trees 3 and 4 of a shape, all three ways. */
function expectSameBits(s: Shape): void {
  const { bins, labels } = makeSet(s);
  const set = gatherRows(bins, upTo(s.n), upTo(s.p), labels);
  const expected = referenceTrees(set, s.seed, 3, 5);
  expect(growTrees(set, s.seed, 3, 5)).toEqual(expected);
  const placed = gatherRows(bins, upTo(s.n), upTo(s.p), labels, forest);
  expect(growTrees(placed, s.seed, 3, 5)).toEqual(expected);
}

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const shape = (min: number, max: number): fc.Arbitrary<Shape> =>
  fc.record({
    n: fc.integer({ min, max }),
    p: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 9, max: 60 })),
    levels: fc.array(fc.oneof(fc.constantFrom(1, 2, 3, 255, 256), fc.integer({ min: 1, max: 256 })), {
      minLength: 1,
      maxLength: 5,
    }),
    ones: fc.oneof(fc.constantFrom(0.001, 0.5, 0.999), share),
    repeated: share,
    signal: share,
    seed: fc.oneof(fc.integer(), fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 })),
  });

describe('trees in TypeScript and from the kernel have the bits of the direct way', () => {
  it.each([
    ['small', 1, 60, 1000],
    ['middle', 40, 700, 300],
    ['large', 700, 3000, 60],
  ] as const)('on %s sets', (_, min, max, numRuns) => {
    fc.assert(fc.property(shape(min, max), expectSameBits), { numRuns });
  });

  it('on sets whose first nodes are too heavy for packed counts, and around that weight', () => {
    for (const n of [65_500, 65_540, 70_000, 140_000]) {
      expectSameBits({ n, p: 4, levels: [256, 9], ones: 0.5, repeated: 0, signal: 0.5, seed: n });
    }
  });

  it('on sets as wide as the features are', () => {
    for (const n of [90, 800, 2500]) {
      expectSameBits({ n, p: 448, levels: [256, 60, 2], ones: 0.5, repeated: 0.05, signal: 0.1, seed: -n });
    }
  });

  it('with the columns and rows of a part of the cohort, in the given order', () => {
    const { bins, labels } = makeSet({
      n: 900,
      p: 30,
      levels: [40, 256],
      ones: 0.4,
      repeated: 0.1,
      signal: 0.3,
      seed: 5,
    });
    const rows = upTo(900).filter((r) => r % 7 !== 0);
    const columns = upTo(30).filter((f) => f % 4 !== 1);
    const some = rows.map((r) => labels[r]!);
    const plain = gatherRows(bins, rows, columns, Uint8Array.from(some));
    const expected = referenceTrees(plain, 1, 0, 6);
    expect(growTrees(plain, 1, 0, 6)).toEqual(expected);
    expect(growTrees(gatherRows(bins, rows, columns, Uint8Array.from(some), forest), 1, 0, 6)).toEqual(
      expected,
    );
  });
});

describe('sets in the memory of the kernel', () => {
  const small = makeSet({ n: 50, p: 9, levels: [30], ones: 0.5, repeated: 0, signal: 0.5, seed: 1 });
  const large = makeSet({ n: 2000, p: 40, levels: [256], ones: 0.5, repeated: 0, signal: 0.5, seed: 2 });
  const place = (s: typeof small) =>
    gatherRows(s.bins, upTo(s.bins.rows), upTo(s.bins.columns), s.labels, forest);

  it('leave nothing behind for the next', () => {
    const first = growTrees(place(small), 7, 0, 5);
    growTrees(place(large), 7, 0, 2);
    expect(growTrees(place(small), 7, 0, 5)).toEqual(first);
  });

  it('refuse to grow once another lies in their place', () => {
    const first = place(small);
    place(large);
    expect(() => growTrees(first, 7, 0, 1)).toThrow('overwritten');
  });
});

describe('the stage', () => {
  const cohort = smallCohort({ stays: 160, diagnoses: { A01: 0.3, B02: 0.2, C03: 0.5 } });

  it('gives the same bytes with both engines and 1, 2, 3 and 7 workers', async () => {
    const hashes = [];
    for (const [engine, workers] of [
      ['wasm', 1],
      ['wasm', 2],
      ['wasm', 3],
      ['wasm', 7],
      ['js', 1],
      ['js', 2],
      ['js', 3],
      ['js', 7],
    ] as const) {
      const config = { trees: 60 };
      const run = await runStageOn(rankFeatures, { inputs: rankInputs(cohort), config, workers, engine });
      hashes.push(Object.entries(run.result.outputs).map(([name, o]) => `${name} ${o.sha256}`));
    }
    for (const other of hashes.slice(1)) expect(other).toEqual(hashes[0]);
  });
});

describe('parts of forests', () => {
  const anchor = (rowsN: number, trees_n: number) => ({ rows: upTo(rowsN), trees_n });

  it('cover every tree of every diagnosis once, in order, largest first', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 2, max: 4000 }), fc.integer({ min: 1, max: 400 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 9 }), (list, workers) => {
        const anchors = list.map(([rowsN, trees]) => anchor(rowsN, trees));
        const plan = planParts(anchors, workers);
        expect(plan.map(({ i }) => i).sort((a, b) => a - b)).toEqual([...upTo(list.length)]);
        for (const { i, starts } of plan) {
          expect(starts[0]).toBe(0);
          starts.forEach((from, s) => void expect(from).toBeLessThan(starts[s + 1] ?? anchors[i]!.trees_n));
        }
      }),
    );
  });

  it('keep the workers busy: a lone diagnosis is cut, and so is one among small ones', () => {
    expect(planParts([anchor(1000, 300)], 2)[0]!.starts.length).toBeGreaterThanOrEqual(4);
    const plan = planParts([anchor(100, 300), anchor(4000, 300), anchor(100, 300)], 3);
    expect(plan.map(({ i }) => i)).toEqual([1, 0, 2]);
    expect(plan.map(({ starts }) => starts.length > 1)).toEqual([true, false, false]);
  });

  it('are whole forests with one worker', () => {
    expect(planParts([anchor(1000, 300), anchor(900, 300)], 1).map((p) => p.starts)).toEqual([[0], [0]]);
  });
});
