/**
 * Every feature of every stay, computed by the product's SQL and by plain loops over raw rows that share nothing with it:
 * on the open demo, on a synthetic extract with planted faults, and on invented extracts that are unkind on purpose.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StageSpec } from '../../stages/contract.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { runStageOn, temporaryFolder } from '../support/stage.js';
import { writeInventedExtract } from './invented/extract.js';
import { loadProduct } from './product-features.js';
import { type Num, readRaw, recompute } from './recompute/index.js';
import type { Options } from './recompute/window.js';

const DEFAULT: Partial<Options> = {};
/** Results must also have been filed in time, and laboratory values may be six hours older. */
const STRICT: Partial<Options> = { availability: 'storetime', lab_lookback_hours: 6 };

describe.skipIf(!hasDemo())('on the open demo', () => {
  test('140 stays agree in all 448 features', async () => {
    await expectAgreement(DEMO_DIRS, [DEFAULT, STRICT], 140);
  }, 240_000);
});

test('a synthetic extract with planted faults agrees in all features', async () => {
  const made = await runStageOn(synthMimic as StageSpec, { config: { stays: 200 } });
  await expectAgreement([join(made.dir, 'extract')], [DEFAULT, STRICT], 200);
}, 240_000);

test.each([1, 2, 3])(
  'invented extract %i: edges, ties, twins, odd units and words agree',
  async (seed) => {
    const root = temporaryFolder();
    writeInventedExtract(root, 40, seed);
    await expectAgreement([root], [DEFAULT, STRICT], 60);
  },
  240_000,
);

test('the invented extracts move every feature', () => {
  const seen = new Map<string, Set<Num>>();
  for (const seed of [1, 2, 3]) {
    const root = temporaryFolder();
    writeInventedExtract(root, 40, seed);
    for (const sheet of recompute([root]).values()) {
      for (const [id, value] of sheet) seen.set(id, (seen.get(id) ?? new Set<Num>()).add(value));
    }
  }
  const values = (id: string): Num[] => [...(seen.get(id) ?? [])].filter((value) => value !== null);
  expect([...seen.keys()].filter((id) => values(id).length < 2)).toEqual([]);
});

async function expectAgreement(
  dirs: readonly string[],
  settings: readonly Partial<Options>[],
  fewest_stays: number,
): Promise<void> {
  const product = await loadProduct(dirs);
  const raw = readRaw(dirs);
  for (const options of settings) {
    const theirs = await product.features(options);
    expect(theirs.size).toBeGreaterThanOrEqual(fewest_stays);
    const ours = recompute(raw, options, [...theirs.keys()]);
    const differences: string[] = [];
    for (const [stay, sheet] of ours) {
      expect(sheet.size).toBe(448);
      for (const [id, value] of sheet) {
        const other = theirs.get(stay)!.get(id) ?? null;
        if (!agree(value, other))
          differences.push(`${id} of stay ${stay}: rows say ${value}, product ${other}`);
      }
    }
    expect(differences.sort(), JSON.stringify(options)).toEqual([]);
  }
}

/** Whole numbers exactly, others to nine digits or nine decimals: the product adds in units of 1e-9. */
function agree(a: Num, b: Num): boolean {
  if (a === null || b === null) return a === b;
  if (Number.isInteger(a) && Number.isInteger(b)) return a === b;
  return Math.abs(a - b) <= 1.001e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}
