import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { assignSplit, patientPoint, splitBounds } from '../../stages/lib/patient-split.js';
import { splitPatients } from '../../stages/split-patients/stage.js';
import { runStageOn } from '../support/stage.js';
import { shuffled, stay } from './diagnosis-data.js';

const WEIGHTS = { train: 7, validation: 1, test: 2 };

async function splitsOf(
  cohort: readonly SqlRow[],
  options: { config?: unknown; seed?: number } = {},
): Promise<Map<number, string>> {
  const run = await runStageOn(splitPatients, { inputs: { cohort }, ...options });
  return new Map((await run.table('splits')).map((r) => [r.subject_id as number, r.split as string]));
}

const stays = (from: number, to: number): SqlRow[] =>
  Array.from({ length: to - from }, (_, i) => stay(from + i));

describe('split-patients', () => {
  it('puts everybody into test by default', async () => {
    const splits = await splitsOf(stays(0, 40));
    expect(splits.size).toBe(40);
    expect(new Set(splits.values())).toEqual(new Set(['test']));
  });

  it('gives all stays of a patient one row', async () => {
    const run = await runStageOn(splitPatients, {
      inputs: { cohort: [stay(1, { subject_id: 7 }), stay(2, { subject_id: 7 }), stay(3)] },
      config: { splits: WEIGHTS },
    });
    expect(await run.table('splits')).toHaveLength(2);
    const counts = Object.values(run.result.counts);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(2);
  });

  it('keeps the split of every patient when others come, leave or move', async () => {
    const config = { splits: WEIGHTS };
    const few = await splitsOf(shuffled(stays(100, 200), 1), { config });
    const many = await splitsOf(shuffled(stays(0, 400), 2), { config });
    for (const [subject, split] of few) expect(many.get(subject)).toBe(split);
    expect(new Set(many.values())).toEqual(new Set(Object.keys(WEIGHTS)));
  });

  it('does not care in which order the configuration names the splits', async () => {
    const cohort = stays(0, 100);
    const one = await splitsOf(cohort, { config: { splits: { train: 7, validation: 1, test: 2 } } });
    const other = await splitsOf(cohort, { config: { splits: { validation: 1, test: 2, train: 7 } } });
    expect(other).toEqual(one);
  });

  it('assigns otherwise under another seed, and 0 is a seed', async () => {
    const config = { splits: { train: 1, test: 1 } };
    const zero = await splitsOf(stays(0, 100), { config, seed: 0 });
    const one = await splitsOf(stays(0, 100), { config, seed: 1 });
    const moved = [...zero].filter(([subject, split]) => one.get(subject) !== split).length;
    expect(moved).toBeGreaterThan(25);
    expect(moved).toBeLessThan(75);
  });

  it('comes close to the weights', () => {
    const bounds = splitBounds(WEIGHTS);
    const n = 20_000;
    const counts: Record<string, number> = {};
    for (let id = 0; id < n; id++) {
      const split = assignSplit(3, 10_000_000 + id, bounds);
      counts[split] = (counts[split] ?? 0) + 1;
    }
    // Four standard deviations of a binomial share of 20,000 are at most 0.0142.
    for (const [split, weight] of Object.entries(WEIGHTS)) {
      expect(Math.abs(counts[split]! / n - weight / 10)).toBeLessThan(0.0142);
    }
  });

  it('finds a split for every point and every set of weights', () => {
    const weights = fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/),
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      { minKeys: 1, maxKeys: 6 },
    );
    fc.assert(
      fc.property(weights, fc.integer(), fc.integer({ min: 1, max: 99_999_999 }), (w, seed, subject) => {
        const bounds = splitBounds(w);
        expect(bounds.at(-1)!.below).toBe(1);
        for (const [i, b] of bounds.entries())
          expect(b.below).toBeGreaterThanOrEqual(bounds[i - 1]?.below ?? 0);
        const point = patientPoint(seed, subject);
        expect(point >= 0 && point < 1).toBe(true);
        expect(Object.keys(w)).toContain(assignSplit(seed, subject, bounds));
      }),
    );
  });

  it('refuses no split, zero or negative weights and odd names', () => {
    for (const splits of [{}, { test: 0 }, { test: -1 }, { 'a/b': 1 }, { Test: 1 }]) {
      expect(splitPatients.config.safeParse({ splits }).success).toBe(false);
    }
  });

  it('refuses an empty cohort', async () => {
    await expect(splitsOf([])).rejects.toThrow(/no patient/);
  });
});
