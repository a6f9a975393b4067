/** The product's features of an extract: load-mimic, build-cohort (every stay), build-features. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCohort } from '../../stages/build-cohort/stage.js';
import { buildFeatures } from '../../stages/build-features/stage.js';
import type { StageSpec } from '../../stages/contract.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { runStageOn, type StageRun, type TestInput, temporaryFolder } from '../support/stage.js';
import type { Num } from './recompute/index.js';
import type { Options } from './recompute/window.js';

/** A loaded extract with its cohort, from which features can be built under several settings. */
export interface Loaded {
  features(options: Partial<Options>): Promise<Map<number, Map<string, Num>>>;
}

/** Loads an extract that may lie in several folders; the first that has a table wins. */
export async function loadProduct(dirs: readonly string[]): Promise<Loaded> {
  const loaded = await runStageOn(loadMimic as StageSpec, { inputs: { extract: { folder: merged(dirs) } } });
  const from = (run: StageRun, name: string): TestInput => ({ parquet: join(run.dir, `${name}.parquet`) });
  const pick = (stage: StageSpec, run: StageRun): Record<string, TestInput> =>
    Object.fromEntries(
      Object.keys(stage.inputs)
        .filter((name) => name !== 'cohort')
        .map((name) => [name, from(run, name)]),
    );
  const cohort = await runStageOn(buildCohort as StageSpec, {
    inputs: pick(buildCohort as StageSpec, loaded),
    config: { stays: 'all' },
  });
  const inputs = { ...pick(buildFeatures as StageSpec, loaded), cohort: from(cohort, 'cohort') };
  return {
    async features(options) {
      const built = await runStageOn(buildFeatures as StageSpec, { inputs, config: options });
      const rows = await built.table('features');
      return new Map(
        rows.map(({ stay_id, ...values }) => [Number(stay_id), new Map(Object.entries(values))]),
      ) as Map<number, Map<string, Num>>;
    },
  };
}

/** One folder with the tables of all; copies, as an extract in one folder would be. */
function merged(dirs: readonly string[]): string {
  if (dirs.length === 1) return dirs[0]!;
  const root = temporaryFolder();
  for (const dir of [...dirs].reverse()) {
    for (const part of ['hosp', 'icu'].filter((name) => existsSync(join(dir, name)))) {
      mkdirSync(join(root, part), { recursive: true });
      for (const file of readdirSync(join(dir, part))) {
        copyFileSync(join(dir, part, file), join(root, part, file));
      }
    }
  }
  return root;
}
