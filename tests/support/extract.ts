/** Small extracts for tests: one synthetic set per test run, and the open MIMIC-IV demo where it lies beside the project. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from './cli.js';
import { runFolder } from './run-folder.js';

/** Config that makes 200 stays enough: few positives a diagnosis, small forests. */
export const SMALL_CONFIG = {
  'select-diagnoses': { min_positives: 8 },
  'rank-features': { trees: 40 },
};

/** Writes a config file and returns its path. */
export function writeConfig(dir: string, values: object = SMALL_CONFIG): string {
  const path = join(dir, 'config.json');
  writeFileSync(path, JSON.stringify(values));
  return path;
}

/** A synthetic extract of 200 stays, made once per seed and kept for the test files of one run. */
export async function syntheticExtract(seed = 0, stays = 200): Promise<{ extract: string; truth: string }> {
  const home = join(runFolder(process.ppid), `extract-${seed}-${stays}`);
  if (!existsSync(home)) {
    const made = `${home}.${process.pid}`;
    mkdirSync(made, { recursive: true });
    const result = await cli([
      'synth',
      '--out',
      join(made, 'out'),
      '--stays',
      String(stays),
      '--seed',
      String(seed),
      '--json',
    ]);
    if (result.code !== 0) throw new Error(result.stderr);
    try {
      renameSync(join(made, 'out'), home);
    } catch (error) {
      if (!existsSync(home)) throw error;
    }
  }
  return { extract: join(home, 'extract'), truth: join(home, 'truth') };
}

const SHARED = '../shared/data';
/** The open MIMIC-IV demo 2.2 with its rebuilt chartevents, joined for --mimic-dir. */
export const DEMO_DIRS = [`${SHARED}/mimic-iv-demo-2.2`, `${SHARED}/mimic-iv-demo-2.2-chartevents-rebuilt`];

/** True when the demo is there. In continuous integration its absence is a failure, elsewhere tests are skipped. */
export function hasDemo(): boolean {
  const found = DEMO_DIRS.every((d) => existsSync(d));
  if (!found && process.env.CI === 'true')
    throw new Error(`the MIMIC-IV demo is missing at ${DEMO_DIRS.join(' and ')}`);
  if (!found) console.warn(`skipped: the open MIMIC-IV demo 2.2 does not lie at ${DEMO_DIRS.join(' and ')}`);
  return found;
}
