/** Building rxeval: the same bytes whoever builds, and no way in for codes and truth of the admission that is asked about. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { CONFIGS } from '../../schemas/rxeval.js';
import { type Built, hashTree } from '../support/cli.js';
import { syntheticExtract } from '../support/extract.js';
import { manifestOf } from '../support/forge.js';
import { buildRxeval, smallRxeval } from '../support/rxeval.js';
import { readParquet, temporaryFolder } from '../support/stage.js';

let release: string;
let built: Built;

beforeAll(async () => {
  ({ release, built } = await smallRxeval());
});

describe('the same bytes', () => {
  it('with seven workers in another time zone', async () => {
    const again = await buildRxeval(temporaryFolder(), ['--workers', '7'], {
      env: { TZ: 'America/St_Johns' },
    });
    expect(again.content_hash).toBe(built.content_hash);
    expect(hashTree(again.release)).toEqual(hashTree(release));
  }, 300_000);
});

describe('the folder', () => {
  it('has the files of the design', () => {
    expect(listFiles(release)).toEqual(
      expect.arrayContaining([
        ...CONFIGS.map((c) => `data/${c}/test.parquet`),
        ...CONFIGS.map((c) => `answers/${c}/test.parquet`),
        'README.md',
        'LICENSE',
        'croissant.json',
        'manifest.json',
        'checksums.sha256',
        'chains/chains.parquet',
        'chains/distractors.parquet',
        'events/events.parquet',
        'events/profile_spans.parquet',
        'rules/rules.parquet',
        'provenance/edges.parquet',
        'quality/report.html',
      ]),
    );
  });

  it('says who wrote it in items, card and manifest', async () => {
    const answers = await readParquet(join(release, 'answers/mcq/test.parquet'));
    expect(answers.length).toBeGreaterThan(3);
    expect(new Set(answers.map((a) => a.author))).toEqual(new Set(['rules']));
    expect(manifestOf(release).statistics.author).toBe('rules');
    expect(readFileSync(join(release, 'README.md'), 'utf8')).toContain('`author: rules`');
  });
});

/** Keeps of a gzipped CSV the lines that `keep` is true for, the header always. */
function filterCsv(path: string, keep: (line: string) => boolean): void {
  const [header, ...lines] = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  writeFileSync(path, gzipSync([header, ...lines.filter((l) => l === '' || keep(l))].join('\n')));
}

/** What of a release no code of the admission may touch. */
const MADE =
  /^(data|jsonl)\/|^chains\/(chains|distractors|selections)|^events\/(events|event_items|profiles|profile_spans|orders|timepoints)/;

describe('no way in for the answer', () => {
  it('without the codes of the asked admissions and without the truth: the same questions, chains and proofs', async () => {
    const { extract } = await syntheticExtract(0, 200);
    const config = {
      'load-mimic': { version: '3.1', lab_patients: 'all', lab_texts: 'all' },
      'build-trajectories': { events: 'all' },
    };
    const whole = await buildRxeval(temporaryFolder(), ['--mimic-dir', extract], {
      config,
    });
    const asked = await readParquet(join(whole.release, 'events/timepoints.parquet'));
    expect(asked.length).toBeGreaterThan(3);
    const copy = join(temporaryFolder(), 'extract');
    cpSync(extract, copy, { recursive: true });
    // The list of hashes would stop the build: the change is on purpose.
    rmSync(join(copy, 'SHA256SUMS.txt'));
    const admissions = new Set(asked.map((a) => String(a.hadm_id)));
    filterCsv(join(copy, 'hosp/diagnoses_icd.csv.gz'), (line) => !admissions.has(line.split(',')[1]!));
    const blind = await buildRxeval(temporaryFolder(), ['--mimic-dir', copy], {
      config,
    });
    const made = (path: string): boolean => MADE.test(path);
    expect(hashTree(blind.release, made)).toEqual(hashTree(whole.release, made));
  }, 300_000);
});
