/** One small build on the running version of Node; on a second version its bytes must be the same. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build, cli, hashTree } from '../support/cli.js';
import { syntheticExtract, writeConfig } from '../support/extract.js';
import { temporaryFolder } from '../support/stage.js';

it('runs on the version of Node it is meant to run on', () => {
  const expected = process.env.EXPECT_NODE;
  if (process.env.CI === 'true') expect(expected, 'EXPECT_NODE').toBeTruthy();
  expect(process.version).toBe(expected ?? process.version);
  const [major, minor] = process.versions.node.split('.').map(Number);
  expect(major! > 20 || (major === 20 && minor! >= 19)).toBe(true);
});

it('builds, verifies and traces a release of 200 synthetic stays', async () => {
  const dir = temporaryFolder();
  const { extract } = await syntheticExtract();
  const args = ['--mimic-dir', extract, '--config', writeConfig(dir), '--profile', 'default'];
  const built = await build([...args, '--build-dir', join(dir, 'build')]);
  const verified = await cli([
    'verify',
    built.release,
    '--json',
    '--build-dir',
    join(dir, 'build'),
    '--mimic-dir',
    extract,
  ]);
  expect(verified.stdout + verified.stderr).toContain('"is_valid":true');
  expect(verified.code).toBe(0);
  const other = process.env.OTHER_NODE;
  if (!other) return;
  const there = await build([...args, '--build-dir', join(dir, 'other')], { node: other });
  expect(hashTree(there.release)).toEqual(hashTree(built.release));
}, 300_000);
