/** A release as its readers meet it: what it holds, that verify notices every change, trace and diff. */
import { cpSync, existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { checksums } from '../../pipelines/engine/release.js';
import { releaseDocuments } from '../../pipelines/supmimic/documents.js';
import { sha256 } from '../../stages/lib/hash.js';
import { type Built, build, cli } from '../support/cli.js';
import { syntheticExtract, writeConfig } from '../support/extract.js';
import { forge } from '../support/forge.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

let root: string;
let extract: string;
let built: Built;
let common: string[];

beforeAll(async () => {
  root = temporaryFolder();
  ({ extract } = await syntheticExtract());
  common = ['--mimic-dir', extract, '--profile', 'default', '--build-dir', join(root, 'build')];
  built = await build([...common, '--config', writeConfig(root)]);
});

describe('the folder', () => {
  it('has the files of the design', () => {
    const files = listFiles(built.release);
    for (const task of ['ba', 'ddt', 'dct']) {
      expect(files).toEqual(
        expect.arrayContaining([
          `data/${task}/test.parquet`,
          `jsonl/${task}/test.jsonl`,
          `answers/${task}/test.parquet`,
        ]),
      );
    }
    for (const path of [
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'croissant.json',
      'manifest.json',
      'checksums.sha256',
      'cohort/features.parquet',
      'cohort/imputed.parquet',
      'cohort/imputed_flags.parquet',
      'provenance/edges.parquet',
      'provenance/prov.jsonld',
      'quality/report.html',
      'quality/report.json',
      'rejects/summary.json',
    ]) {
      expect(files).toContain(path);
    }
  });

  it('shows both stays of a pair, and every DDT pair has one yes and one no', async () => {
    const answers = await readParquet(join(built.release, 'answers/ddt/test.parquet'));
    expect(answers.length).toBeGreaterThan(0);
    const pairs = new Map<string, number[]>();
    for (const a of answers)
      pairs.set(String(a.pair_id), [...(pairs.get(String(a.pair_id)) ?? []), Number(a.label)]);
    for (const labels of pairs.values()) expect(labels.sort()).toEqual([0, 1]);
  });

  it('never shows an imputed number: what was not measured says so', async () => {
    const [question] = await readParquet(join(built.release, 'data/ba/test.parquet'));
    expect(String(question!.prompt)).toContain('not measured');
    expect(Object.keys(question!)).toEqual([
      'item_id',
      'patient_id',
      'dx_code',
      'diagnosis',
      'pair_id',
      'split',
      'prompt',
    ]);
  });
});

describe('verify', () => {
  it('accepts the release, with and without the extract', async () => {
    const without = await cli(['verify', built.release, '--json', '--build-dir', join(root, 'build')]);
    expect(without.stdout).toContain('"is_valid":true');
    const withRows = await cli(['verify', built.release, '--json', ...common]);
    expect(withRows.stdout).toContain('follow from the rows of the extract');
    expect(withRows.code).toBe(0);
  });

  const forgeries: [string, string, string, RegExp][] = [
    [
      'a flipped label',
      'answers/ba/test.parquet',
      'select * replace (case when item_id = (select min(item_id) from t) then 1 - label else label end as label) from t order by item_id',
      /answers are the labels/,
    ],
    [
      'a changed value of the cohort',
      'cohort/features.parquet',
      'select * replace (case when stay_id = (select min(stay_id) from t where F089 is not null) then F089 + 1 else F089 end as F089) from t order by stay_id',
      /imputed values follow/,
    ],
    [
      'an imputed value in place of another',
      'cohort/imputed.parquet',
      'select * replace (F200 + 1 as F200) from t order by stay_id',
      /imputed values follow/,
    ],
    [
      'a widened theta',
      'cohort/thresholds.parquet',
      'select * replace (theta * 1.01 as theta) from t order by dx_code',
      /theta and phi/,
    ],
    [
      'a pair left out',
      'cohort/pairs.parquet',
      "select * from t where not (task = 'ddt' and pair_rank = 1 and dx_code = (select min(dx_code) from t)) order by dx_code, task, split, pair_rank",
      /every pair is the next best/,
    ],
    [
      'a worse pair in the place of a better one',
      'cohort/pairs.parquet',
      "select * replace (case when task = 'dct' and pair_rank = 1 then stay_i + 1 else stay_i end as stay_i) from t order by dx_code, task, split, pair_rank",
      /every pair is the next best/,
    ],
    [
      'a stay made eligible',
      'cohort/eligibility.parquet',
      'select * replace (not is_eligible as is_eligible) from t order by dx_code, stay_id',
      /eligibility follows/,
    ],
    [
      'another BA draw',
      'cohort/baseline.parquet',
      'select * replace (1 - label as label) from t order by dx_code, split, stay_id',
      /BA holds the seeded draw/,
    ],
    [
      'an invented label',
      'cohort/labels.parquet',
      'select * from t union all select dx_code, (select min(stay_id) from t x where stay_id not in (select stay_id from t y where y.dx_code = d.dx_code)) from (select min(dx_code) as dx_code from t) d order by all',
      /labels follow/,
    ],
    [
      'a prompt with another number',
      'data/ddt/test.parquet',
      "select * replace (regexp_replace(prompt, '[0-9]+', '7') as prompt) from t order by item_id",
      /prompts show exactly/,
    ],
    [
      'the label in the question text',
      'data/ba/test.parquet',
      "select * replace (prompt || ' label: 1' as prompt) from t order by item_id",
      /no gold/,
    ],
    [
      'the stay in the question id',
      'data/ba/test.parquet',
      "select * replace ('30000001' as patient_id) from t order by item_id",
      /pseudonyms follow/,
    ],
    [
      'a lost edge',
      'provenance/edges.parquet',
      "select * from t where relation <> 'describes' order by all",
      /provenance edges/,
    ],
    [
      'a patient moved to another split',
      'cohort/splits.parquet',
      "select * replace (case when subject_id = (select min(subject_id) from t) then 'train' else split end as split) from t order by subject_id",
      /crosses splits/,
    ],
    [
      'a narrower range',
      'cohort/ranges.parquet',
      'select * replace (hi - 1 as hi) from t order by feature_id',
      /ranges follow/,
    ],
    [
      'a rosier sweep',
      'cohort/k_sweep.parquet',
      'select * replace (union_n + 1 as union_n) from t order by k',
      /K sweep/,
    ],
  ];

  it.each(forgeries)('notices %s even when all hashes fit', async (_, path, select, pattern) => {
    const to = join(root, `forged-${sha256(path + select).slice(0, 8)}`);
    const dir = await forge({ release: built.release, to, path, select, documents: releaseDocuments });
    const result = await cli(['verify', dir, '--build-dir', join(root, 'build')]);
    expect(result.code).toBe(3);
    expect(result.stdout).toMatch(/FAILED verification/);
    const failed = result.stdout.split('\n').filter((line) => line.startsWith('✖'));
    expect(failed.join('\n')).toMatch(pattern);
    expect(failed.join('\n')).not.toMatch(/files have their hashes/);
  });

  it('notices changed, missing and added files', async () => {
    const dir = join(root, 'touched');
    cpSync(built.release, dir, { recursive: true });
    writeFileSync(join(dir, 'README.md'), 'another card');
    rmSync(join(dir, 'LICENSE'));
    writeFileSync(join(dir, 'extra.txt'), 'surprise');
    const { code, stdout } = await cli(['verify', dir, '--build-dir', join(root, 'build')]);
    expect(code).toBe(3);
    for (const words of [
      'README.md differs from its checksum',
      'LICENSE is missing',
      'extra.txt is not in checksums',
    ]) {
      expect(stdout).toContain(words);
    }
  });

  it('notices a foreign file and an edited card although the list of checksums has them', async () => {
    const dir = join(root, 'relisted');
    cpSync(built.release, dir, { recursive: true });
    writeFileSync(join(dir, 'data/junk.txt'), 'surprise');
    writeFileSync(join(dir, 'README.md'), 'another card');
    writeFileSync(join(dir, 'checksums.sha256'), await checksums(dir));
    const { code, stdout } = await cli(['verify', dir, '--build-dir', join(root, 'build')]);
    expect(code).toBe(3);
    expect(stdout).toContain('data/junk.txt is no file of this release');
    expect(stdout).toContain('README.md is not what the manifest gives');
  });

  it.each(['data/ddt/test.parquet', 'cohort', 'checksums.sha256'])(
    'says that %s is missing',
    async (path) => {
      const dir = join(root, `without-${path.replaceAll('/', '-')}`);
      cpSync(built.release, dir, { recursive: true });
      rmSync(join(dir, path), { recursive: true });
      const { code, stdout } = await cli(['verify', dir, '--build-dir', join(root, 'build')]);
      expect(code).toBe(3);
      expect(stdout).toMatch(new RegExp(`${path}\\S* is missing`));
    },
  );

  it('says which file is damaged when tables can no longer be read', async () => {
    const dir = join(root, 'cut');
    cpSync(built.release, dir, { recursive: true });
    truncateSync(join(dir, 'cohort/features.parquet'), 5000);
    const { code, stdout, stderr } = await cli(['verify', dir, '--build-dir', join(root, 'build')]);
    expect(code).toBe(3);
    expect(stdout).toContain('cohort/features.parquet differs from its checksum');
    expect(stderr).not.toContain('bug');
  });

  it('refuses another extract than the one of the release', async () => {
    const other = await syntheticExtract(1);
    const { code, stderr } = await cli([
      'verify',
      built.release,
      '--mimic-dir',
      other.extract,
      '--build-dir',
      join(root, 'build'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/not the one of this release/);
  });
});

describe('trace', () => {
  it.each(['ddt', 'dct', 'ba'])(
    'walks a %s item to its rows, and every value follows from them',
    async (task) => {
      const [answer] = await readParquet(join(built.release, `answers/${task}/test.parquet`));
      const { code, stdout } = await cli([
        'trace',
        String(answer!.item_id),
        '--release',
        built.release,
        ...common,
      ]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/all \d+ values computed again from the rows equal the released ones/);
      expect(stdout).toMatch(/(labevents|chartevents) itemid \d+/);
      const asJson = await cli([
        'trace',
        String(answer!.item_id),
        '--json',
        '--release',
        built.release,
        ...common,
      ]);
      const traced = asJson.json<{
        stays: unknown[];
        features: { is_equal: boolean[]; rows: unknown[][] }[];
        edges: unknown[];
      }>();
      expect(traced.stays).toHaveLength(task === 'ba' ? 1 : 2);
      expect(traced.features).toHaveLength(20);
      expect(traced.features.every((f) => f.is_equal.every(Boolean))).toBe(true);
      expect(traced.features.some((f) => f.rows.some((rows) => rows.length > 0))).toBe(true);
      expect(traced.edges.length).toBeGreaterThan(20);
    },
  );

  it('says what is missing for an id that is not there, and what the extract adds', async () => {
    const missing = await cli([
      'trace',
      'nothing',
      '--release',
      built.release,
      '--build-dir',
      join(root, 'build'),
    ]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/no such item or pair/);
    const [answer] = await readParquet(join(built.release, 'answers/ddt/test.parquet'));
    const { stdout } = await cli(['trace', String(answer!.pair_id), '--build-dir', join(root, 'build')]);
    expect(stdout).toMatch(/give MIMIC_IV_DIR=/);
  });
});

describe('impact', () => {
  it('names every item that rests on a feature, whole node or id alone', async () => {
    const [edge] = (await readParquet(join(built.release, 'provenance/edges.parquet'))).filter(
      (e) => e.relation === 'decided_by',
    );
    const resting = new Set(
      (await readParquet(join(built.release, 'provenance/edges.parquet')))
        .filter((e) => e.parent === edge!.parent && e.relation === 'decided_by')
        .map((e) => String(e.child).slice('item:'.length)),
    );
    const feature = String(edge!.parent).split(':')[1]!;
    const result = await cli(['impact', feature, '--release', built.release, '--json']);
    expect(result.code).toBe(0);
    const { nodes, dependents } = result.json<{
      nodes: string[];
      dependents: { kind: string; ids: string[] }[];
    }>();
    expect(nodes).toEqual([edge!.parent]);
    expect(new Set(dependents.find((d) => d.kind === 'item')!.ids)).toEqual(resting);
  });

  it('names the nearest id when there is no such one', async () => {
    const { code, stderr } = await cli(['impact', 'F16x', '--release', built.release]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/nothing in the release has this id[\s\S]*did you mean F\d+/);
  });
});

describe('diff', () => {
  it('finds nothing between a release and itself', async () => {
    const { stdout } = await cli(['diff', built.release, built.release]);
    expect(stdout).toMatch(/no version step is needed/);
  });

  it('refuses a damaged release', async () => {
    const dir = join(root, 'cut-for-diff');
    cpSync(built.release, dir, { recursive: true });
    truncateSync(join(dir, 'data/ddt/test.parquet'), 5000);
    const { code, stderr } = await cli(['diff', built.release, dir]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/a release is damaged[\s\S]*data\/ddt\/test\.parquet/);
  });

  it('asks for a minor step when items are added and a major one when items go', async () => {
    const config = join(root, 'more.json');
    const more = {
      'select-diagnoses': { min_positives: 8 },
      'rank-features': { trees: 40 },
      'mine-pairs': { top_m: 7 },
    };
    writeFileSync(config, JSON.stringify(more));
    const larger = await build([...common, '--config', config]);
    const added = (await cli(['diff', built.release, larger.release, '--json'])).json<{
      step: string;
      configs: { removed: number }[];
    }>();
    const removed = (await cli(['diff', larger.release, built.release, '--json'])).json<{ step: string }>();
    expect(added.step).toBe('minor');
    expect(removed.step).toBe('major');
    expect(existsSync(larger.release)).toBe(true);
  });
});
