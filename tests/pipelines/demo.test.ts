/** The open MIMIC-IV demo 2.2 with its rebuilt chartevents, from the files to a verified, traceable release. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ReleaseManifest } from '../../schemas/release.js';
import { type Built, build, cli } from '../support/cli.js';
import { DEMO_DIRS, hasDemo, syntheticExtract } from '../support/extract.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

describe.skipIf(!hasDemo())('the open MIMIC-IV demo', () => {
  let root: string;
  let built: Built;
  let manifest: ReleaseManifest;
  const args = (): string[] => [
    '--mimic-dir',
    DEMO_DIRS.join(':'),
    '--profile',
    'demo',
    '--build-dir',
    join(root, 'build'),
  ];

  beforeAll(async () => {
    root = temporaryFolder();
    built = await build(args());
    manifest = JSON.parse(readFileSync(join(built.release, 'manifest.json'), 'utf8'));
  });

  it('is recognised by its hashes: version demo, class open, ODbL', () => {
    expect(manifest).toMatchObject({ kind: 'demo', mimic_version: 'demo', access: 'open', profile: 'demo' });
    expect(built.version).toMatch(/^0\.0\.0-demo\.[0-9a-f]{8}$/);
    expect(readFileSync(join(built.release, 'LICENSE'), 'utf8')).toMatch(/Open Database License/);
    expect(readFileSync(join(built.release, 'LICENSE'), 'utf8')).toContain('10.13026/dp1f-ex47');
  });

  it('loads without a reject, and every record is accounted for', () => {
    const summary = JSON.parse(readFileSync(join(built.release, 'rejects/summary.json'), 'utf8'));
    expect(summary['load-mimic'].rejected).toEqual({});
    expect(manifest.sources.find((s) => s.table === 'icu.chartevents')).toMatchObject({ records: 668862 });
    expect(manifest.sources.find((s) => s.table === 'hosp.labevents')).toMatchObject({ records: 107727 });
  });

  it('has 140 stays of 100 patients, and the flow table explains every one', async () => {
    const flow = await readParquet(join(built.release, 'cohort/cohort_flow.parquet'));
    expect(flow.at(-1)).toMatchObject({ stays_n: 140, patients_n: 100 });
    for (let i = 1; i < flow.length; i++) {
      expect(Number(flow[i]!.stays_n)).toBe(Number(flow[i - 1]!.stays_n) - Number(flow[i]!.excluded_stays_n));
    }
    expect(await readParquet(join(built.release, 'cohort/features.parquet'))).toHaveLength(140);
  });

  it('yields questions of all three kinds for several diagnoses', async () => {
    for (const task of ['ba', 'ddt', 'dct']) {
      const answers = await readParquet(join(built.release, `answers/${task}/test.parquet`));
      expect(new Set(answers.map((a) => a.dx_code)).size, task).toBeGreaterThan(20);
    }
  });

  it('passes verification from its cohort and from the rows', async () => {
    const result = await cli(['verify', built.release, ...args()]);
    expect(result.stdout).toMatch(/follow from the rows of the extract/);
    expect(result.stdout).toMatch(/is what it says/);
    expect(result.code).toBe(0);
  });

  it('traces a pair to real rows whose aggregates equal the released values', async () => {
    const [answer] = await readParquet(join(built.release, 'answers/dct/test.parquet'));
    const { code, stdout } = await cli([
      'trace',
      String(answer!.pair_id),
      '--release',
      built.release,
      ...args(),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/all 40 values computed again from the rows equal/);
    expect(stdout).toMatch(/subject_id 100\d{5}/);
  });

  it('writes a database for auditors beside the loaded tables', () => {
    const [, loaded] = /loaded tables for SQL clients {2}(\S+)/.exec(
      (built as unknown as { words: string }).words,
    )!;
    expect(existsSync(loaded!)).toBe(true);
  });
});

describe('an extract that raw/lock.json does not know', () => {
  it('is credentialed, is never published, and its release says so', async () => {
    const root = temporaryFolder();
    const { extract } = await syntheticExtract();
    const config = (more: object): string => {
      const path = join(root, `config-${Object.keys(more).length}.json`);
      const small = { 'select-diagnoses': { min_positives: 8 }, 'rank-features': { trees: 40 } };
      writeFileSync(path, JSON.stringify({ ...small, ...more }));
      return path;
    };
    const args = ['--mimic-dir', extract, '--build-dir', join(root, 'build')];
    const refused = await cli([
      'build',
      'supmimic',
      ...args,
      '--config',
      config({ 'stamp-release': { audience: 'public' } }),
    ]);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/PolicyError: a public release may hold open rows only/);
    expect(existsSync(join(root, 'build/releases/supmimic'))).toBe(false);
    const built = await build([...args, '--config', config({})]);
    const manifest: ReleaseManifest = JSON.parse(readFileSync(join(built.release, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ access: 'credentialed', kind: 'mimic', profile: 'full' });
    const card = readFileSync(join(built.release, 'README.md'), 'utf8');
    expect(card).toMatch(/MIMIC-IV-Ext/);
  });
});
