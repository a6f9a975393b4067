/** Faults of whole files: odd bytes that have to be read as they are meant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { LOADED } from '../../../stages/load-mimic/tables.js';
import type { Checks, Fault, World } from './world.js';

interface Manifest {
  readonly files: Readonly<Record<string, { rows: number; gzip_members: number }>>;
}
const manifest = (w: World): Manifest =>
  JSON.parse(w.dirty.made.document('extract/manifest.json')) as Manifest;
const bytesOf = (w: World, path: string): Buffer => readFileSync(join(w.dirty.made.dir, 'extract', path));

/** Files with the fault that supmimic reads; at least one. */
async function read(w: World, faults: readonly Fault[]): Promise<string[]> {
  const { files } = manifest(w);
  const report = await w.sql<{ table: string; records: number }>('from dirty_load_report');
  expect(report.map((r) => r.table).sort()).toEqual(LOADED.map((t) => t.source).sort());
  for (const r of report) {
    const path = `${r.table.replace('.', '/')}.csv.gz`;
    expect([path, r.records]).toEqual([path, files[path]!.rows]);
  }
  const tables = new Set(report.map((r) => `${r.table.replace('.', '/')}.csv.gz`));
  const found = faults.map((f) => f.key.file!).filter((path) => tables.has(path));
  expect(found.length).toBeGreaterThan(0);
  return found;
}

export const fileChecks: Checks = {
  D89: {
    says: 'doubled quotes, commas and line ends inside a field arrive as written, and row counts equal the manifest',
    async run(w, faults) {
      const ids = faults.map((f) => f.key.labevent_id).join();
      const rows = await w.sql<{ labevent_id: number; comments: string }>(
        `select labevent_id, comments from dirty_labevents where labevent_id in (${ids})`,
      );
      const comments = new Map(rows.map((r) => [r.labevent_id, r.comments]));
      for (const f of faults) {
        expect(f.dirty).toMatch(/"[\s\S]*,[\s\S]*\n/);
        expect(comments.get(Number(f.key.labevent_id))).toBe(f.dirty);
      }
      const report = await w.sql<{ records: number }>(
        'from dirty_load_report where "table" = \'hosp.labevents\'',
      );
      expect(report[0]!.records).toBe(manifest(w).files['hosp/labevents.csv.gz']!.rows);
    },
  },
  D91: {
    says: 'a file of several gzip members is read whole',
    async run(w, faults) {
      for (const path of await read(w, faults)) {
        expect(manifest(w).files[path]!.gzip_members).toBeGreaterThan(1);
      }
    },
  },
  D92: {
    says: 'byte order mark and CRLF are read',
    async run(w, faults) {
      for (const path of await read(w, faults)) {
        const text = gunzipSync(bytesOf(w, path));
        expect([...text.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
        expect(text.subarray(-2).toString()).toBe('\r\n');
      }
    },
  },
};
