/**
 * Data on which each allowance of the passes decides: float32 that lost a little, ranges after the rough sort, ties at
 * the last place, stays of one patient in the band form. Every case fails when its allowance is taken away.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metric } from '../../stages/lib/distance.js';
import { farthestPairs } from '../../stages/lib/farthest-pairs.js';
import { NearestPairs } from '../../stages/lib/nearest-pairs.js';
import { comparePairs, type KeyedPair } from '../../stages/lib/pair-heap.js';
import {
  mergeParts,
  type PositivePairsSpec,
  partToData,
  scanPart,
  scanPositivePairs,
  settle,
} from '../../stages/lib/positive-pairs.js';
import { randomStream } from '../../stages/lib/random.js';
import { kernel } from '../support/kernels.js';

const WHOLE = { part: 0, of: 1 };
const METRICS = ['gower', 'euclidean'] as const;
const count = (n: number, from = 0): Int32Array => Int32Array.from({ length: n }, (_, i) => from + i);

function keyOf(metric: Metric, data: Float64Array, n: number, k: number, i: number, j: number): number {
  let key = 0;
  for (let c = 0; c < k; c++) {
    const d = data[c * n + i]! - data[c * n + j]!;
    key += metric === 'gower' ? Math.abs(d) : d * d;
  }
  return key;
}

describe.each([
  ['compiled', kernel('near')],
  ['TypeScript', null],
])('near pairs, %s form', (_, form) => {
  const search = (
    metric: Metric,
    data: Float64Array,
    k: number,
    a: number,
    b: number,
    limit: number,
    capacity: number,
  ): KeyedPair[] => {
    const source = { metric, data, matrixRows: a + b, features: count(k) };
    const pairs = new NearestPairs(source, count(b, a), a, form);
    return pairs.search({ rows: count(a), capacity, limit, isWanted: () => true, part: WHOLE }).sorted();
  };

  it.each(METRICS)('finds copies that float32 puts a step apart (%s)', (metric) => {
    const random = randomStream(2, 'midpoints');
    const [a, b, k] = [200, 3000, 3];
    const n = a + b;
    const data = new Float64Array(n * k);
    for (let i = 0; i < b; i++) {
      for (let c = 0; c < k; c++) data[c * n + a + i] = 1 + (random.below(2 ** 20) + 0.5 + 1e-6) * 2 ** -23;
    }
    for (let i = 0; i < a; i++) {
      for (let c = 0; c < k; c++) data[c * n + i] = data[c * n + a + i * 13]! - 2e-6 * 2 ** -23;
    }
    const limit = Math.max(...Array.from(count(a), (i) => keyOf(metric, data, n, k, i, a + i * 13)));
    const found = search(metric, data, k, a, b, limit, 10_000).map((p) => `${p.i} ${p.j}`);
    for (let i = 0; i < a; i++) expect(found).toContain(`${i} ${a + i * 13}`);
  });

  it.each(METRICS)('finds a pair whose sum float32 rounds up at every step (%s)', (metric) => {
    const k = 448;
    const data = new Float64Array(2 * k);
    data[1] = 1;
    const step = 1.01 * 2 ** -24;
    for (let c = 1; c < k; c++) data[c * 2 + 1] = metric === 'gower' ? step : Math.sqrt(step);
    expect(search(metric, data, k, 1, 1, keyOf(metric, data, 2, k, 0, 1), 5)).toHaveLength(1);
  });

  it.each(METRICS)('finds pairs of values below the least normal float32 (%s)', (metric) => {
    const random = randomStream(4, 'tiny');
    const [a, b, k] = [20, 300, 3];
    const data = Float64Array.from({ length: (a + b) * k }, () => random.below(50) * 1.3e-45);
    for (let i = 0; i < a; i++) {
      for (let j = a; j < a + b; j += 7) {
        const limit = keyOf(metric, data, a + b, k, i, j);
        const pairs = search(metric, data, k, a, b, limit, 10_000);
        expect(pairs.some((p) => p.i === i && p.j === j)).toBe(true);
        if (j > a + 40) break;
      }
    }
  });

  it.each(METRICS)('finds copies where the sort by window leaves no order (%s)', (metric) => {
    // All values of the third column have one rough key; one row asks at a time, so that its window is narrow.
    const random = randomStream(1, 'rough');
    const [a, b, k] = [200, 6000, 3];
    const n = a + b;
    const data = new Float64Array(n * k);
    for (let i = 0; i < b; i++) {
      data[a + i] = 1 + 0.9 * random.float();
      data[n + a + i] = 1 + 0.5 * random.float();
      data[2 * n + a + i] = 1 + 0.007 * random.float();
    }
    for (let i = 0; i < a; i++) for (let c = 0; c < k; c++) data[c * n + i] = data[c * n + a + i * 29]!;
    const source = { metric, data, matrixRows: n, features: count(k) };
    const pairs = new NearestPairs(source, count(b, a), 1, form);
    for (let i = 0; i < a; i++) {
      const one = { rows: Int32Array.of(i), capacity: 1, limit: 0, isWanted: () => true, part: WHOLE };
      expect(pairs.search(one).sorted()).toEqual([{ key: 0, i, j: a + i * 29 }]);
    }
  });

  it.each(METRICS)('finds all pairs of equal rows at the limit 0 (%s)', (metric) => {
    expect(search(metric, new Float64Array(40 * 4), 4, 10, 30, 0, 400)).toHaveLength(300);
  });

  it('hands over no lane behind the last row, whichever columns are used', () => {
    const n = 13;
    const data = Float64Array.from({ length: 3 * n }, (__, i) => (i < n ? 99 : Math.sin(i)));
    const source = { metric: 'gower' as const, data, matrixRows: n, features: Int32Array.of(1, 2) };
    const all = { capacity: 200, limit: Number.POSITIVE_INFINITY, isWanted: () => true, part: WHOLE };
    const found = new NearestPairs(source, count(8, 5), 5, form).search({ ...all, rows: count(5) }).sorted();
    expect(new Set(found.map((p) => `${p.i} ${p.j}`)).size).toBe(40);
    expect(found.every((p) => p.i >= 0 && p.i < 5 && p.j >= 5)).toBe(true);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e160, 1e16])('refuses the value %d', (value) => {
    const data = Float64Array.from({ length: 60 }, (__, i) => i);
    data[31] = value;
    for (const metric of METRICS) expect(() => search(metric, data, 2, 5, 25, 1, 5)).toThrow(RangeError);
  });
});

describe('thresholds and far pairs from bands', () => {
  const shape = fc.record({
    seed: fc.integer(),
    n: fc.constantFrom(257, 260, 520, 900),
    levels: fc.constantFrom(0, 3, 8),
    staysPerPatient: fc.constantFrom(1, 2, 30),
    splitsN: fc.integer({ min: 1, max: 3 }),
    capacity: fc.constantFrom(1, 30, 300),
    metric: fc.constantFrom(...METRICS),
    of: fc.integer({ min: 1, max: 4 }),
  });

  it('equal brute force: ties at the last place, stays of one patient, any number of parts', () => {
    fc.assert(
      fc.property(shape, (s) => {
        const random = randomStream(s.seed, 'bands');
        const data = Float64Array.from({ length: s.n * 3 }, () =>
          s.levels > 0 ? random.below(s.levels) / s.levels : random.float(),
        );
        expectBruteForce(s, data, (i) => i % s.splitsN);
      }),
      { numRuns: 25 },
    );
  });

  it('equal brute force with two large splits of which one is spread wider', () => {
    const random = randomStream(8, 'splits');
    const n = 800;
    const data = Float64Array.from({ length: n * 3 }, (_, at) => random.float() * (at % 2 === 0 ? 1 : 0.3));
    for (const metric of METRICS) {
      const s = { n, metric, staysPerPatient: 1, splitsN: 2, capacity: 40, of: 2 };
      expectBruteForce(s, data, (i) => i % 2);
    }
  });

  it('scans again when a rank lies outside its band', () => {
    const random = randomStream(9, 'again');
    const n = 600;
    const data = Float64Array.from({ length: n * 2 }, () => random.float());
    const spec = specOf(
      { n, metric: 'gower', staysPerPatient: 1, splitsN: 1, capacity: 5 },
      data,
      () => 0,
      2,
    );
    const narrow = scanPart(spec, WHOLE, 1e-9);
    expect(settle(spec, narrow)).toMatchObject(withoutHeaps(scanPositivePairs({ ...spec, storeLimit: 1e9 })));
  });
});

interface Shape {
  readonly n: number;
  readonly metric: Metric;
  readonly staysPerPatient: number;
  readonly splitsN: number;
  readonly capacity: number;
}

const withoutHeaps = ({ theta, phi, pairs_n }: ReturnType<typeof scanPositivePairs>) => ({
  theta,
  phi,
  pairs_n,
});

function specOf(s: Shape, data: Float64Array, splitOf: (i: number) => number, k = 3): PositivePairsSpec {
  const rows = count(s.n);
  return {
    metric: s.metric,
    data,
    matrixRows: s.n,
    features: count(k),
    rows,
    patient: rows.map((i) => i % Math.ceil(s.n / s.staysPerPatient)),
    split: rows.map(splitOf),
    splitsN: s.splitsN,
    quantiles: [0.25, 0.75],
    capacity: s.capacity,
    kernel: kernel('within'),
    storeLimit: 0,
  };
}

function expectBruteForce(
  s: Shape & { readonly of: number },
  data: Float64Array,
  splitOf: (i: number) => number,
): void {
  const spec = specOf(s, data, splitOf);
  const far: KeyedPair[][] = Array.from({ length: s.splitsN }, () => []);
  for (let i = 0; i < s.n; i++) {
    for (let j = i + 1; j < s.n; j++) {
      if (spec.patient[i] === spec.patient[j] || spec.split[i] !== spec.split[j]) continue;
      far[spec.split[i]!]!.push({ key: -keyOf(s.metric, data, s.n, 3, i, j), i, j });
    }
  }
  const expected = far.map((pairs) => pairs.sort(comparePairs).slice(0, s.capacity));
  const stored = scanPositivePairs({ ...spec, storeLimit: 1e9, kernel: null });
  for (const form of [spec.kernel, null]) {
    const given = { ...spec, kernel: form };
    const parts = Array.from({ length: s.of }, (_, part) =>
      structuredClone(partToData(scanPart(given, { part, of: s.of }))),
    );
    const found = settle(given, mergeParts(parts));
    expect(withoutHeaps(found)).toEqual(withoutHeaps(stored));
    expect(found.farthest.map((h) => h.sorted())).toEqual(expected);
    const source = { metric: s.metric, data, matrixRows: s.n, features: count(3) };
    const isWanted = (_: number, i: number, j: number): boolean => spec.patient[i] !== spec.patient[j];
    for (let split = 0; split < s.splitsN; split++) {
      const rows = spec.rows.filter((i) => spec.split[i] === split);
      const alone = farthestPairs(source, { rows, capacity: s.capacity, isWanted, kernel: form });
      expect(alone.sorted()).toEqual(expected[split]);
    }
  }
}
