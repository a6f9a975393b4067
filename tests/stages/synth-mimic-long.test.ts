/** The long chartevents: same bytes, exactly the rows that were asked for, and nothing that the loader refuses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { MIMIC_FILES } from '../../schemas/mimic-files.js';
import type { StageContext } from '../../stages/contract.js';
import { type CsvRecord, parseCsv } from '../../stages/lib/csv.js';
import { synthesize } from '../../stages/synth-mimic/run.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { load } from './mimic-extract.js';

const make = (config: object, seed = 0): Promise<StageRun> =>
  runStageOn(synthMimic, { config: { stays: 200, profile: 'clean', ...config }, seed });

const text = (run: StageRun, path: string): string =>
  gunzipSync(readFileSync(join(run.dir, 'extract', path))).toString();

const hash = (run: StageRun): string => run.result.outputs.extract!.sha256;

describe('a long chartevents', () => {
  let run: StageRun;
  let rows: CsvRecord[];
  beforeAll(async () => {
    run = await make({ chartevents_rows: 30_000 });
    rows = parseCsv(text(run, 'icu/chartevents.csv.gz'), 'chartevents');
  });

  it('has the same bytes twice, and others for another seed, length or number of stays', async () => {
    const settings = [
      { chartevents_rows: 30_000 },
      { chartevents_rows: 30_001 },
      { chartevents_rows: 30_000, stays: 201 },
      { chartevents_rows: 30_000, version: '2.2' },
    ];
    const hashes = [];
    for (const s of settings) {
      const first = hash(await make(s));
      expect(hash(await make(s))).toBe(first);
      hashes.push(first);
    }
    hashes.push(hash(await make({ chartevents_rows: 30_000 }, 1)));
    expect(hashes[0]).toBe(hash(run));
    expect(new Set(hashes).size).toBe(5);
  });

  it('has exactly the rows asked for, none twice, in order of stay, charttime and itemid', () => {
    expect(rows).toHaveLength(30_000);
    expect(Object.keys(rows[0]!)).toEqual(MIMIC_FILES['icu.chartevents'].columns.map((c) => c.name));
    const keys = rows.map((r) => `${r.stay_id} ${r.charttime} ${r.itemid}`);
    expect(new Set(keys).size).toBe(30_000);
    expect([...keys].sort()).toEqual(keys);
    const manifest = JSON.parse(readFileSync(join(run.dir, 'extract/manifest.json'), 'utf8'));
    expect(manifest.files['icu/chartevents.csv.gz'].rows).toBe(30_000);
    expect(manifest.chartevents_rows).toBe(30_000);
  });

  it('is like the open demo in its shares of registry items and numbers', () => {
    const facts = parseCsv(readFileSync('raw/mimic/itemid-facts.csv', 'utf8'), 'facts');
    const registry = new Set(facts.filter((f) => f.table === 'icu.chartevents').map((f) => f.itemid!));
    const share = (is: (r: CsvRecord) => boolean): number => rows.filter(is).length / rows.length;
    expect(share((r) => registry.has(r.itemid!))).toBeGreaterThan(0.2);
    expect(share((r) => registry.has(r.itemid!))).toBeLessThan(0.32);
    expect(share((r) => r.valuenum !== '')).toBeGreaterThan(0.3);
    expect(share((r) => r.valuenum !== '')).toBeLessThan(0.46);
    const dictionary = new Set(parseCsv(text(run, 'icu/d_items.csv.gz'), 'd_items').map((r) => r.itemid));
    expect(rows.filter((r) => !dictionary.has(r.itemid))).toEqual([]);
  });

  it('is loaded without a reject, a repeat or a far time', async () => {
    const loaded = await load(join(run.dir, 'extract'));
    expect(await loaded.table('rejects')).toEqual([]);
    const report = (await loaded.table('load_report')).find((r) => r.table === 'icu.chartevents')!;
    expect(report).toMatchObject({ records: 30_000, rejected: 0, duplicates: 0 });
    expect(loaded.result.dropped['icu.chartevents']).toEqual({ item_not_read: report.dropped });
    expect(loaded.result.counts['lookup.chartevents.matched']).toBe(report.loaded);
  });

  it('refuses the profile that plants faults, since it plants none', async () => {
    await expect(make({ chartevents_rows: 30_000, profile: 'dirty' })).rejects.toThrow(/no planted faults/);
  });
});

it('is written without holding it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap: number[] = [];
  const sink = { write: async () => {}, close: async () => {} };
  const ctx = {
    file: (path: string) => readFileSync(path, 'utf8'),
    seed: 0,
    signal: new AbortController().signal,
    progress: (done: number) => {
      if (done % 100 !== 0) return;
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      heap.push((heapUsed + arrayBuffers) / 1e6);
    },
    writeFolder: () => ({ open: () => sink, text: async () => {} }),
    sql: { insert: async () => {} },
  } as unknown as StageContext;
  await synthesize(ctx, {
    stays: 400,
    profile: 'clean',
    version: '3.1',
    size: 'compact',
    chartevents_rows: 800_000,
  });
  // The 600,000 rows in between are 56 MB of text; the rest is room for what the collector leaves.
  expect(heap[3]! - heap[0]!).toBeLessThan(35);
}, 60_000);
