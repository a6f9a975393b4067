/** load-mimic and build-cohort on the open MIMIC-IV demo 2.2 with its rebuilt chartevents. */
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAuditDatabase } from '../../pipelines/engine/adapters/audit-database.js';
import { DuckDbSession } from '../../pipelines/engine/adapters/duckdb.js';
import { MIMIC_FILES } from '../../schemas/mimic-files.js';
import { buildCohort } from '../../stages/build-cohort/stage.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { LOADED } from '../../stages/load-mimic/tables.js';
import { hasDemo } from '../support/extract.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';
import { demoFolder } from './demo-folder.js';
import { contents, load, writeFile } from './mimic-extract.js';

describe.skipIf(!hasDemo())('the open demo', () => {
  let folder: string;
  let run: StageRun;
  beforeAll(async () => {
    folder = demoFolder();
    run = await load(folder);
  });
  afterAll(async () => {
    await rm(join(run.dir, '..'), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  it('loads without a reject, and every file is known whole by its hash', async () => {
    expect(await run.table('rejects')).toEqual([]);
    const report = await run.table('load_report');
    expect(report.map((r) => r.table).sort()).toEqual(LOADED.map((t) => t.source).sort());
    for (const r of report) {
      expect(r).toMatchObject({
        truncation_check: 'sha256',
        mimic_version: 'demo',
        version_source: 'sha256',
      });
      expect(r.records).toBe(MIMIC_FILES[r.table as keyof typeof MIMIC_FILES].documentedRows.demo);
    }
  });

  it('keeps every row, but chart items and results that nothing reads, and repeats', () => {
    const { dropped, outputs } = run.result;
    expect(dropped).toEqual({
      'hosp.labevents': { no_icu_stay: 0 },
      'icu.chartevents': { item_not_read: 495_441, duplicate: 177 },
      'hosp.omr': { result_not_read: 872 },
    });
    expect(outputs.chartevents!.rows).toBe(668_862 - 495_441 - 177);
    expect(outputs.labevents!.rows).toBe(107_727);
  });

  it('finds every item and code in its dictionary; the twins of registry labs have no rows', () => {
    const { counts } = run.result;
    expect(counts).toMatchObject({ items_known: 382, itemid_moved: 0, icd_without_dictionary: 0 });
    for (const [name, n] of Object.entries(counts)) {
      if (name.endsWith('.matched')) expect(n).toBe(counts[name.replace('.matched', '.rows')]);
    }
  });

  it('has the values of the files, compared with a second reader', async () => {
    const text = gunzipSync(readFileSync(join(folder, 'hosp/labevents.csv.gz'))).toString('utf8');
    const facts = parseCsv(readFileSync('raw/mimic/itemid-facts.csv', 'utf8'), 'facts');
    const read = new Set(facts.map((f) => f.itemid));
    const records = new Map(parseCsv(text, 'labevents').map((r) => [Number(r.labevent_id), r]));
    const rows = await run.table('labevents');
    expect(rows).toHaveLength(records.size);
    for (const row of rows) {
      const r = records.get(row.labevent_id as number)!;
      const or_null = (x: string | undefined): string | null => (x === '' ? null : x!);
      const wanted = {
        labevent_id: Number(r.labevent_id),
        subject_id: Number(r.subject_id),
        hadm_id: r.hadm_id === '' ? null : Number(r.hadm_id),
        specimen_id: Number(r.specimen_id),
        itemid: Number(r.itemid),
        charttime: r.charttime,
        storetime: or_null(r.storetime),
        value: read.has(r.itemid!) ? or_null(r.value) : null,
        valuenum: r.valuenum === '' ? null : Number(r.valuenum),
        valueuom: or_null(r.valueuom),
        ref_range_lower: r.ref_range_lower === '' ? null : Number(r.ref_range_lower),
        ref_range_upper: r.ref_range_upper === '' ? null : Number(r.ref_range_upper),
        flag: or_null(r.flag),
        comments: read.has(r.itemid!) ? or_null(r.comments) : null,
      };
      if (JSON.stringify(row) !== JSON.stringify(wanted)) expect(row).toEqual(wanted);
    }
  });

  it('is told by its row counts when it is unpacked, with the same contents', async () => {
    const plain = temporaryFolder();
    for (const { source } of LOADED) {
      const path = `${source.replace('.', '/')}.csv`;
      writeFile(join(plain, path), gunzipSync(readFileSync(join(folder, `${path}.gz`))));
    }
    const again = await load(plain);
    expect(contents(again)).toEqual(contents(run));
    const [row] = await again.table('load_report');
    expect(row).toMatchObject({ truncation_check: 'published row count', version_source: 'row counts' });
    const labs = readFileSync(join(plain, 'hosp/labevents.csv'), 'utf8').split('\n');
    writeFile(join(plain, 'hosp/labevents.csv'), `${labs.slice(0, 60_000).join('\n')}\n`);
    await expect(load(plain)).rejects.toThrow(
      /looks like MIMIC-IV demo[\s\S]*hosp\.labevents 59999[\s\S]*hosp\.labevents 107727/,
    );
  });

  it.each([
    ['all', 140, 100],
    ['first_per_admission', 128, 100],
    ['first', 100, 100],
  ])('has a cohort of %s stays: %i stays of %i patients', async (stays, stays_n, patients_n) => {
    const table = (name: string) => ({ parquet: join(run.dir, `${name}.parquet`) });
    const cohort = await runStageOn(buildCohort, {
      inputs: { patients: table('patients'), admissions: table('admissions'), icustays: table('icustays') },
      config: { stays },
    });
    const flow = await cohort.table('cohort_flow');
    expect(flow[0]).toMatchObject({ stays_n: 140, patients_n: 100 });
    expect(flow.at(-1)).toMatchObject({ stays_n, patients_n });
  });

  it('can be opened as one database by an auditor', async () => {
    const target = join(temporaryFolder(), "an auditor's", 'mimic.duckdb');
    const tables = Object.fromEntries(LOADED.map((t) => [t.name, join(run.dir, `${t.name}.parquet`)]));
    await writeAuditDatabase({ tables, target, memoryLimit: '1GB', threads: 2 });
    await writeAuditDatabase({ tables, target, memoryLimit: '1GB', threads: 2 });
    expect(readdirSync(join(target, '..'))).toEqual(['mimic.duckdb']);
    const session = await DuckDbSession.create({
      file: target,
      threads: 1,
      memoryLimit: '1GB',
      spillDir: `${target}.spill`,
    });
    const rows = await session.rows('select count(*) as n from labevents join icustays using (subject_id)');
    session.close();
    expect(rows[0]!.n).toBeGreaterThan(107_727);
  });
});
