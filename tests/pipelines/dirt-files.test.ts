/** Damaged copies of the synthetic extract (D93, D94) are refused by the command line; empty fields (D90) are null. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../pipelines/engine/adapters/files.js';
import { sha256 } from '../../stages/lib/hash.js';
import { csvText, gzipMembers, load, sampleExtract, writeExtract } from '../stages/mimic-extract.js';
import { type CliResult, cli } from '../support/cli.js';
import { syntheticExtract } from '../support/extract.js';
import { temporaryFolder } from '../support/stage.js';

const FILE = 'hosp/labevents.csv.gz';
const SUMS = 'SHA256SUMS.txt';

/** A copy of the 200-stay extract in which one file has other bytes. */
async function damaged(change: (bytes: Buffer) => Buffer, sums: 'kept' | 'without'): Promise<string> {
  const { extract } = await syntheticExtract();
  const copy = join(temporaryFolder(), 'extract');
  cpSync(extract, copy, { recursive: true });
  writeFileSync(join(copy, FILE), change(readFileSync(join(copy, FILE))));
  if (sums === 'without') writeFileSync(join(copy, SUMS), '');
  return copy;
}

/** Builds from the folder and expects a refusal that leaves nothing behind. */
async function refused(extract: string): Promise<CliResult> {
  const dir = temporaryFolder();
  const args = ['build', 'supmimic', '--mimic-dir', extract, '--profile', 'default', '--build-dir', dir];
  const result = await cli([...args, '--until', 'load-mimic', '--workers', '1']);
  expect([result.code, result.signal, result.stdout]).toEqual([3, null, '']);
  expect(result.stderr).not.toMatch(/^ {4}at /m);
  expect(listFiles(dir).filter((path) => /\.(parquet|duckdb|csv)$/.test(path))).toEqual([]);
  expect(existsSync(join(dir, 'releases'))).toBe(false);
  return result;
}

describe('damaged files', () => {
  it('D93: a truncated copy is refused by its checksum, or without one by its end', async () => {
    const cut = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length * 0.7));
    expect((await refused(await damaged(cut, 'kept'))).stderr).toMatch(/labevents[\s\S]*(sha256|SHA256SUMS)/);
    expect((await refused(await damaged(cut, 'without'))).stderr).toMatch(/labevents[\s\S]*cut off/);
  });

  it('D93: a file cut between two gzip members is refused by its checksum', async () => {
    const { extract } = await syntheticExtract();
    const whole = readFileSync(join(extract, FILE));
    const members = gzipMembers(gunzipSync(whole), 2);
    const copy = await damaged(
      () => gzipMembers(gunzipSync(whole), 2).subarray(0, firstMember(members)),
      'kept',
    );
    const sums = readFileSync(join(copy, SUMS), 'utf8').replace(sha256(whole), sha256(members));
    writeFileSync(join(copy, SUMS), sums);
    expect((await refused(copy)).stderr).toMatch(/labevents[\s\S]*(sha256|SHA256SUMS)/);
  });

  it('D94: an invalid UTF-8 byte is refused with file and line', async () => {
    const at = { line: 0 };
    const spoil = (bytes: Buffer): Buffer => {
      const text = gunzipSync(bytes);
      const byte = text.indexOf('\n', text.length >> 1) + 1;
      at.line = text.subarray(0, byte).filter((b) => b === 0x0a).length + 1;
      text[byte] = 0xff;
      return gzipSync(text);
    };
    const { stderr } = await refused(await damaged(spoil, 'without'));
    expect(stderr).toMatch(/labevents[\s\S]*UTF-8/);
    expect(stderr).toContain(`line ${at.line}`);
  });

  it('the undamaged copy builds', async () => {
    const copy = await damaged((bytes) => bytes, 'kept');
    const args = [
      'build',
      'supmimic',
      '--mimic-dir',
      copy,
      '--profile',
      'default',
      '--build-dir',
      temporaryFolder(),
    ];
    const { code, stderr } = await cli([...args, '--until', 'load-mimic', '--json']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});

/** Length of the first gzip member: the second one begins with its magic bytes. */
function firstMember(bytes: Buffer): number {
  const magic = bytes.subarray(0, 4);
  for (let at = bytes.indexOf(magic, 4); at > 0; at = bytes.indexOf(magic, at + 1)) {
    try {
      gunzipSync(bytes.subarray(0, at));
      return at;
    } catch {
      // These four bytes stand inside the member.
    }
  }
  throw new Error('one member only');
}

it('D90: a quoted empty field and a bare one are both null', async () => {
  const bare = await load(writeExtract(sampleExtract()));
  const root = writeExtract(sampleExtract());
  const table = 'hosp.labevents';
  const quoted = csvText(table, sampleExtract()[table]!).replace(/,(?=[,\n])/g, ',""');
  expect(quoted).toContain(',"",');
  writeFileSync(join(root, 'hosp/labevents.csv'), quoted);
  const run = await load(root);
  const nulls = (rows: object[]): number =>
    rows.flatMap((r) => Object.values(r)).filter((x) => x === null).length;
  expect(nulls(await run.table('labevents'))).toBeGreaterThan(0);
  expect(await run.table('labevents')).toEqual(await bare.table('labevents'));
});
