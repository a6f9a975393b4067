import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { meanOf, medianOf, modeOf } from '../../stages/impute-features/fill-value.js';
import { imputeFeatures } from '../../stages/impute-features/stage.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { runStageOn } from '../support/stage.js';
import { featureRow, shuffled } from './diagnosis-data.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const byId = new Map(registry.map((f) => [f.feature_id, f]));
const firstOf = (scale: string): string => registry.find((f) => f.scale === scale)!.feature_id;
const CONTINUOUS = firstOf('continuous');
const BINARY = firstOf('binary');
const ORDINAL = firstOf('ordinal');

interface Imputed {
  values: SqlRow[];
  flags: SqlRow[];
  fills: Map<string, SqlRow>;
  counts: Record<string, number>;
}

async function impute(features: readonly SqlRow[], config: unknown = {}): Promise<Imputed> {
  const run = await runStageOn(imputeFeatures, { inputs: { features }, config });
  const fills = await run.table('impute_values');
  return {
    values: await run.table('imputed'),
    flags: await run.table('imputed_flags'),
    fills: new Map(fills.map((r) => [r.feature_id as string, r])),
    counts: run.result.counts,
  };
}

/** Recomputes a fill with plain arrays; doubles are compared after rounding to 12 digits. */
function fillOf(column: readonly (number | null)[], scale: string): number {
  const observed = column.filter((x) => x !== null).sort((a, b) => a - b);
  if (observed.length === 0) return 0;
  if (scale === 'continuous') return observed.reduce((a, b) => a + b, 0) / observed.length;
  const times = (x: number): number => observed.filter((y) => y === x).length;
  const most = Math.max(...observed.map(times));
  return observed.find((x) => times(x) === most)!;
}

describe('impute-features', () => {
  it('fills a mean, a mode with ties to the smallest, and 0 where nothing was observed', async () => {
    const rows = [
      featureRow(3, { [CONTINUOUS]: 2, [BINARY]: 1, [ORDINAL]: 9 }),
      featureRow(1, { [CONTINUOUS]: 5, [BINARY]: 0, [ORDINAL]: 9 }),
      featureRow(2, { [ORDINAL]: 4 }),
      featureRow(4),
    ];
    const { values, flags, fills, counts } = await impute(rows);
    expect(values.map((r) => [r.stay_id, r[CONTINUOUS], r[BINARY], r[ORDINAL]])).toEqual([
      [1, 5, 0, 9],
      [2, 3.5, 0, 4],
      [3, 2, 1, 9],
      [4, 3.5, 0, 9],
    ]);
    expect(flags.map((r) => [r.stay_id, r[CONTINUOUS], r[BINARY], r[ORDINAL]])).toEqual([
      [1, 0, 0, 0],
      [2, 1, 1, 0],
      [3, 0, 0, 0],
      [4, 1, 1, 1],
    ]);
    expect(fills.get(CONTINUOUS)).toEqual({
      feature_id: CONTINUOUS,
      scale: 'continuous',
      method: 'mean',
      value: 3.5,
      observed_n: 2,
      imputed_n: 2,
    });
    expect(fills.get(BINARY)).toMatchObject({ method: 'mode', value: 0 });
    expect(fills.get(ORDINAL)).toMatchObject({ method: 'mode', value: 9, observed_n: 3 });
    const empty = FEATURE_IDS.filter((id) => ![CONTINUOUS, BINARY, ORDINAL].includes(id));
    for (const id of empty) expect(fills.get(id)).toMatchObject({ method: 'none', value: 0, imputed_n: 4 });
    expect(counts).toEqual({ imputed_values: 445 * 4 + 5, features_without_values: 445 });
  });

  it('uses medians of every scale when asked', async () => {
    const rows = [1, 2, 4, 100].map((x, i) => featureRow(i, { [CONTINUOUS]: x, [BINARY]: i % 2 }));
    const { fills, values } = await impute([...rows, featureRow(9)], { method: 'median' });
    expect(fills.get(CONTINUOUS)).toMatchObject({ method: 'median', value: 3 });
    expect(fills.get(BINARY)).toMatchObject({ method: 'median', value: 0.5 });
    expect(values.at(-1)![CONTINUOUS]).toBe(3);
  });

  it('agrees with a plain recomputation on random data, in any row order', async () => {
    const cell = fc.option(
      fc.integer({ min: -20, max: 20 }).map((x) => x / 4),
      { nil: null, freq: 2 },
    );
    const matrix = fc.array(fc.array(cell, { minLength: 12, maxLength: 12 }), {
      minLength: 1,
      maxLength: 25,
    });
    const shown = [...registry.filter((f) => f.scale === 'continuous').slice(0, 4)]
      .concat(registry.filter((f) => f.scale === 'binary').slice(0, 4))
      .concat(registry.filter((f) => f.scale === 'ordinal').slice(0, 4))
      .map((f) => f.feature_id);
    await fc.assert(
      fc.asyncProperty(matrix, fc.nat(1000), async (m, seed) => {
        const rows = m.map((cells, i) =>
          featureRow(100 + i, Object.fromEntries(shown.map((id, j) => [id, cells[j]!]))),
        );
        const one = await impute(rows);
        const other = await impute(shuffled(rows, seed));
        expect(other).toEqual(one);
        for (const [j, id] of shown.entries()) {
          const column = m.map((cells) => cells[j]!);
          const fill = fillOf(column, byId.get(id)!.scale);
          expect(one.fills.get(id)!.value).toBeCloseTo(fill, 12);
          column.forEach((x, i) => {
            expect(one.values[i]![id]).toBe(x ?? one.fills.get(id)!.value);
            expect(one.flags[i]![id]).toBe(x === null ? 1 : 0);
          });
        }
      }),
      { numRuns: 4 },
    );
  });

  it('keeps zeros, negative numbers and tiny numbers as observed values', async () => {
    const rows = [0, -5e-324, 1e308, -1e308].map((x, i) => featureRow(i, { [CONTINUOUS]: x }));
    const { values, flags } = await impute(rows);
    expect(values.map((r) => r[CONTINUOUS])).toEqual([0, -5e-324, 1e308, -1e308]);
    expect(flags.every((r) => r[CONTINUOUS] === 0)).toBe(true);
  });

  it('refuses a table without stays', async () => {
    await expect(impute([])).rejects.toThrow(/no stay has features/);
  });
});

describe('fill values', () => {
  it('sums without losing small values beside large ones', () => {
    expect(meanOf(Float64Array.of(1e16, 1, 1, -1e16))).toBe(0.5);
    expect(meanOf(Float64Array.of(0.1, 0.1, 0.1))).toBe(0.1);
  });

  it('gives exact means of whole numbers and stays between the limits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 }), (xs) => {
        const exact = Number(xs.reduce((a, b) => a + BigInt(b), 0n)) / xs.length;
        expect(meanOf(Float64Array.from(xs))).toBe(exact + 0);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (xs) => {
        const mean = meanOf(Float64Array.from(xs));
        expect(mean).toBeGreaterThanOrEqual(Math.min(...xs));
        expect(mean).toBeLessThanOrEqual(Math.max(...xs));
      }),
    );
  });

  it('takes modes and medians of unsorted values without changing them', () => {
    const values = Float64Array.of(3, 1, 3, 1, 2);
    expect(modeOf(values)).toBe(1);
    expect(medianOf(values)).toBe(2);
    expect([...values]).toEqual([3, 1, 3, 1, 2]);
  });
});
