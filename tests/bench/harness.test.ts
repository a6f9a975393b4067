/** The benchmark's own rules: wrong results are not timed, missing peers are named, ratios and fits are what they say. */
import { describe, expect, it } from 'vitest';
import type { BenchCase, Outcome, Side } from './case.js';
import { extrapolate, interpolate, type PeerRun } from './cohort-peer.js';
import { fitAll, fitExponent, MEASURES } from './growth.js';
import { growthPlot } from './growth-plot.js';
import { exactDifference, looseDifference } from './oracle.js';
import { runCase } from './run-case.js';
import { formatTable, median, rowsOf } from './table.js';

const side = (cpu_s: number, results: readonly unknown[]): (() => Promise<Side>) => {
  let n = 0;
  const run = async (): Promise<Outcome> => ({
    times: { total: { wall_s: 6, cpu_s } },
    peak_mb: 10,
    result: results[Math.min(n++, results.length - 1)],
  });
  return async () => ({ run, close: () => undefined });
};

const caseOf = (changes: Partial<BenchCase>): BenchCase => ({
  name: 'case',
  products: { js: side(2, [1]), wasm: side(1, [1]) },
  peers: { peer: side(8, [0]), absent: async () => null },
  comparisons: ['peer', 'absent'].flatMap((peer) =>
    ['js', 'wasm'].map((product) => ({ measure: 'total', product, peer, target: { id: 'T', ratio: 5 } })),
  ),
  check: async () => null,
  ...changes,
});

const tableOf = async (changes: Partial<BenchCase>) => {
  const report = await runCase(caseOf(changes), () => undefined);
  return { report, rows: rowsOf(report) };
};

describe('a benchmark case', () => {
  it('gives the ratio of each round, and whether the target is met', async () => {
    const { rows, report } = await tableOf({});
    expect(rows.map((r) => r.cpu_ratios)).toEqual([[4, 4, 4], [8, 8, 8], [], []]);
    expect(rows.map((r) => r.is_met)).toEqual([false, true, null, null]);
    expect(rows[2]!.note).toBe('not installed');
    expect(report.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(formatTable(rows)).toContain('T 5x MISSED');
  });

  it('is not timed when its check fails', async () => {
    const { rows, report } = await tableOf({ check: async () => 'pair 3 differs' });
    expect(report.failure).toBe('pair 3 differs');
    expect(report.rounds).toEqual({});
    expect(rows.every((r) => r.note === 'FAIL' && r.cpu_ratios.length === 0)).toBe(true);
    expect(formatTable(rows)).not.toMatch(/\d+x\*/);
  });

  it('fails when two products differ, when a round differs, and when a side breaks', async () => {
    const two = await tableOf({ products: { js: side(2, [1]), wasm: side(1, [2]) } });
    expect(two.report.failure).toContain('wasm and js give different results');
    const later = await tableOf({ products: { js: side(2, [1, 1, 5]), wasm: side(1, [1]) } });
    expect(later.report.failure).toContain('js gives another result in round 2');
    const broken = async (): Promise<Side> => {
      throw new Error('no such file');
    };
    expect((await tableOf({ products: { js: broken, wasm: side(1, [1]) } })).report.failure).toBe(
      'no such file',
    );
  });
});

describe('comparing answers', () => {
  const answer = { theta: 0.25, phi: 0.75, ddt: [[1, 2, 0.1]], dct: [[1, 3, 0.9]] };

  it('is exact for the product: one bit, an order, a missing pair are seen', () => {
    expect(exactDifference({ ...answer }, answer)).toBeNull();
    expect(exactDifference({ ...answer, theta: 0.25 + Number.EPSILON / 4 }, answer)).toContain('theta');
    expect(exactDifference({ ...answer, ddt: [[2, 1, 0.1]] }, answer)).toContain('ddt pair 1');
    expect(exactDifference({ ...answer, dct: [...answer.dct, [1, 4, 0.8]] }, answer)).toContain(
      '2 dct pairs',
    );
  });

  it('allows a peer rounding and another of equal distances, nothing else', () => {
    expect(looseDifference({ ddt: [[9, 9, 0.1 + 1e-12]] }, answer)).toBeNull();
    expect(looseDifference({ ddt: [[1, 2, 0.11]] }, answer)).toContain('ddt pair 1');
    expect(looseDifference({ dct: [] }, answer)).toContain('dct pair 1');
  });
});

describe('numbers of the report', () => {
  it('median of odd and even counts', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('the exponent of a power law is found, and times between sizes follow it', () => {
    const points = [10, 30, 94].map((x) => [x, 3 * x ** 1.7] as const);
    expect(fitExponent(points)).toBeCloseTo(1.7, 10);
    for (const x of [5, 10, 20, 94, 300]) expect(interpolate(points, x)).toBeCloseTo(3 * x ** 1.7, 6);
    // Several diagnoses of one size count once, with their mean.
    expect(interpolate([...points, [10, 3 * 10 ** 1.7]], 20)).toBeCloseTo(3 * 20 ** 1.7, 6);
    expect(
      interpolate(
        [
          [10, 1],
          [10, 3],
        ],
        99,
      ),
    ).toBeCloseTo(2, 10);
  });

  it('the growth plot has its four panels, with the fitted exponents', () => {
    const points = (['stays', 'diagnoses'] as const).flatMap((along) =>
      MEASURES.flatMap((what) => [10, 30, 94].map((size) => ({ along, size, what, value: size ** 1.25 }))),
    );
    const svg = growthPlot({ points, exponents: fitAll(points) });
    expect(svg.match(/exponent 1\.25/g)).toHaveLength(2 * MEASURES.length);
    expect(svg.match(/<svg/g)).toHaveLength(5);
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  it('the peers are summed over all sizes and parts', () => {
    const costs = [100, 1000].map((n) => ({
      positives: n,
      rank: n,
      within: { euclidean: n / 10, gower: n / 20 },
      ddt: { euclidean: n / 5, gower: n / 2 },
    }));
    const run: PeerRun = { costs, peak_mb: 1, answers: { euclidean: [], gower: [] } };
    const { rank, mine } = extrapolate(run, [100, 300, 1000], 'gower');
    expect(rank).toBeCloseTo(1400, 6);
    expect(mine).toBeCloseTo(1400 * 0.55, 6);
  });
});
