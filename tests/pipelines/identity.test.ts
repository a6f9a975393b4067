/** Same inputs, same bytes: cold, warm, any number of workers, another time zone and locale, shuffled rows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { randomStream } from '../../stages/lib/random.js';
import { type Built, build, type CliOptions, hashTree } from '../support/cli.js';
import { syntheticExtract, writeConfig } from '../support/extract.js';
import { temporaryFolder } from '../support/stage.js';

let root: string;
let extract: string;
let first: Built;

const buildIn = (
  name: string,
  more: readonly string[] = [],
  options: CliOptions = {},
  from = extract,
): Promise<Built> =>
  build(
    [
      '--mimic-dir',
      from,
      '--profile',
      'default',
      '--config',
      join(root, 'config.json'),
      '--build-dir',
      join(root, name),
      ...more,
    ],
    options,
  );

beforeAll(async () => {
  root = temporaryFolder();
  ({ extract } = await syntheticExtract());
  writeConfig(root);
  first = await buildIn('one', ['--workers', '1']);
});

describe('a release has the same bytes', () => {
  it('from a warm cache, which leaves the folder as it is', async () => {
    const before = hashTree(first.release);
    const again = await buildIn('one', ['--workers', '2']);
    expect(again).toMatchObject({ is_new: false, version: first.version });
    expect(hashTree(first.release)).toEqual(before);
  });

  it.each([
    [2, 'js'],
    [3, 'wasm'],
    [7, 'wasm'],
  ])('with %i workers and the engine %s', async (workers, engine) => {
    const other = await buildIn(`workers-${workers}`, ['--workers', String(workers), '--engine', engine]);
    expect(hashTree(other.release)).toEqual(hashTree(first.release));
  });

  it('in another time zone, locale and folder, with a smaller memory limit', async () => {
    const env = { TZ: 'America/New_York', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' };
    const other = await buildIn("it's far away", ['--memory', '1GB'], { env });
    expect(hashTree(other.release)).toEqual(hashTree(first.release));
  });

  it('in data, answers, cohort and provenance when the rows of the extract are shuffled', async () => {
    const shuffled = join(root, 'shuffled');
    await cp(extract, shuffled, { recursive: true });
    await rm(join(shuffled, 'SHA256SUMS.txt'));
    for (const path of listFiles(shuffled).filter((p) => p.endsWith('.csv.gz')))
      shuffleRows(join(shuffled, path));
    const other = await buildIn('shuffled-build', ['--mimic-version', '3.1'], {}, shuffled);
    const rows = (path: string): boolean =>
      /^(data|answers|cohort|jsonl)\//.test(path) || path === 'provenance/edges.parquet';
    expect(hashTree(other.release, rows)).toEqual(hashTree(first.release, rows));
    expect(other.data_hash).toBe(first.data_hash);
    expect(other.version).not.toBe(first.version);
  });

  it('but another seed gives another release', async () => {
    const other = await buildIn('seed', ['--seed', '1']);
    expect(other.data_hash).not.toBe(first.data_hash);
  });
});

describe('what depends on the run', () => {
  it('stands in build/runs only: no path, host, time or worker count in a release', () => {
    for (const path of listFiles(first.release).filter((p) => !p.endsWith('.parquet'))) {
      const text = readFileSync(join(first.release, path), 'utf8');
      expect(text.includes(root), path).toBe(false);
      expect(text, path).not.toMatch(/worker_count|"workers"|started_at|finished_at|hostname/);
    }
    for (const path of listFiles(first.release).filter((p) => p.endsWith('.parquet'))) {
      expect(readFileSync(join(first.release, path)).includes(root), path).toBe(false);
    }
  });
});

/** Shuffles the records of a csv.gz; quoted line breaks stay inside their record. */
function shuffleRows(path: string): void {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const records = splitRecords(text.slice(bom.length), newline);
  const [header, ...rows] = records;
  const random = randomStream(1, 'shuffle', path.slice(-30));
  for (let i = rows.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  writeFileSync(path, gzipSync(bom + [header, ...rows].map((r) => r + newline).join('')));
}

function splitRecords(text: string, newline: string): string[] {
  const records: string[] = [];
  let open = '';
  for (const line of text.split(newline)) {
    open = open === '' ? line : open + newline + line;
    if ((open.match(/"/g)?.length ?? 0) % 2 === 1) continue;
    if (open !== '') records.push(open);
    open = '';
  }
  return records;
}
