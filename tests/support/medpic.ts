/** Small medpic releases for tests: two sources, few items of each sort, built once per test run. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Built, type CliOptions, cli } from './cli.js';
import { runFolder } from './run-folder.js';

/** Config that makes a build short: no quotas, because two sources cannot keep them. */
export const SMALL_MEDPIC = {
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

/** Builds medpic into `dir`/build with the small config; any other exit code than 0 fails the test with what was printed. */
export async function buildMedpic(
  dir: string,
  more: readonly string[] = [],
  options: CliOptions = {},
): Promise<Built> {
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'config.json');
  writeFileSync(config, JSON.stringify(SMALL_MEDPIC));
  const args = ['build', 'medpic', '--json', '--config', config, '--build-dir', join(dir, 'build'), ...more];
  const result = await cli(args, options);
  if (result.code !== 0)
    throw new Error(`exit code ${result.code}\n${result.stdout.slice(-2000)}\n${result.stderr}`);
  return result.json<Built>();
}

/** The small release, made once and kept for the test files of one run; `home` holds its build folder and config. */
export async function smallMedpic(): Promise<{ home: string; release: string; built: Built }> {
  const home = join(runFolder(process.ppid), 'medpic');
  const done = join(home, 'built.json');
  if (!existsSync(done)) {
    const made = `${home}.${process.pid}`;
    const built = await buildMedpic(made, ['--workers', '1']);
    writeFileSync(join(made, 'built.json'), JSON.stringify(built));
    try {
      renameSync(made, home);
    } catch (error) {
      if (!existsSync(done)) throw error;
    }
  }
  const built = JSON.parse(readFileSync(done, 'utf8')) as Built;
  return { home, release: join(home, 'build/releases/medpic', basename(built.release)), built };
}
