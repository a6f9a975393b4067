/** The correctness half of the benchmark on small data; nothing here looks at a clock. */
import { describe, expect, it } from 'vitest';
import { UNIT_KINDS } from '../stages/pair-cases.js';
import { ORACLE_SOURCE } from '../stages/python-oracle.js';
import { measure } from './child.js';
import { type CohortResult, rankAndMine } from './cohort-product.js';
import type { Setting } from './context.js';
import { checkPairKind, checkSmallForest } from './small-cases.js';

const SETTINGS: readonly Setting[] = [
  { engine: 'js', workers: 1 },
  { engine: 'wasm', workers: 2 },
  { engine: 'js', workers: 3 },
];

/** Starting threads is most of the time here. */
const FEW = SETTINGS.slice(0, 2);

describe(`what the benchmark times is right (${ORACLE_SOURCE})`, () => {
  it.each(Object.keys(UNIT_KINDS))('pairs of both distances, both engines: %s', async (name) => {
    expect(await checkPairKind(name, 'gower', FEW)).toBeNull();
    expect(await checkPairKind(name, 'euclidean', FEW)).toBeNull();
  });

  it('the ranking, all settings', async () => {
    expect(await checkSmallForest(SETTINGS)).toBeNull();
  });

  it('a small cohort from values to pairs: one hash for engines and worker counts', async () => {
    const results: CohortResult[] = [];
    for (const setting of SETTINGS) {
      const spec = { stays: 700, diagnoses: 3, seed: 5 };
      const run = rankAndMine({ ...spec, ...setting, metrics: ['euclidean', 'gower'], sample: [0, 2] });
      results.push((await measure(run)).result as CohortResult);
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(results[0]!.positives).toHaveLength(3);
    // Two metrics cannot agree, and the sample is not empty: the hashes are of something.
    expect(results[0]!.hashes.gower).not.toBe(results[0]!.hashes.euclidean);
    expect(results[0]!.sample.gower![0]!.dct.length).toBeGreaterThan(0);
  });
});
