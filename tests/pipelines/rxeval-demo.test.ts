/** RxEval from the open MIMIC-IV demo, which has no notes: to the end, under its licence. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { manifestOf } from '../support/forge.js';
import { buildRxeval } from '../support/rxeval.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

describe.skipIf(!hasDemo())('the open demo', () => {
  it('gives a release under the ODbL whose history comes from tables, and verify finds nothing wrong', async () => {
    const dir = temporaryFolder();
    const built = await buildRxeval(dir, ['--mimic-dir', DEMO_DIRS.join(':'), '--profile', 'demo'], {
      config: {},
    });
    const manifest = manifestOf(built.release);
    expect(manifest).toMatchObject({ kind: 'demo', access: 'open', mimic_version: 'demo' });
    const license = readFileSync(join(built.release, 'LICENSE'), 'utf8');
    expect(license).toContain('Open Database License');
    expect(license).toContain('10.13026/dp1f-ex47');
    const profiles = await readParquet(join(built.release, 'events/profiles.parquet'));
    expect(profiles.length).toBeGreaterThan(0);
    expect(new Set(profiles.map((p) => p.author))).toEqual(new Set(['tables']));
    const history = profiles.filter((p) => p.section === 'history_of_present_illness');
    expect(new Set(history.map((p) => p.text))).toEqual(new Set(['Unknown']));
    const { code, stdout } = await cli(['verify', built.release, '--build-dir', join(dir, 'build')]);
    expect(stdout).not.toContain('✖');
    expect(code).toBe(0);
  }, 300_000);
});
