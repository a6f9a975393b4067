/** The forest against a tree written the obvious way, against the npm library, and on degenerate data. */

import fc from 'fast-check';
import { RandomForestClassifier } from 'ml-random-forest';
import { describe, expect, it } from 'vitest';
import type { RandomStream, StageContext } from '../../stages/contract.js';
import { binEdges, fillBins, sharedBins } from '../../stages/lib/binning.js';
import { gatherRows, growTrees, type TrainingSet } from '../../stages/lib/forest.js';
import { decrease, emptySums, foldTrees, halfOverlap, rankColumns } from '../../stages/lib/importance.js';
import { randomStream } from '../../stages/lib/random.js';
import { sortRows } from '../../stages/lib/sort-rows.js';
import { growLibraryForests } from '../../stages/rank-features/forests.js';
import { libraryTrees } from '../../stages/rank-features/library.js';
import { firstHole } from '../../stages/rank-features/run.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import { runStageOn } from '../support/stage.js';
import { treeStream } from './forest-reference.js';
import { rankInputs, type SmallCohort, smallCohort } from './small-cohort.js';

/** Column-major values and labels, with all rows in training. */
interface Data {
  n: number;
  p: number;
  x: Float64Array;
  y: Uint8Array;
}

const upTo = (n: number): Int32Array => Int32Array.from({ length: n }, (_, i) => i);

function trainingSet({ n, p, x, y }: Data): TrainingSet {
  const bins = sharedBins(n, p);
  fillBins(x, bins, 0, p, 256);
  return gatherRows(bins, upTo(n), upTo(p), y);
}

function makeData(
  n: number,
  p: number,
  levels: number,
  signal: number,
  random: RandomStream,
  shift = 0.4,
): Data {
  const y = Uint8Array.from({ length: n }, () => random.below(2));
  const x = new Float64Array(n * p);
  for (let f = 0; f < p; f++) {
    for (let i = 0; i < n; i++) {
      const up = f < signal ? y[i]! * shift : 0;
      x[f * n + i] = Math.floor((random.float() + random.float() + up) * levels) / levels;
    }
  }
  return { n, p, x, y };
}

/** Importances of one tree from lists of rows and the textbook Gini impurity. */
function plainTree(d: Data, seed: number, t: number): number[] {
  const random = treeStream(seed, t);
  const drawn = Array.from({ length: d.n }, () => random.below(d.n)).sort((a, b) => a - b);
  const order = Array.from({ length: d.p }, (_, f) => f);
  const importance = new Array<number>(d.p).fill(0);
  const ones = (rows: number[]): number => rows.filter((r) => d.y[r]).length;
  const gini = (rows: number[]): number =>
    1 - (ones(rows) / rows.length) ** 2 - (1 - ones(rows) / rows.length) ** 2;
  const purity = (rows: number[]): number =>
    (ones(rows) ** 2 + (rows.length - ones(rows)) ** 2) / rows.length;
  const visit = (rows: number[]): void => {
    if (gini(rows) === 0 || new Set(rows).size < 2) return;
    let best: { score: number; f: number; left: number[]; right: number[] } | null = null;
    for (let v = 0; v < d.p && (v < Math.floor(Math.sqrt(d.p)) || !best); v++) {
      const other = v + random.below(d.p - v);
      [order[v], order[other]] = [order[other]!, order[v]!];
      const f = order[v]!;
      const value = (r: number): number => d.x[f * d.n + r]!;
      for (const cut of [...new Set(rows.map(value))].sort((a, b) => a - b).slice(0, -1)) {
        const left = rows.filter((r) => value(r) <= cut);
        const right = rows.filter((r) => value(r) > cut);
        const score = purity(left) + purity(right);
        if (!best || score > best.score) best = { score, f, left, right };
      }
      if (best && gini(best.left) === 0 && gini(best.right) === 0) break;
    }
    if (!best) return;
    const { f, left, right } = best;
    importance[f]! += rows.length * gini(rows) - left.length * gini(left) - right.length * gini(right);
    visit(left);
    visit(right);
  };
  visit(drawn);
  const sum = importance.reduce((a, b) => a + b, 0);
  return importance.map((v) => (sum > 1e-9 ? v / sum : 0));
}

function expectSameTree(d: Data, seed: number, t: number): void {
  const ours = growTrees(trainingSet(d), seed, t, t + 1);
  const plain = plainTree(d, seed, t);
  for (let f = 0; f < d.p; f++) expect(ours[f]).toBeCloseTo(plain[f]!, 9);
}

describe('one tree', () => {
  it('equals a tree grown from lists of rows, on random small data', () => {
    const shape = fc.record({
      seed: fc.integer(),
      n: fc.integer({ min: 1, max: 60 }),
      p: fc.integer({ min: 1, max: 12 }),
      levels: fc.constantFrom(1, 2, 3, 1000),
    });
    fc.assert(
      fc.property(shape, ({ seed, n, p, levels }) => {
        expectSameTree(makeData(n, p, levels, 2, randomStream(seed, 'data')), seed, n % 3);
      }),
      { numRuns: 200 },
    );
  });

  it('equals it where nodes are large enough to be read column by column', () => {
    expectSameTree(makeData(1200, 5, 100, 2, randomStream(1, 'large')), 9, 0);
  });

  it('does not depend on which other trees are grown with it', () => {
    const set = trainingSet(makeData(80, 9, 50, 3, randomStream(2, 'range')));
    const all = growTrees(set, 4, 0, 10);
    expect(growTrees(set, 4, 6, 10)).toEqual(all.slice(6 * 9));
  });
});

describe('the forest', () => {
  const data = makeData(200, 30, 100, 6, randomStream(3, 'forest'));

  it('grows 25 trees of which no two are equal', () => {
    const vectors = growTrees(trainingSet(data), 0, 0, 25);
    const texts = Array.from({ length: 25 }, (_, t) => vectors.slice(t * 30, (t + 1) * 30).join());
    expect(new Set(texts).size).toBe(25);
  });

  it('differs between seeds, 0 among them', () => {
    const set = trainingSet(data);
    const [a, b] = [growTrees(set, 0, 0, 3), growTrees(set, 1, 0, 3)];
    expect(a).not.toEqual(b);
    expect(growTrees(set, 0, 0, 3)).toEqual(a);
  });

  it('is 0 everywhere for one class, for constant columns and for a signal that cannot be cut', () => {
    const zero = new Float64Array(60);
    expect(growTrees(trainingSet({ ...data, y: new Uint8Array(200) }), 0, 0, 2)).toEqual(zero);
    expect(growTrees(trainingSet({ ...data, x: new Float64Array(6000).fill(0.1) }), 0, 0, 2)).toEqual(zero);
  });

  it('finds two columns that only work together', () => {
    const random = randomStream(4, 'xor');
    const n = 300;
    const x = Float64Array.from({ length: n * 12 }, () => random.below(2));
    const y = Uint8Array.from({ length: n }, (_, i) => x[3 * n + i]! ^ x[7 * n + i]!);
    const sums = emptySums(12);
    foldTrees(sums, growTrees(trainingSet({ n, p: 12, x, y }), 0, 0, 200), 0, 200);
    expect(rankColumns(sums.all).slice(0, 2).sort()).toEqual([3, 7]);
  });

  it('ranks a binary signal above a column of distinct random numbers', () => {
    const random = randomStream(5, 'ids');
    const n = 300;
    const y = Uint8Array.from({ length: n }, (_, i) => i % 2);
    const x = new Float64Array(n * 4);
    for (let i = 0; i < n; i++) {
      x[i] = random.float();
      x[n + i] = random.float() < 0.85 ? y[i]! : 1 - y[i]!;
      x[2 * n + i] = random.float();
      x[3 * n + i] = random.float();
    }
    const sums = emptySums(4);
    foldTrees(sums, growTrees(trainingSet({ n, p: 4, x, y }), 0, 0, 200), 0, 200);
    expect(rankColumns(sums.all)[0]).toBe(1);
  });

  it('sums halves and all in tree order, however the trees were cut', () => {
    const set = trainingSet(data);
    const whole = emptySums(30);
    foldTrees(whole, growTrees(set, 1, 0, 11), 0, 11);
    const parts = emptySums(30);
    for (const [from, to] of [
      [0, 4],
      [4, 5],
      [5, 11],
    ] as const)
      foldTrees(parts, growTrees(set, 1, from, to), from, 11);
    expect(parts).toEqual(whole);
    expect(whole.first.reduce((a, b) => a + b)).toBeCloseTo(5, 9);
    expect(whole.second.reduce((a, b) => a + b)).toBeCloseTo(6, 9);
    expect(halfOverlap(whole, 30)).toBe(30);
  });
});

describe('decrease', () => {
  it('is the decrease in weighted Gini impurity, and exactly 0 for equal mixes', () => {
    const count = fc.integer({ min: 0, max: 40_000 });
    fc.assert(
      fc.property(count, count, count, count, (l0, l1, r0, r1) => {
        fc.pre(l0 + l1 > 0 && r0 + r1 > 0);
        const weighted = (a: number, b: number): number => (2 * a * b) / (a + b);
        const plain = weighted(l0 + r0, l1 + r1) - weighted(l0, l1) - weighted(r0, r1);
        expect(decrease(l0, l1, r0, r1)).toBeCloseTo(plain, 6);
        expect(decrease(l0, l1, 3 * l0, 3 * l1)).toBe(0);
      }),
    );
  });
});

describe('bins', () => {
  it('are the distinct values when there are few', () => {
    expect([...binEdges(Float64Array.from([3, 1, 2, 1, 3, -0, 0]), 4)]).toEqual([0, 1, 2, 3]);
  });

  it('hold equal shares of distinct values', () => {
    const edges = binEdges(
      Float64Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000),
      10,
    );
    expect([...edges]).toEqual([99, 199, 299, 399, 499, 599, 699, 799, 899, 999]);
  });

  it('keep the order of values and never exceed the limit', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 256 }), (list, limit) => {
        const data = Float64Array.from(list);
        const bins = sharedBins(list.length, 1);
        fillBins(data, bins, 0, 1, limit);
        expect(bins.binsN[0]).toBeLessThanOrEqual(limit);
        for (let a = 0; a < list.length; a++) {
          for (let b = 0; b < list.length; b++) {
            if (list[a]! <= list[b]!) expect(bins.byColumn[a]).toBeLessThanOrEqual(bins.byColumn[b]!);
          }
        }
      }),
    );
  });
});

describe('sorting of rows', () => {
  it('gives the order of the native sort: zeros of both signs, tiny and huge values, ties, last bits', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true }),
      fc.constantFrom(0, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE),
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: -9, max: 9 }).map((k) => 1 + k * 2 ** -52),
      fc.integer({ min: -9, max: 9 }).map((k) => -77 - k * 2 ** -40),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300 }), (list) => {
        const values = Float64Array.from(list);
        const rows = sortRows(values);
        expect([...rows].sort((a, b) => a - b)).toEqual([...upTo(list.length)]);
        expect(Float64Array.from(rows, (r) => values[r]!)).toEqual(values.slice().sort());
      }),
      { numRuns: 500 },
    );
  });
});

describe('the npm library as ranker', () => {
  const data = makeData(150, 25, 100, 6, randomStream(6, 'library'), 0.7);
  const rows = Array.from({ length: data.n }, (_, i) =>
    Array.from({ length: data.p }, (_, f) => data.x[f * data.n + i]!),
  );
  const task = {
    data: data.x,
    cohortN: data.n,
    columns: upTo(25),
    rows: upTo(150),
    labels: data.y,
    seed: 3,
    trees: 150,
  };

  it('agrees with the own forest once its importances are summed correctly', () => {
    const library = emptySums(25);
    foldTrees(library, libraryTrees(task), 0, 150);
    const own = emptySums(25);
    foldTrees(own, growTrees(trainingSet(data), 3, 0, 300), 0, 300);
    const top = (sums: typeof own): number[] => rankColumns(sums.all).slice(0, 6);
    expect(top(own).filter((f) => f < 6).length).toBeGreaterThanOrEqual(5);
    expect(top(library).filter((f) => top(own).includes(f)).length).toBeGreaterThanOrEqual(5);
  });

  it('has trees that each sum to 1, while the sum of the library itself goes below 0', () => {
    const vectors = libraryTrees(task);
    for (let t = 0; t < 150; t++) {
      const sum = vectors.slice(t * 25, (t + 1) * 25).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 9);
    }
    expect(Math.min(...vectors)).toBe(0);
    const forest = new RandomForestClassifier({
      seed: 3,
      nEstimators: 20,
      maxFeatures: 5,
      replacement: false,
      useSampleBagging: true,
      noOOB: true,
      isClassifier: true,
      treeOptions: { minNumSamples: 1, gainThreshold: 0 },
    });
    forest.train(rows, [...data.y]);
    const wrong = (forest as unknown as { featureImportance(): number[] }).featureImportance();
    expect(wrong.some((v) => v < 0)).toBe(true);
  });

  it('ranks in the stage, the same with 1 and 3 workers', async () => {
    const cohort = smallCohort({ stays: 60, diagnoses: { A01: 0.3, B02: 0.4 } });
    const config = { ranker: 'ml-random-forest', trees: 80 };
    const [a, b] = [1, 3].map((workers) =>
      runStageOn(rankFeatures, { inputs: rankInputs(cohort), config, workers }),
    );
    const ranks = await (await a!).table('ranks');
    expect(await (await b!).table('ranks')).toEqual(ranks);
    const found = ranks.filter((r) => r.dx_code === 'A01' && (r.rank as number) <= 5);
    expect(
      found.filter((r) => Number((r.feature_id as string).slice(1)) <= 10).length,
    ).toBeGreaterThanOrEqual(3);
  });

  it('is refused above 2,000 training rows', async () => {
    const failing = {
      fail: (p: { message: string }) => {
        throw new Error(p.message);
      },
    } as unknown as StageContext;
    const anchor = {
      dx_code: 'A01',
      seed: 1,
      trees_n: 2,
      rows: upTo(2001),
      labels: new Uint8Array(2001),
      positives_n: 1,
      negatives_n: 2000,
    };
    const matrix = { rows: 2001, columns: [], data: new Float64Array(0) };
    await expect(growLibraryForests(failing, matrix, upTo(3), [anchor])).rejects.toThrow(
      /small data; diagnosis A01 has too many training rows/,
    );
  });
});

describe('degenerate cohorts', () => {
  const cohort = smallCohort({ stays: 30, diagnoses: { A01: 0.4 } });
  const change = (c: Partial<SmallCohort>) =>
    runStageOn(rankFeatures, { inputs: rankInputs({ ...cohort, ...c }), config: { trees: 5 } });

  it('stop the build when a diagnosis has one class only', async () => {
    const everyone = cohort.cohort.map((c) => ({ dx_code: 'A01', stay_id: c.stay_id! }));
    await expect(change({ labels: everyone })).rejects.toThrow(/A01 has stays of one class only/);
    await expect(change({ labels: [] })).rejects.toThrow(/0 positive and 30 negative/);
  });

  it('stop the build when no feature differs', async () => {
    const [first] = cohort.imputed;
    const equal = cohort.imputed.map((r) => ({ ...first!, stay_id: r.stay_id! }));
    await expect(change({ imputed: equal })).rejects.toThrow(
      /no feature tells the stays of diagnosis A01 apart/,
    );
  });

  it('are searched for values that are not finite', () => {
    const found = [[1, 0], [1, Number.NaN, Infinity], [-Infinity], []].map((v) =>
      firstHole(Float64Array.from(v)),
    );
    expect(found).toEqual([-1, 1, 0, -1]);
  });

  it('stop the build when stays are missing or a label is strange', async () => {
    await expect(change({ imputed: cohort.imputed.slice(1) })).rejects.toThrow(/hold different stays/);
    await expect(
      change({ labels: [{ dx_code: 'Z99', stay_id: cohort.cohort[0]!.stay_id! }] }),
    ).rejects.toThrow(/not selected/);
  });
});
