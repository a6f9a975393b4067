/** Releases that test files share: a build with a config, and a build made once per test run. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Built, type CliOptions, cli } from './cli.js';
import { runFolder } from './run-folder.js';

/** Builds a benchmark into `dir`/build; any other exit code than 0 fails the test with what was printed. */
export async function buildInto(
  dir: string,
  of: { readonly benchmark: string; readonly config: object; readonly more: readonly string[] },
  options: CliOptions = {},
): Promise<Built> {
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'config.json');
  writeFileSync(config, JSON.stringify(of.config));
  const where = ['--config', config, '--build-dir', join(dir, 'build')];
  const result = await cli(['build', of.benchmark, '--json', ...where, ...of.more], options);
  if (result.code !== 0)
    throw new Error(`exit code ${result.code}\n${result.stdout.slice(-2000)}\n${result.stderr}`);
  return result.json<Built>();
}

/** A release made once and kept for the test files of one run; `home` holds its build folder and config. */
export interface SmallRelease {
  readonly home: string;
  readonly release: string;
  readonly built: Built;
}

/** The small release of a benchmark; `build` makes it in a folder. */
export async function madeOnce(
  benchmark: string,
  build: (dir: string) => Promise<Built>,
): Promise<SmallRelease> {
  const home = join(runFolder(process.ppid), benchmark);
  const done = join(home, 'built.json');
  if (!existsSync(done)) {
    const made = `${home}.${process.pid}`;
    writeFileSync(join(made, 'built.json'), JSON.stringify(await build(made)));
    try {
      renameSync(made, home);
    } catch (error) {
      if (!existsSync(done)) throw error;
    }
  }
  const built = JSON.parse(readFileSync(done, 'utf8')) as Built;
  return { home, release: join(home, `build/releases/${benchmark}`, basename(built.release)), built };
}
