/** Building medpic: the same bytes whoever builds, what is refused, and what a release without signatures may be called. */
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { CONFIGS } from '../../schemas/medpic.js';
import { sha256 } from '../../stages/lib/hash.js';
import { randomStream } from '../../stages/lib/random.js';
import { GUIDELINE_FILES } from '../../stages/load-guidelines/shapes.js';
import { type Built, cli, hashTree } from '../support/cli.js';
import { manifestOf } from '../support/forge.js';
import { buildMedpic, smallMedpic } from '../support/medpic.js';
import { copyProject, replaceLocked } from '../support/project.js';
import { temporaryFolder } from '../support/stage.js';

let home: string;
let release: string;
let built: Built;

beforeAll(async () => {
  ({ home, release, built } = await smallMedpic());
});

describe('the same bytes', () => {
  it.each([
    ['two workers in another time zone', '2', 'Pacific/Auckland'],
    ['seven workers in another time zone', '7', 'America/St_Johns'],
  ])('%s', async (_, workers, TZ) => {
    const again = await buildMedpic(temporaryFolder(), ['--workers', workers], { env: { TZ } });
    expect(again.content_hash).toBe(built.content_hash);
    expect(hashTree(again.release)).toEqual(hashTree(release));
  });

  it('rows of the tables in another order: other files, the same data', async () => {
    const root = copyProject();
    const random = randomStream(0, 'shuffled tables');
    for (const path of GUIDELINE_FILES) {
      // Rows hold no line breaks inside cells, so lines are records.
      const [header, ...rows] = readFileSync(join(root, path), 'utf8').split('\r\n').slice(0, -1);
      for (let i = rows.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [rows[i], rows[j]] = [rows[j]!, rows[i]!];
      }
      replaceLocked(root, path, [header, ...rows, ''].join('\r\n'));
    }
    const shuffled = await buildMedpic(join(temporaryFolder(), 'out'), ['--workers', '1'], { root });
    expect(shuffled.data_hash).toBe(built.data_hash);
    expect(shuffled.content_hash).not.toBe(built.content_hash);
    const content = (path: string): boolean => /^(data|jsonl|answers|rules)\/|edges\.parquet$/.test(path);
    expect(hashTree(shuffled.release, content)).toEqual(hashTree(release, content));
    const { sources } = manifestOf(shuffled.release);
    expect(sources.map((s) => s.sha256)).not.toEqual(manifestOf(release).sources.map((s) => s.sha256));
  });

  it('another seed gives other questions', async () => {
    const other = await buildMedpic(join(temporaryFolder(), 'out'), ['--workers', '1', '--seed', '1']);
    expect(other.data_hash).not.toBe(built.data_hash);
  });
});

describe('the folder', () => {
  it('has the files of the design', () => {
    expect(listFiles(release)).toEqual(
      expect.arrayContaining([
        ...CONFIGS.flatMap((c) => [
          `data/${c}/test.parquet`,
          `jsonl/${c}/test.jsonl`,
          `answers/${c}/test.parquet`,
        ]),
        'README.md',
        'CHANGELOG.md',
        'LICENSE',
        'croissant.json',
        'manifest.json',
        'checksums.sha256',
        'rules/rules.parquet',
        'rules/row_outcomes.parquet',
        'rules/rule_findings.parquet',
        'provenance/edges.parquet',
        'provenance/prov.jsonld',
        'quality/report.html',
        'quality/report.json',
        'rejects/summary.json',
      ]),
    );
  });

  it('shows no key, rule, pair or label in question files', () => {
    const columns = manifestOf(release)
      .files.filter((f) => f.role === 'question')
      .flatMap((f) => f.columns.map((c) => c.name));
    expect([...new Set(columns)].sort()).toEqual([
      'benchmark_task_family',
      'config',
      'instance_id',
      'options',
      'patient_vignette',
      'question',
      'split',
    ]);
  });

  it('says on its card that it is a preview, where it comes from, and what it is not for', () => {
    const card = readFileSync(join(release, 'README.md'), 'utf8');
    for (const words of [
      'Checked, not signed.',
      'people have signed 0 of',
      'Not for clinical use',
      'checked against every rule of the release, not proved harmless',
      'AGS Beers Criteria',
      '10.5863/JPPT-25-00061',
      'license: "cc-by-4.0"',
      built.data_hash,
      ...manifestOf(release).sources.map((s) => s.sha256),
    ])
      expect(card).toContain(words);
    expect(card).not.toMatch(/\/(home|work|tmp|Users)\/|\d\d:\d\d:\d\d/);
  });

  it('is a preview by name and manifest', () => {
    expect(built.version).toBe(`0.0.0-preview.${built.content_hash.slice(0, 8)}`);
    expect(manifestOf(release)).toMatchObject({ kind: 'preview', mimic_version: null, access: 'open' });
  });
});

describe('versions', () => {
  const withVersion = (version: string) =>
    cli([
      'build',
      'medpic',
      '--config',
      join(home, 'config.json'),
      '--build-dir',
      join(home, 'build'),
      '--release-version',
      version,
    ]);

  it('a version without prerelease tag refuses unsigned rules and items, with counts and the next step', async () => {
    const { code, stderr } = await withVersion('1.0.0');
    expect(code).toBe(5);
    const { statistics } = manifestOf(release) as unknown as { statistics: { items_n: number } };
    expect(stderr).toMatch(/PolicyError: version 1\.0\.0 promises rules and items that people signed/);
    expect(stderr).toMatch(/got: +(\d+) of \1 rules are not verified/);
    expect(stderr).toContain(`${statistics.items_n} of ${statistics.items_n} items not validated`);
    expect(stderr).toMatch(/review export[\s\S]*1\.0\.0-preview\.1/);
  });

  it('a prerelease version carries them', async () => {
    const { code, stdout } = await withVersion('1.0.0-preview.1');
    expect(code).toBe(0);
    expect(stdout).toContain('checked by program, not signed by people');
    rmSync(join(home, 'build/releases/medpic/1.0.0-preview.1'), { recursive: true });
  });
});

describe('bad input', () => {
  const TABLE = 'raw/guidelines/beers2023.csv';

  async function planIn(change: (root: string) => void): Promise<{ code: number | null; stderr: string }> {
    const root = copyProject();
    change(root);
    return cli(['plan', 'medpic', '--build-dir', join(root, 'out')], { root });
  }

  it('an edited table is refused with both hashes', async () => {
    const before = sha256(readFileSync(TABLE));
    let after = '';
    const { code, stderr } = await planIn((root) => {
      const path = join(root, TABLE);
      writeFileSync(path, readFileSync(path, 'utf8').replace('<', '>'));
      after = sha256(readFileSync(path));
    });
    expect(code).toBe(3);
    expect(stderr).toContain(TABLE);
    expect(stderr).toContain(before);
    expect(stderr).toContain(after);
  });

  it('a table without entry in the lock is refused, with its hash', async () => {
    const { code, stderr } = await planIn((root) => {
      const path = join(root, 'raw/lock.json');
      const entries = JSON.parse(readFileSync(path, 'utf8')) as { path: string }[];
      writeFileSync(path, JSON.stringify(entries.filter((e) => e.path !== TABLE)));
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/no entry in raw\/lock\.json/);
    expect(stderr).toContain(sha256(readFileSync(TABLE)));
  });

  it('a table that was put beside the others is refused too', async () => {
    const { code, stderr } = await planIn((root) =>
      cpSync(join(root, TABLE), join(root, 'raw/guidelines/beers2026.csv')),
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(/no entry in raw\/lock\.json[\s\S]*beers2026\.csv/);
  });

  it('a superseded edition is refused', async () => {
    const { code, stderr } = await planIn((root) => {
      const path = join(root, 'raw/lock.json');
      const entries = JSON.parse(readFileSync(path, 'utf8')) as { path: string }[];
      const changed = entries.map((e) =>
        e.path === TABLE ? { ...e, superseded_by: 'AGS Beers Criteria 2026' } : e,
      );
      writeFileSync(path, JSON.stringify(changed));
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/superseded edition[\s\S]*AGS Beers Criteria 2026/);
  });

  it('a damaged line of reviews stops the build and names file and line', async () => {
    const root = copyProject();
    appendFileSync(join(root, 'raw/reviews/medpic/someone.jsonl'), '{"rule_id": "B23-T2-001"}\n');
    const args = ['build', 'medpic', '--config', join(home, 'config.json'), '--until', 'apply-reviews'];
    const { code, stderr } = await cli([...args, '--build-dir', join(root, 'out')], { root });
    expect(code).toBe(3);
    expect(stderr).toMatch(/someone\.jsonl[\s\S]*1/);
  });
});
