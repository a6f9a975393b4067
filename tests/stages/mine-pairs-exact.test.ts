/** The mined pairs against brute force, to the bit: random data, and the data that breaks a miner. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RandomStream } from '../../stages/contract.js';
import { isEligible } from '../../stages/lib/distance.js';
import {
  joinParts,
  type MiningSettings,
  type MiningTask,
  mineDiagnosis,
  minePart,
} from '../../stages/lib/mining.js';
import { scanPositivePairs } from '../../stages/lib/positive-pairs.js';
import { randomStream } from '../../stages/lib/random.js';
import { kernel } from '../support/kernels.js';
import { mineByBruteForce, numpyPercentile } from './mine-pairs-brute.js';

const SETTINGS: MiningSettings = {
  metric: 'gower',
  top_m: 5,
  cap: 1,
  min_observed_share: 0.7,
  apply_thresholds: true,
  theta_quantile: 0.25,
  phi_quantile: 0.75,
};

interface TaskSpec {
  rows: number;
  k: number;
  value: (r: number, f: number) => number;
  isPositive: (r: number) => boolean;
  isFilled?: (r: number, f: number) => boolean;
  patient?: (r: number) => number;
  split?: (r: number) => number;
  splitsN?: number;
  settings?: Partial<MiningSettings>;
  pool?: number | undefined;
}

function makeTask(spec: TaskSpec): MiningTask {
  const { rows, k } = spec;
  const scaled = new Float64Array(rows * k);
  const filled = new Uint8Array(rows * k);
  for (let f = 0; f < k; f++) {
    for (let r = 0; r < rows; r++) {
      scaled[f * rows + r] = spec.value(r, f);
      filled[f * rows + r] = spec.isFilled?.(r, f) ? 1 : 0;
    }
  }
  const each = Array.from({ length: rows }, (_, r) => r);
  return {
    data: {
      rows,
      scaled,
      filled,
      patient: Int32Array.from(each, spec.patient ?? ((r) => r)),
      split: Int32Array.from(each, spec.split ?? (() => 0)),
      splitsN: spec.splitsN ?? 1,
    },
    settings: { ...SETTINGS, ...spec.settings },
    // Rank order is not column order.
    features: Int32Array.from({ length: k }, (_, f) => (f * 7 + 3) % k).sort((a, b) => b - a),
    positives: Int32Array.from(each.filter(spec.isPositive)),
    ...(spec.pool === undefined ? {} : { pool: spec.pool }),
  };
}

const metrics = ['gower', 'euclidean'] as const;
const kernels = { within: kernel('within'), near: kernel('near') };

/** Brute force, the TypeScript form, the compiled form, and both of them in parts: all to the bit. */
function agree(task: MiningTask): void {
  const expected = mineByBruteForce(task);
  expect(mineDiagnosis(task)).toEqual(expected);
  expect(mineDiagnosis({ ...task, kernels })).toEqual(expected);
  const inParts = (t: MiningTask, of: number) =>
    joinParts({
      ...t,
      parts: Array.from({ length: of }, (_, part) => minePart({ ...t, part: { part, of } })),
    });
  expect(inParts(task, 2)).toEqual(expected);
  expect(inParts({ ...task, kernels }, 3)).toEqual(expected);
}

describe('mineDiagnosis', () => {
  it('equals brute force on random data of every shape', () => {
    const shape = fc.record({
      seed: fc.integer(),
      rows: fc.integer({ min: 0, max: 70 }),
      k: fc.integer({ min: 1, max: 23 }),
      levels: fc.constantFrom(2, 3, 10, 1e9),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      staysPerPatient: fc.integer({ min: 1, max: 4 }),
      splitsN: fc.integer({ min: 1, max: 3 }),
      filled: fc.constantFrom(0, 0.2, 0.5),
      metric: fc.constantFrom(...metrics),
      top_m: fc.integer({ min: 1, max: 9 }),
      cap: fc.constantFrom('none' as const, 1, 2, 3),
      apply_thresholds: fc.boolean(),
      min_observed_share: fc.constantFrom(0, 0.55, 0.7, 1),
      pool: fc.constantFrom(undefined, 1, 2, 5),
    });
    fc.assert(
      fc.property(shape, (s) => {
        const random = randomStream(s.seed, 'shape');
        const { metric, top_m, cap, apply_thresholds, min_observed_share } = s;
        agree(
          makeTask({
            rows: s.rows,
            k: s.k,
            value: () => Math.floor(random.float() * s.levels) / s.levels,
            isPositive: () => random.float() < s.share,
            isFilled: () => random.float() < s.filled,
            patient: (r) => Math.floor(r / s.staysPerPatient),
            split: (r) => Math.floor(r / s.staysPerPatient) % s.splitsN,
            splitsN: s.splitsN,
            pool: s.pool,
            settings: { metric, top_m, cap, apply_thresholds, min_observed_share },
          }),
        );
      }),
      { numRuns: 300 },
    );
  });

  const random = (label: string): RandomStream => randomStream(5, label);
  const half = (r: number): boolean => r % 3 !== 0;

  it.each(metrics)('handles rows that are copies of each other (%s)', (metric) => {
    const r1 = random('copies');
    const base = Array.from({ length: 6 }, () => Array.from({ length: 20 }, () => r1.float()));
    agree(
      makeTask({
        rows: 90,
        k: 20,
        value: (r, f) => base[r % 6]![f]!,
        isPositive: half,
        settings: { metric },
      }),
    );
  });

  it.each(metrics)('handles data with two distinct distances only (%s)', (metric) => {
    const value = (r: number, f: number): number => (r % 20 === f ? 1 : 0);
    agree(
      makeTask({ rows: 100, k: 20, value, isPositive: half, settings: { metric, cap: 'none', top_m: 40 } }),
    );
  });

  it.each(metrics)('handles seven positive stays (%s)', (metric) => {
    const r1 = random('seven');
    agree(
      makeTask({
        rows: 37,
        k: 20,
        value: () => r1.float(),
        isPositive: (r) => r % 5 === 1 && r < 35,
        settings: { metric },
      }),
    );
  });

  it.each([0, 1, 2])('has no thresholds and no pairs where they need them with %i positive stays', (n) => {
    const r1 = random('few');
    const task = makeTask({ rows: 12, k: 5, value: () => r1.float(), isPositive: (r) => r < n });
    agree(task);
    if (n < 2) expect(mineDiagnosis(task)).toMatchObject({ theta: null, phi: null, pairs: [] });
  });

  it.each(metrics)('keeps the order of distances one rounding step apart (%s)', (metric) => {
    // One column; row r lies r units in the last place above 1/2, negatives at 0: neighbours differ in the last bit.
    const value = (r: number, f: number): number =>
      f > 0 ? 0 : r < 60 ? 0.5 + r * 2 ** -53 : (r - 60) * 2 ** -53;
    agree(
      makeTask({
        rows: 120,
        k: 3,
        value,
        isPositive: (r) => r < 60,
        settings: { metric, apply_thresholds: false, cap: 'none', top_m: 50 },
      }),
    );
  });

  it.each(metrics)('handles rows of norm 1e4 among ordinary ones (%s)', (metric) => {
    const r1 = random('norm');
    const value = (r: number): number => (r % 17 === 0 ? 1e4 : 0) + r1.float();
    agree(makeTask({ rows: 110, k: 20, value, isPositive: half, settings: { metric, cap: 2 } }));
  });

  it.each(metrics)('keeps ties in id order where rows fill several blocks of tiles (%s)', (metric) => {
    // Rows 2 and 200 equal the negatives 211 and 701, and are farthest from 210 and 700: four ties each. Their second in
    // order, (2, 701) and (2, 700), comes in a later block of tiles than (200, 211) and (200, 210).
    const r1 = random('blocks');
    const value = (r: number): number =>
      [2, 200, 211, 701].includes(r) ? 0 : [210, 700].includes(r) ? 1 : 0.4 + 0.2 * r1.float();
    const settings = { metric, cap: 'none', top_m: 2, apply_thresholds: false } as const;
    const task = makeTask({ rows: 900, k: 10, value, isPositive: (r) => r % 2 === 0, settings });
    agree(task);
    const rows = mineDiagnosis(task).pairs.map((p) => [p.task, p.i, p.j]);
    expect(rows).toEqual([
      ['ddt', 2, 211],
      ['ddt', 2, 701],
      ['dct', 2, 210],
      ['dct', 2, 700],
    ]);
  });

  it('finds disjoint pairs behind one stay that fills the whole pool of candidates', () => {
    // Stay 1 is far from all others: it stands in the farthest 4,999 pairs, more than one draw holds.
    const r1 = random('outlier');
    const rows = 5000;
    const value = (r: number): number => (r === 1 ? 50 : r1.float());
    const task = makeTask({ rows, k: 2, value, isPositive: () => true, settings: { top_m: 3 } });
    const far = mineDiagnosis(task).pairs.filter((p) => p.task === 'dct');
    expect(far).toHaveLength(3);
    expect([far[0]!.i, far[0]!.j]).toContain(1);
    const used = far.flatMap((p) => [p.i, p.j]);
    expect(new Set(used).size).toBe(6);
    // The second pair is the farthest of all that avoid the first, found by looking at every pair.
    const key = (a: number, b: number): number =>
      [...task.features].reduce(
        (s, f) => s + Math.abs(task.data.scaled[f * rows + a]! - task.data.scaled[f * rows + b]!),
        0,
      );
    let best = 0;
    for (let a = 0; a < rows; a++) {
      if (a === far[0]!.i || a === far[0]!.j) continue;
      for (let b = a + 1; b < rows; b++) {
        if (b !== far[0]!.i && b !== far[0]!.j) best = Math.max(best, key(a, b));
      }
    }
    expect(far[1]!.distance).toBe(best / 2);
  });

  it('reports fewer than m pairs, and pads nothing', () => {
    const task = makeTask({
      rows: 6,
      k: 2,
      value: (r) => r,
      isPositive: (r) => r < 4,
      settings: { top_m: 5 },
    });
    agree(task);
    expect(mineDiagnosis(task).pairs.length).toBeLessThan(10);
  });

  it('never pairs a patient with himself, though his stays are nearest and farthest', () => {
    // Patient 0 has a positive and a negative stay with equal values, and two positive stays at the extremes.
    const values = [0, 0, 9, 3, 4, 5, 6, 4.5];
    const task = makeTask({
      rows: 8,
      k: 1,
      value: (r) => values[r]!,
      isPositive: (r) => [0, 2, 3, 4, 5].includes(r),
      patient: (r) => (r < 3 ? 0 : r),
      settings: { cap: 'none', apply_thresholds: false, top_m: 50 },
    });
    agree(task);
    for (const p of mineDiagnosis(task).pairs)
      expect(task.data.patient[p.i]).not.toBe(task.data.patient[p.j]);
  });

  it('mines inside a split, with thresholds of the whole cohort', () => {
    const r1 = random('split');
    const spec: TaskSpec = { rows: 90, k: 6, value: () => r1.float(), isPositive: half };
    const one = mineDiagnosis(makeTask(spec));
    const r2 = random('split');
    const task = makeTask({ ...spec, value: () => r2.float(), split: (r) => r % 2, splitsN: 2 });
    const two = mineDiagnosis(task);
    expect([two.theta, two.phi]).toEqual([one.theta, one.phi]);
    for (const p of two.pairs) expect([p.i % 2, p.j % 2]).toEqual([p.split, p.split]);
    agree(task);
  });
});

describe('isEligible', () => {
  it('takes a share that is met exactly, though its product is not', () => {
    expect([0.14 * 50, 0.28 * 25].map((x) => x > 7)).toEqual([true, true]);
    expect([isEligible(11, 20, 0.55), isEligible(10, 20, 0.55)]).toEqual([true, false]);
    expect([isEligible(7, 50, 0.14), isEligible(6, 50, 0.14)]).toEqual([true, false]);
    expect([isEligible(14, 20, 0.7), isEligible(13, 20, 0.7)]).toEqual([true, false]);
  });
});

describe('thresholds from bands', () => {
  const scan = (
    value: (r: number, f: number) => number,
    n: number,
    k: number,
    storeLimit: number,
    module: WebAssembly.Module | null = null,
  ) => {
    const data = new Float64Array(n * k);
    for (let f = 0; f < k; f++) for (let r = 0; r < n; r++) data[f * n + r] = value(r, f);
    const rows = Int32Array.from({ length: n }, (_, r) => r);
    const found = scanPositivePairs({
      metric: 'gower',
      data,
      matrixRows: n,
      features: Int32Array.from({ length: k }, (_, f) => f),
      rows,
      patient: rows,
      split: new Int32Array(n),
      splitsN: 1,
      quantiles: [0.25, 0.75],
      capacity: 30,
      kernel: module,
      storeLimit,
    });
    return { ...found, farthest: found.farthest.map((h) => h.sorted()) };
  };

  const cases: Record<string, (r: number, f: number) => number> = (() => {
    const r1 = randomStream(3, 'bands');
    const free = Array.from({ length: 4000 }, () => r1.float());
    const heavy = Array.from({ length: 4000 }, () => 1 / (1e-6 + r1.float()));
    return {
      'continuous data': (r, f) => free[r * 10 + f]!,
      'heavy tails': (r, f) => Math.round(heavy[r * 10 + f]!),
      'three levels': (r, f) => Math.floor(free[r * 10 + f]! * 3),
      'two distinct distances, where the bands overlap': (r, f) => (r % 10 === f ? 1 : 0),
      'equal rows only': () => 0.25,
    };
  })();

  it.each(Object.entries(cases))('equal those of all stored distances: %s', (_, value) => {
    const stored = scan(value, 400, 10, 1e9);
    expect(scan(value, 400, 10, 0)).toEqual(stored);
    expect(scan(value, 400, 10, 0, kernels.within)).toEqual(stored);
  });

  it('are numpy percentiles of all distances', () => {
    const value = cases['continuous data']!;
    const distances: number[] = [];
    for (let a = 0; a < 300; a++) {
      for (let b = a + 1; b < 300; b++) {
        let key = 0;
        for (let f = 0; f < 10; f++) key += Math.abs(value(a, f) - value(b, f));
        distances.push(key / 10);
      }
    }
    distances.sort((a, b) => a - b);
    const found = scan(value, 300, 10, 0);
    expect(found.theta).toBe(numpyPercentile(distances, 0.25));
    expect(found.phi).toBe(numpyPercentile(distances, 0.75));
  });
});
