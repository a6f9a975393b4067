import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import { DataError } from '../../pipelines/engine/errors.js';
import { hashFiles } from '../../pipelines/engine/outputs.js';
import { runStage } from '../../pipelines/engine/run-stage.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { type StageRun, temporaryFolder } from '../support/stage.js';
import {
  csvText,
  gzipMembers,
  load,
  loadWith,
  sampleExtract,
  writeExtract,
  writeFile,
} from './mimic-extract.js';

describe('a wrong extract is refused before anything is loaded', () => {
  const labs = 'hosp/labevents.csv';
  function withHeader(change: (names: string[]) => string[]): Promise<StageRun> {
    const root = writeExtract(sampleExtract());
    const text = readFileSync(join(root, labs), 'utf8');
    const end = text.indexOf('\n');
    writeFileSync(join(root, labs), change(text.slice(0, end).split(',')).join(',') + text.slice(end));
    return load(root);
  }

  it.each<[string, (names: string[]) => string[], RegExp]>([
    ['unknown', (n) => [...n.slice(0, -1), 'remarks'], /missing: comments; unknown: "remarks"/],
    ['repeated', (n) => [...n.slice(0, -1), 'VALUE'], /missing: comments; twice: value \(columns 9 and 16\)/],
    ['padded', (n) => [' labevent_id', ...n.slice(1)], /missing: labevent_id; unknown: " labevent_id"/],
  ])('%s column', async (_, change, message) => {
    await expect(withHeader(change)).rejects.toThrow(message);
    await expect(withHeader(change)).rejects.toBeInstanceOf(DataError);
  });

  it('missing and doubled tables', async () => {
    const root = writeExtract(sampleExtract());
    rmSync(join(root, labs));
    rmSync(join(root, 'icu/d_items.csv'));
    await expect(load(root)).rejects.toThrow(/no icu\/d_items\.csv\[\.gz\], hosp\/labevents\.csv\[\.gz\]/);
    const twice = writeExtract(sampleExtract());
    writeFile(join(twice, `${labs}.gz`), gzipSync('x'));
    await expect(load(twice)).rejects.toThrow(/hosp\.labevents is there twice/);
  });

  it('damage of every kind', async () => {
    const text = csvText('hosp.labevents', sampleExtract()['hosp.labevents']!);
    const packed = gzipMembers(Buffer.from(text), 2);
    const cases: [string, Uint8Array | string, RegExp][] = [
      ['.gz', packed.subarray(0, -3), /cut off/],
      ['.gz', Buffer.concat([packed, Buffer.from('x')]), /follow/],
      ['', Buffer.concat([Buffer.from(text), Buffer.from([0xff])]), /UTF-8[\s\S]*record 10, line 11/],
      ['', text.replace(',\n', ',\r\n'), /line ends are mixed[\s\S]*line 2/],
      ['', text.replace(/\n$/, ',\n'), /too long[\s\S]*line 10/],
      ['', text.slice(0, -12), /too short/],
    ];
    for (const [end, bytes, message] of cases) {
      const root = writeExtract(sampleExtract());
      rmSync(join(root, labs));
      writeFile(join(root, labs + end), bytes);
      await expect(load(root), message.source).rejects.toThrow(message);
    }
  });

  it('too many rejects, with the first line and no value in the message', async () => {
    const run = loadWith({
      'hosp.labevents': (rows) =>
        Array.from({ length: 40 }, (_, i) => ({ ...rows[0]!, labevent_id: i, valuenum: 'secret' })),
    });
    await expect(run).rejects.toThrow(
      /too many rows of hosp\.labevents[\s\S]*line 2 is the first of 40 malformed in valuenum/,
    );
    await expect(run).rejects.not.toThrow(/secret/);
  });

  it('files that change between hashing and reading', async () => {
    const root = writeExtract(sampleExtract());
    const files = await hashFolder(root);
    writeFileSync(join(root, labs), csvText('hosp.labevents', []));
    const run = runStage({
      stage: loadMimic,
      inputs: { extract: { kind: 'folder', files, sha256: hashFiles(files) } },
      config: loadMimic.config.parse({}),
      access: 'credentialed',
      seed: 0,
      workers: 1,
      memoryLimit: '1GB',
      dir: join(temporaryFolder(), 'out'),
      signal: new AbortController().signal,
    });
    await expect(run).rejects.toThrow(/changed while it was read[\s\S]*hosp\/labevents\.csv/);
  });
});

describe('the release', () => {
  const withWords = (group: string, languages: (string | null)[], config: object = {}) =>
    loadWith(
      {
        'hosp.patients': (rows) => rows.map((r) => ({ ...r, anchor_year_group: group })),
        'hosp.admissions': (rows) => rows.map((r, i) => ({ ...r, language: languages[i]! })),
      },
      config,
    ).then(async (run) => (await run.table('load_report'))[0]!);

  it('is told by its vocabulary, else by MIMIC_VERSION', async () => {
    expect(await withWords('2020 - 2022', ['ENGLISH', 'ENGLISH', '?'])).toMatchObject({
      mimic_version: '3.x',
    });
    expect(
      await withWords('2011 - 2013', ['ENGLISH', '?', 'English'].slice(0, 2).concat('ENGLISH')),
    ).toMatchObject({
      mimic_version: '2.x',
    });
    expect(await withWords('2011 - 2013', ['English', 'Spanish', null])).toMatchObject({
      mimic_version: '3.x',
    });
    expect(await withWords('2011 - 2013', ['English', 'Spanish', null], { version: '3.1' })).toMatchObject({
      mimic_version: '3.1',
    });
    expect(await withWords('2011 - 2013', [null, null, null], { version: '2.2' })).toMatchObject({
      mimic_version: '2.2',
      version_source: 'config',
    });
  });

  it('that cannot be told, or is told otherwise, is an error', async () => {
    await expect(withWords('2011 - 2013', [null, 'ENGLISH', 'English'])).rejects.toThrow(
      /cannot be told[\s\S]*2011 - 2013[\s\S]*MIMIC_VERSION=3\.1/,
    );
    await expect(withWords('2020 - 2022', [null, null, null], { version: '2.2' })).rejects.toThrow(
      /not the release that MIMIC_VERSION names[\s\S]*3\.x \(from vocabulary\)[\s\S]*2\.2/,
    );
  });

  it('SHA256SUMS.txt is believed and a file that differs is refused', async () => {
    const root = writeExtract(sampleExtract(), { members: 1 });
    const sums = (await hashFolder(root)).map((f) => `${f.sha256} ${f.path}`);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'SHA256SUMS.txt'), `${sums.join('\n')}\n`);
    const run = await load(root);
    expect((await run.table('load_report')).every((r) => r.truncation_check === 'sha256')).toBe(true);
    writeFileSync(
      join(root, 'SHA256SUMS.txt'),
      sums
        .join('\n')
        .replace(/[0-9a-f] icu\/d_items/, '0 icu/d_items')
        .replace(/^./, '0'),
    );
    await expect(load(root)).rejects.toThrow(/differs from SHA256SUMS\.txt/);
  });
});
