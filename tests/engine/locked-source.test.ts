/** Files by their entry in raw/lock.json: what is refused, what is skipped, what is said. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readText } from '../../pipelines/engine/adapters/text.js';
import { DataError, UsageError } from '../../pipelines/engine/errors.js';
import { lockedSource } from '../../pipelines/engine/sources.js';
import { hasMounted, MOUNT_DIR } from '../support/mounted.js';
import { temporaryFolder } from '../support/stage.js';

const sha = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** A project with two tables of its own, a superseded one and two mounted files of which one is absent. */
function project(): { root: string; write: (path: string, text: string) => void } {
  const base = temporaryFolder();
  const root = join(base, 'project');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const entry = (path: string, text: string, more: object = {}): object => ({
    path,
    sha256: sha(text),
    bytes: text.length,
    source: 's',
    licence: 'l',
    access_class: 'open',
    edition: 'List 2025',
    ...more,
  });
  write('project/raw/a.csv', 'a\r\n1\r\n');
  write('project/raw/b.csv', 'b\r\n1\r\n');
  write('project/raw/old.csv', 'old\r\n');
  write('shared/data/labels/one.json', '{}');
  const lock = [
    entry('raw/a.csv', 'a\r\n1\r\n'),
    entry('raw/b.csv', 'b\r\n1\r\n', { superseded_by: null }),
    entry('raw/old.csv', 'old\r\n', { edition: 'List 2020', superseded_by: 'List 2025' }),
    entry('raw/gone.csv', 'gone'),
    entry('labels/one.json', '{}', { is_mounted: true, access_class: 'restricted' }),
    entry('labels/two.json', '[]', { is_mounted: true, access_class: 'credentialed' }),
  ];
  write('project/raw/lock.json', JSON.stringify(lock));
  return { root, write };
}

const problem = async (promise: Promise<unknown>): Promise<DataError> => {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(DataError);
  return error as DataError;
};

describe('lockedSource', () => {
  it('gives the files by path, whatever the order of the names, with the class of their entries', async () => {
    const { root } = project();
    const one = await lockedSource(['raw/b.csv', 'raw/a.csv', 'raw/b.csv'], { root });
    expect(one.files.map((f) => [f.path, f.location])).toEqual([
      ['raw/a.csv', join(root, 'raw/a.csv')],
      ['raw/b.csv', join(root, 'raw/b.csv')],
    ]);
    expect(one).toMatchObject({ access: 'open', skipped: [] });
    expect(one.entries.map((e) => e.path)).toEqual(['raw/a.csv', 'raw/b.csv']);
    expect((await lockedSource(['raw/a.csv', 'raw/b.csv'], { root })).sha256).toBe(one.sha256);
    expect((await lockedSource(['raw/a.csv', 'labels/one.json'], { root })).access).toBe('restricted');
  });

  it('refuses an edited file and names both hashes', async () => {
    const { root, write } = project();
    write('project/raw/a.csv', 'a\n1\n');
    const error = await problem(lockedSource(['raw/a.csv'], { root }));
    expect(error.exitCode).toBe(3);
    expect(error.problem).toMatchObject({ file: 'raw/a.csv', got: `sha256 ${sha('a\n1\n')}` });
    expect(error.problem.expected).toContain(sha('a\r\n1\r\n'));
    expect(error.message).toMatch(/next: .*new hash and edition/);
  });

  it('refuses a mounted file that differs: mounted means outside, not unchecked', async () => {
    const { root, write } = project();
    write('shared/data/labels/one.json', '{ }');
    const error = await problem(lockedSource(['labels/one.json'], { root }));
    expect(error.problem.got).toBe(`sha256 ${sha('{ }')}`);
  });

  it('refuses a file without an entry and says its hash', async () => {
    const { root, write } = project();
    write('project/raw/new.csv', 'new');
    const error = await problem(lockedSource(['raw/new.csv'], { root }));
    expect(error.message).toMatch(/no entry in raw\/lock.json/);
    expect(error.problem.got).toBe(`sha256 ${sha('new')}`);
    expect((await problem(lockedSource(['raw/typo.csv'], { root }))).problem.got).toBe('no such file either');
  });

  it('refuses a superseded edition unless an edition test asks for it', async () => {
    const { root } = project();
    const error = await problem(lockedSource(['raw/old.csv'], { root }));
    expect(error.problem).toMatchObject({ file: 'raw/old.csv', got: 'List 2020', expected: 'List 2025' });
    const asked = await lockedSource(['raw/old.csv'], { root, allowSuperseded: true });
    expect(asked.files).toHaveLength(1);
  });

  it('skips an absent mounted file and says so; an absent project file is an error', async () => {
    const { root } = project();
    const found = await lockedSource(['raw/a.csv', 'labels/one.json', 'labels/two.json'], { root });
    expect(found.files.map((f) => f.path)).toEqual(['labels/one.json', 'raw/a.csv']);
    expect(found.skipped).toEqual(['labels/two.json']);
    expect(found.access).toBe('restricted');
    await expect(lockedSource(['raw/gone.csv'], { root })).rejects.toThrow(/ENOENT[\s\S]*gone.csv/);
    rmSync(join(root, '../shared'), { recursive: true });
    expect((await lockedSource(['labels/one.json'], { root })).skipped).toEqual(['labels/one.json']);
  });

  it('takes another mount folder, and refuses one that is not there', async () => {
    const { root, write } = project();
    write('elsewhere/labels/two.json', '[]');
    const mountDir = join(root, '../elsewhere');
    const found = await lockedSource(['labels/one.json', 'labels/two.json'], { root, mountDir });
    expect([found.files.map((f) => f.path), found.skipped]).toEqual([
      ['labels/two.json'],
      ['labels/one.json'],
    ]);
    const missing = lockedSource(['labels/two.json'], { root, mountDir: join(root, 'nowhere') });
    await expect(missing).rejects.toThrow(DataError);
    const file = lockedSource(['labels/two.json'], { root, mountDir: join(root, 'raw/a.csv') });
    await expect(file).rejects.toThrow(UsageError);
  });

  it('reads the tables of the project', async () => {
    const found = await lockedSource(['raw/guidelines/beers2023.csv', 'raw/guidelines/kids2025.csv']);
    expect(found).toMatchObject({ access: 'open', skipped: [] });
    const old = lockedSource(['raw/guidelines/kids2020-superseded.csv']);
    await expect(old).rejects.toThrow(/superseded edition[\s\S]*PPA KIDs List 2020[\s\S]*PPA KIDs List 2025/);
  });

  it.skipIf(!hasMounted())('reads a mounted label through gzip', async () => {
    const name = 'fda-labels-openfda/labels/NDA013263.json.gz';
    const [file] = (await lockedSource([name], { mountDir: MOUNT_DIR })).files;
    expect(JSON.parse(await readText(file!)).results).toHaveLength(1);
  });
});

describe('readText', () => {
  const file = (name: string, content: string | Uint8Array) => {
    const location = join(temporaryFolder(), name);
    writeFileSync(location, content);
    return { path: name, location, bytes: content.length, sha256: sha(content) };
  };

  it('keeps a byte-order mark and every line end', async () => {
    expect(await readText(file('a.csv', '\ufeffa\r\nb\n'))).toBe('\ufeffa\r\nb\n');
  });

  it('names the first byte that is no UTF-8', async () => {
    const latin = file('a.csv', Uint8Array.from([0x61, 0xe9, 0x62]));
    await expect(readText(latin)).rejects.toThrow(/not UTF-8[\s\S]*0xe9 at offset 1/);
  });

  it('refuses a gzip that was cut', async () => {
    const whole = gzipSync('x'.repeat(1000));
    await expect(readText(file('a.json.gz', whole.subarray(0, -4)))).rejects.toThrow(
      /compressed file is damaged/,
    );
    expect(await readText(file('a.json.gz', whole))).toHaveLength(1000);
  });

  it('refuses a file that changed after it was hashed', async () => {
    const given = file('a.csv', 'a');
    writeFileSync(given.location, 'b');
    await expect(readText(given)).rejects.toThrow(/changed after it was hashed/);
  });
});
