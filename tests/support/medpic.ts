/** Small medpic releases for tests: two sources, few items of each sort, built once per test run. */
import type { Built, CliOptions } from './cli.js';
import { buildInto, madeOnce, type SmallRelease } from './small-release.js';

/** Config that makes a build short: no quotas, because two sources cannot keep them. */
const SMALL_MEDPIC = {
  'draft-rules': { sources: ['beers2023', 'kids2025'] },
  'pose-questions': {
    gf_per_rule: 1,
    drugs_per_rule: 1,
    max_source_share: 1,
    max_type_share: 1,
    max_pairs: 40,
    irrelevant_pairs: 4,
    two_fact_series: 4,
    sweep_series: 4,
    switch_pairs: 4,
    selection_items: 6,
    dose_items: 6,
  },
};

/** Builds medpic into `dir`/build with the small config. */
export const buildMedpic = (
  dir: string,
  more: readonly string[] = [],
  options: CliOptions = {},
): Promise<Built> => buildInto(dir, { benchmark: 'medpic', config: SMALL_MEDPIC, more }, options);

/** The small release, made once and kept for the test files of one run. */
export const smallMedpic = (): Promise<SmallRelease> =>
  madeOnce('medpic', (dir) => buildMedpic(dir, ['--workers', '1']));
