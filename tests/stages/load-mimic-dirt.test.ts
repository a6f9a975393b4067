/** The faults planted in the synthetic extract: load-mimic and build-cohort find each of theirs, and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildCohort } from '../../stages/build-cohort/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { type CsvRecord, parseCsv } from '../../stages/lib/csv.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { load } from './mimic-extract.js';

const part = (record: CsvRecord, name: string): string =>
  new RegExp(`(?:^|;)${name}=([^;]*)`).exec(record.key!)![1]!;

describe('the planted faults', () => {
  let made: StageRun;
  let loaded: StageRun;
  let cohort: StageRun;
  let ledger: CsvRecord[];
  const planted = (id: string): CsvRecord[] => {
    const found = ledger.filter((r) => r.dirty_id === id);
    expect(found.length, `${id} is planted`).toBeGreaterThan(0);
    return found;
  };
  const rejected = async (reason: string): Promise<SqlRow[]> =>
    (await loaded.table('rejects')).filter((r) => r.reason === reason);

  beforeAll(async () => {
    made = await runStageOn(synthMimic, { config: { stays: 1000 }, workers: 2 });
    ledger = parseCsv(readFileSync(join(made.dir, 'truth/dirty_ledger.csv'), 'utf8'), 'dirty_ledger.csv');
    loaded = await load(join(made.dir, 'extract'));
    const table = (name: string) => ({ parquet: join(loaded.dir, `${name}.parquet`) });
    cohort = await runStageOn(buildCohort, {
      inputs: { patients: table('patients'), admissions: table('admissions'), icustays: table('icustays') },
    });
  });

  it('every file has the records of the manifest, in members, with BOM, CRLF and embedded line ends', async () => {
    const manifest = JSON.parse(readFileSync(join(made.dir, 'extract/manifest.json'), 'utf8')) as {
      files: Record<string, { rows: number }>;
    };
    for (const r of await loaded.table('load_report')) {
      const path = `${String(r.table).replace('.', '/')}.csv.gz`;
      expect([path, r.records, r.truncation_check]).toEqual([path, manifest.files[path]!.rows, 'sha256']);
    }
    expect(planted('D91').length + planted('D92').length).toBeGreaterThan(2);
  });

  it('D04, D05: ICD codes are trimmed and keep their zeros', async () => {
    const rows = await loaded.table('diagnoses_icd');
    for (const [id, column] of [
      ['D04', 'clean_value'],
      ['D05', 'dirty_value'],
    ] as const) {
      for (const fault of planted(id)) {
        const row = rows.find(
          (r) => r.hadm_id === Number(part(fault, 'hadm_id')) && r.seq_num === Number(part(fault, 'seq_num')),
        );
        expect(row!.icd_code).toBe(fault[column]);
      }
    }
  });

  it('D08, D09, D10: stays with impossible times leave the cohort', async () => {
    const flow = new Map((await cohort.table('cohort_flow')).map((r) => [r.reason, r.excluded_stays_n]));
    expect(flow.get('negative_los')).toBe(planted('D08').length);
    expect(flow.get('hosp_time_order')).toBe(planted('D09').length);
    expect(flow.get('after_death')).toBe(planted('D10').length);
    const left = new Set((await cohort.table('cohort')).map((r) => r.stay_id));
    for (const fault of planted('D08')) expect(left.has(Number(fault.stay_id))).toBe(false);
  });

  it('D16: rows a year away are dropped and counted', async () => {
    expect(loaded.result.dropped['icu.chartevents']!.far_charttime).toBe(planted('D16').length);
    const rows = await loaded.table('chartevents');
    for (const fault of planted('D16')) {
      const at = rows.filter(
        (r) => r.stay_id === Number(fault.stay_id) && r.charttime === part(fault, 'charttime'),
      );
      expect(at).toEqual([]);
    }
  });

  it('D22: admissions of unknown patients are rejected', async () => {
    const keys = (await rejected('orphan_subject')).map((r) => r.key);
    expect(keys.sort()).toEqual(
      planted('D22')
        .map((f) => f.key)
        .sort(),
    );
  });

  it('D23: results under a moved itemid are rejected, and only they', async () => {
    const keys = (await rejected('itemid_moved')).map((r) => r.key);
    expect(keys.sort()).toEqual(
      planted('D23')
        .map((f) => f.key)
        .sort(),
    );
    expect(loaded.result.counts.itemid_moved).toBe(keys.length);
  });

  it('D24, D25: repeats are collapsed, other values at the same time stay', async () => {
    expect(loaded.result.dropped['icu.chartevents']!.duplicate).toBe(planted('D24').length);
    const rows = await loaded.table('chartevents');
    const fault = planted('D25')[0]!;
    const same = rows.filter(
      (r) =>
        r.stay_id === Number(part(fault, 'stay_id')) &&
        r.itemid === Number(part(fault, 'itemid')) &&
        r.charttime === part(fault, 'charttime'),
    );
    expect(same.length).toBeGreaterThan(1);
  });

  it('D62: intervals that end before they begin are rejected', async () => {
    expect((await rejected('negative_interval')).map((r) => r.got).sort()).toEqual(
      planted('D62')
        .map((f) => f.dirty_value)
        .sort(),
    );
  });

  it('D89: values with quotes, commas and line ends arrive unchanged', async () => {
    const facts = parseCsv(readFileSync('raw/mimic/itemid-facts.csv', 'utf8'), 'itemid-facts.csv');
    const read = new Set(facts.map((f) => Number(f.itemid)));
    const rows = new Map((await loaded.table('labevents')).map((r) => [r.labevent_id, r]));
    const wanted = planted('D89').filter((f) => f.column === 'comments');
    for (const fault of wanted) {
      const row = rows.get(Number(part(fault, 'labevent_id')))!;
      expect(row.comments).toBe(read.has(row.itemid as number) ? fault.dirty_value : null);
    }
    expect(wanted.filter((f) => f.dirty_value!.includes('\n')).length).toBeGreaterThan(0);
  });

  it('nothing else is rejected', async () => {
    const reasons = new Set((await loaded.table('rejects')).map((r) => r.reason));
    expect([...reasons].sort()).toEqual(['itemid_moved', 'negative_interval', 'orphan_subject']);
  });
});
