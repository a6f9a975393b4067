/** Cohort, features and labels once more from the rows of the extract. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../../schemas/release.js';
import type { CommandContext } from '../../benchmark.js';
import { hashFile } from '../../engine/adapters/files.js';
import { tablePath } from '../../engine/session.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import { recompute } from '../../recompute.js';
import { openSupmimic } from '../benchmark.js';

/** Stage outputs that are released as they are. */
const RECOMPUTED: readonly (readonly [string, string])[] = [
  ['build-cohort', 'cohort'],
  ['build-cohort', 'cohort_flow'],
  ['build-features', 'features'],
  ['select-diagnoses', 'labels'],
  ['select-diagnoses', 'label_rows'],
  ['select-diagnoses', 'diagnoses'],
];

/** Runs the stages up to the labels with the release's own config and compares the bytes. */
export async function checkExtract(
  context: CommandContext,
  dir: string,
  manifest: ReleaseManifest,
): Promise<CheckResult[]> {
  const check = new Check('cohort, features and labels follow from the rows of the extract');
  const entries = await recompute(openSupmimic, context, manifest, 'select-diagnoses');
  for (const [stage, name] of RECOMPUTED) {
    const [found, released] = await Promise.all([
      hashFile(tablePath(entries, stage, name)),
      hashFile(join(dir, 'cohort', `${name}.parquet`)),
    ]);
    check.expect(found === released, () => `cohort/${name}.parquet is not what the extract gives`);
  }
  return [check.result()];
}
