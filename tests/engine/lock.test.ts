/** raw/lock.json tells the truth about the files it names. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFile, listFiles } from '../../pipelines/engine/adapters/files.js';
import { LOCK_FILE, parseLock } from '../../schemas/lock.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { hasMounted, MOUNT_DIR } from '../support/mounted.js';

const entries = parseLock(readFileSync(LOCK_FILE, 'utf8'));
const demo = entries.filter((e) => e.edition.startsWith('MIMIC-IV demo'));

describe('raw/lock.json', () => {
  it('names every table under raw/ with its hash and size, as open', async () => {
    const own = entries.filter((e) => e.path.startsWith('raw/'));
    const tables = listFiles('raw')
      .map((f) => `raw/${f}`)
      .filter((f) => f.endsWith('.csv'));
    expect(own.map((e) => e.path).sort()).toEqual(tables);
    for (const e of own) {
      expect([e.path, await hashFile(e.path), statSync(e.path).size]).toEqual([e.path, e.sha256, e.bytes]);
      expect(e.access_class).toBe('open');
    }
  });

  it('has each hash once', () => {
    expect(new Set(entries.map((e) => e.sha256)).size).toBe(entries.length);
  });

  it('refuses an entry without a class', () => {
    const { access_class: _, ...rest } = entries[0]!;
    expect(() => parseLock(JSON.stringify([rest]))).toThrow(/access_class/);
  });

  it('names successors and coverage of every guideline table', () => {
    const tables = entries.filter((e) => e.path.startsWith('raw/guidelines/'));
    expect(tables).toHaveLength(12);
    for (const e of tables) expect([e.path, e.coverage?.covers.length], e.path).not.toContain(undefined);
    const superseded = tables.filter((e) => e.superseded_by);
    expect(superseded.map((e) => [e.path, e.superseded_by])).toEqual([
      ['raw/guidelines/kids2020-superseded.csv', 'PPA KIDs List 2025'],
    ]);
  });

  it.skipIf(!hasMounted())('has the hashes and sizes of the mounted files', async () => {
    const mounted = entries.filter((e) => e.is_mounted);
    expect(mounted).toHaveLength(90);
    for (const e of mounted) {
      const path = join(MOUNT_DIR, e.path);
      expect([e.path, await hashFile(path), statSync(path).size]).toEqual([e.path, e.sha256, e.bytes]);
    }
  });

  it.skipIf(!hasDemo())(
    'has the official hashes of the open demo, and that of its rebuilt chartevents',
    async () => {
      const sums = readFileSync(join(DEMO_DIRS[0]!, 'SHA256SUMS.txt'), 'utf8')
        .split('\n')
        .map((line) => line.split(/\s+/))
        .filter(([, path]) => path?.endsWith('.csv.gz'));
      const official = demo.filter((e) => e.edition === 'MIMIC-IV demo 2.2');
      expect(official.map((e) => [e.sha256, e.path]).sort()).toEqual(sums.sort());
      for (const dir of DEMO_DIRS) {
        for (const part of ['hosp', 'icu'].filter((p) => existsSync(join(dir, p)))) {
          for (const name of readdirSync(join(dir, part))) {
            const sha256 = await hashFile(join(dir, part, name));
            expect(demo.find((e) => e.sha256 === sha256)).toMatchObject({
              path: `${part}/${name}`,
              bytes: statSync(join(dir, part, name)).size,
              access_class: 'open',
              licence: 'ODbL-1.0',
            });
          }
        }
      }
    },
  );
});
