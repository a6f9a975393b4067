/** A small rxeval release for tests: 200 synthetic stays, the rules author, built once per test run. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Built, type CliOptions, cli } from './cli.js';
import { runFolder } from './run-folder.js';

/** Config that makes a build short. */
export const SMALL_RXEVAL = { 'synth-mimic': { stays: 200 } };

/** Builds rxeval into `dir`/build; any other exit code than 0 fails the test with what was printed. */
export async function buildRxeval(
  dir: string,
  more: readonly string[] = [],
  options: CliOptions & { readonly config?: object } = {},
): Promise<Built> {
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'config.json');
  writeFileSync(config, JSON.stringify(options.config ?? SMALL_RXEVAL));
  const args = ['build', 'rxeval', '--json', '--config', config, '--build-dir', join(dir, 'build'), ...more];
  const result = await cli(args, options);
  if (result.code !== 0)
    throw new Error(`exit code ${result.code}\n${result.stdout.slice(-2000)}\n${result.stderr}`);
  return result.json<Built>();
}

/** The small release, made once and kept for the test files of one run; `home` holds its build folder and config. */
export async function smallRxeval(): Promise<{ home: string; release: string; built: Built }> {
  const home = join(runFolder(process.ppid), 'rxeval');
  const done = join(home, 'built.json');
  if (!existsSync(done)) {
    const made = `${home}.${process.pid}`;
    const built = await buildRxeval(made, ['--workers', '1']);
    writeFileSync(join(made, 'built.json'), JSON.stringify(built));
    try {
      renameSync(made, home);
    } catch (error) {
      if (!existsSync(done)) throw error;
    }
  }
  const built = JSON.parse(readFileSync(done, 'utf8')) as Built;
  return { home, release: join(home, 'build/releases/rxeval', basename(built.release)), built };
}
