/** A small rxeval release for tests: 200 synthetic stays, the rules author, built once per test run. */
import type { Built, CliOptions } from './cli.js';
import { buildInto, madeOnce, type SmallRelease } from './small-release.js';

/** Config that makes a build short. */
const SMALL_RXEVAL = { 'synth-mimic': { stays: 200 } };

/** Builds rxeval into `dir`/build, with the small config or another one. */
export const buildRxeval = (
  dir: string,
  more: readonly string[] = [],
  { config = SMALL_RXEVAL, ...options }: CliOptions & { readonly config?: object } = {},
): Promise<Built> => buildInto(dir, { benchmark: 'rxeval', config, more }, options);

/** The small release, made once and kept for the test files of one run. */
export const smallRxeval = (): Promise<SmallRelease> =>
  madeOnce('rxeval', (dir) => buildRxeval(dir, ['--workers', '1']));
