import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MimicTable } from '../../schemas/mimic-files.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { LOADED } from '../../stages/load-mimic/tables.js';
import {
  contents,
  HEART_RATE,
  load,
  loadWith,
  type Row,
  sampleExtract,
  writeExtract,
} from './mimic-extract.js';

describe('duplicates', () => {
  it('equal rows are collapsed and counted in every table', async () => {
    const twice = Object.fromEntries(LOADED.map((t) => [t.source, (rows: Row[]) => [...rows, ...rows]]));
    const once = await load(writeExtract(sampleExtract()));
    const run = await loadWith(twice);
    expect(contents(run)).toEqual(contents(once));
    for (const r of await run.table('load_report')) expect(r.duplicates).toBe((r.records as number) / 2);
    expect(await run.table('rejects')).toEqual([]);
  });

  it('rows that share a key but differ are all rejected', async () => {
    const run = await loadWith({
      'hosp.labevents': (rows) => [...rows, { ...rows[4]!, valuenum: 9.9 }, { ...rows[4]! }],
    });
    const rejects = await run.table('rejects');
    expect(rejects.map((r) => [r.reason, r.key, r.where])).toEqual([
      ['key_conflict', 'labevent_id=101', 'hosp/labevents.csv line 11'],
      ['key_conflict', 'labevent_id=101', 'hosp/labevents.csv line 6'],
    ]);
    expect(run.result.dropped['hosp.labevents']).toMatchObject({ duplicate: 1 });
    expect(await run.table('labevents')).toHaveLength(8);
  });

  it('the same time with another value or store time is kept', async () => {
    const run = await loadWith({
      'icu.chartevents': (rows) => [
        ...rows,
        { ...rows[0]!, valuenum: 99 },
        { ...rows[0]!, storetime: '2150-03-01 10:45:00' },
      ],
    });
    expect(await run.table('chartevents')).toHaveLength(11);
  });

  it('one stay under two admissions is no stay (mimic-code#120), and its rows go with it', async () => {
    const run = await loadWith({
      'icu.icustays': (rows) => [...rows, { ...rows[1]!, hadm_id: 20_000_003 }],
    });
    const rejects = await run.table('rejects');
    expect(rejects.map((r) => [r.table, r.reason])).toEqual([
      ['icu.icustays', 'key_conflict'],
      ['icu.icustays', 'key_conflict'],
    ]);
    expect((await run.table('icustays')).map((r) => r.stay_id)).toEqual([30_000_001, 30_000_003]);
    expect(run.result.dropped['icu.chartevents']).toMatchObject({ parent_refused: 3 });
    expect(run.result.dropped['icu.inputevents']).toMatchObject({ parent_refused: 1 });
    expect(run.result.dropped['hosp.labevents']).toMatchObject({ no_icu_stay: 3 });
  });
});

describe('rows without their parents', () => {
  it('patients who are unknown are rejected with their admissions and stays (P20)', async () => {
    const run = await loadWith({ 'hosp.patients': (rows) => rows.slice(0, 2) });
    const rejects = await run.table('rejects');
    expect(rejects.map((r) => [r.table, r.reason, r.key])).toEqual([
      ['hosp.admissions', 'orphan_subject', 'hadm_id=20000003'],
      [
        'hosp.omr',
        'orphan_subject',
        'subject_id=10000003 chartdate=2149-01-01 seq_num=1 result_name=Weight (Lbs)',
      ],
    ]);
    expect(run.result.dropped['icu.icustays']).toEqual({ parent_refused: 1 });
    expect(run.result.dropped['hosp.diagnoses_icd']).toEqual({ parent_refused: 1 });
    expect(run.result.dropped['icu.chartevents']).toMatchObject({ parent_refused: 3 });
  });

  it('admissions that do not exist or belong to another patient', async () => {
    const run = await loadWith({
      'hosp.diagnoses_icd': (rows) => [
        ...rows,
        { ...rows[0]!, hadm_id: 29_999_999 },
        { ...rows[0]!, seq_num: 2, subject_id: 10_000_002 },
      ],
    });
    expect((await run.table('rejects')).map((r) => [r.reason, r.field, r.got, r.expected])).toEqual([
      ['orphan_admission', 'hadm_id', '29999999', 'a row in hosp.admissions'],
      ['subject_mismatch', 'subject_id', '10000002', 'subject_id 10000001'],
    ]);
  });

  it('stays that do not exist or belong to another admission', async () => {
    const run = await loadWith({
      'icu.chartevents': (rows) => [
        ...rows,
        { ...HEART_RATE, stay_id: 39_999_999 },
        { ...HEART_RATE, hadm_id: 20_000_001 },
      ],
    });
    expect((await run.table('rejects')).map((r) => [r.reason, r.field, r.got])).toEqual([
      ['orphan_stay', 'stay_id', '39999999'],
      ['stay_mismatch', 'hadm_id', '10000002 / 20000001'],
    ]);
  });

  it('a malformed patient takes its children along as drops, not as orphans', async () => {
    const run = await loadWith({
      'hosp.patients': (rows) => [...rows.slice(1), { ...rows[0]!, gender: '?' }],
    });
    expect((await run.table('rejects')).map((r) => [r.table, r.reason])).toEqual([
      ['hosp.patients', 'unknown_code'],
    ]);
    expect(run.result.dropped['hosp.admissions']).toEqual({ parent_refused: 1 });
  });
});

describe('times', () => {
  it('rows far from their stay are dropped and counted, near ones stay (P15)', async () => {
    const far = ['2151-03-02 09:00:00', '2149-03-01 10:00:00', '2150-04-03 10:00:42', '2150-01-30 10:00:40'];
    const near = ['2150-04-03 10:00:41', '2150-01-30 10:00:41'];
    const run = await loadWith({
      'icu.chartevents': (rows) => [
        ...rows,
        ...[...far, ...near].map((charttime) => ({ ...HEART_RATE, charttime })),
      ],
    });
    expect(run.result.dropped['icu.chartevents']).toMatchObject({ far_charttime: 4 });
    expect((await run.table('chartevents')).map((r) => r.charttime)).toEqual(expect.arrayContaining(near));
    expect(await run.table('rejects')).toEqual([]);
  });

  it('intervals that end before they begin are rejected (mimic-code#1260)', async () => {
    const run = await loadWith({
      'icu.inputevents': (rows) => [...rows, { ...rows[0]!, orderid: 9, endtime: '2150-03-01 11:59:59' }],
    });
    expect(await run.table('rejects')).toMatchObject([
      {
        reason: 'negative_interval',
        field: 'endtime',
        got: '2150-03-01 11:59:59',
        expected: 'at or after 2150-03-01 12:00:00',
      },
    ]);
  });
});

describe('items', () => {
  const POTASSIUM = { label: 'Potassium', fluid: 'Blood', category: 'Chemistry' };

  it('a twin of a registry lab is refused row by row with a message (P21)', async () => {
    const run = await loadWith({
      'hosp.d_labitems': (rows) => [...rows, { itemid: 52610, ...POTASSIUM }],
      'hosp.labevents': (rows) => [...rows, { ...rows[0]!, labevent_id: 900, itemid: 52610 }],
    });
    expect(await run.table('rejects')).toMatchObject([
      {
        table: 'hosp.labevents',
        reason: 'itemid_moved',
        field: 'itemid',
        got: '52610',
        expected: 'itemid 50971 (Potassium, Blood, Chemistry)',
      },
    ]);
    expect(run.result.counts.itemid_moved).toBe(1);
  });

  it('a twin without rows, a kept-out twin and another fluid are no matter', async () => {
    const run = await loadWith({
      'hosp.d_labitems': (rows) => [
        ...rows,
        { itemid: 52610, ...POTASSIUM },
        { itemid: 52551, label: 'D-Dimer', fluid: 'Blood', category: 'Chemistry' },
        { itemid: 59999, ...POTASSIUM, fluid: 'Pleural' },
      ],
      'hosp.labevents': (rows) => [
        ...rows,
        { ...rows[0]!, labevent_id: 900, itemid: 52551 },
        { ...rows[0]!, labevent_id: 901, itemid: 59999, comments: 'not read' },
      ],
    });
    expect(await run.table('rejects')).toEqual([]);
    const labs = await run.table('labevents');
    expect(labs.find((r) => r.labevent_id === 901)).toMatchObject({
      value: null,
      comments: null,
      valuenum: 4.1,
    });
  });

  it('a lab that moved with most of its rows stops the build', async () => {
    const moved = (rows: Row[]): Row[] => [
      ...rows,
      ...Array.from({ length: 20 }, (_, i) => ({ ...rows[0]!, labevent_id: 900 + i, itemid: 52610 })),
    ];
    const change = {
      'hosp.d_labitems': (rows: Row[]) => [...rows, { itemid: 52610, ...POTASSIUM }],
      'hosp.labevents': moved,
    };
    await expect(loadWith(change, { max_reject_share: 1 })).rejects.toThrow(
      /lab Potassium has moved[\s\S]*20 rows of 52610, 3 rows of 50971[\s\S]*kept_out_items/,
    );
    await expect(loadWith(change, { max_reject_share: 1, max_rejects: 15 })).rejects.toThrow(
      /too many rows[\s\S]*20 itemid_moved in itemid[\s\S]*at most 15/,
    );
    const run = await loadWith(change, { kept_out_items: [52610] });
    expect(run.result.outputs.labevents!.rows).toBe(29);
    expect(run.result.counts.itemid_moved).toBe(0);
  });

  it('an item that means something else stops the build', async () => {
    const change = (table: MimicTable, itemid: number, to: Row, config: object = {}) =>
      loadWith(
        { [table]: (rows: Row[]) => rows.map((r) => (Number(r.itemid) === itemid ? { ...r, ...to } : r)) },
        config,
      );
    await change('hosp.d_labitems', 50971, { label: 'Kalium' }, { accepted_items: [50971] });
    await expect(change('hosp.d_labitems', 50971, { label: 'Kalium' })).rejects.toThrow(
      /50971: label Kalium, not Potassium/,
    );
    await expect(change('hosp.d_labitems', 50971, { fluid: 'Urine' })).rejects.toThrow(
      /50971: fluid Urine, not Blood/,
    );
    await expect(change('icu.d_items', 220045, { linksto: 'inputevents' })).rejects.toThrow(
      /220045: linksto inputevents, not chartevents/,
    );
    await change('icu.d_items', 220045, { label: 'Heart  rate (bpm)' });
  });

  it('lookups below the limit stop the build (MIMIC_IV_MEDS#61)', async () => {
    await expect(
      loadWith({ 'icu.outputevents': (rows) => rows.map((r) => ({ ...r, itemid: 50971 })) }),
    ).rejects.toThrow(/too few rows of outputevents find their entry[\s\S]*0 of 3[\s\S]*at least 95 %/);
    await expect(loadWith({ 'icu.d_items': (rows) => rows.slice(0, 5) })).rejects.toThrow(
      /dictionaries lack itemids[\s\S]*of 382/,
    );
  });

  it('the facts hold exactly the itemids that the registry reads', () => {
    const facts = parseCsv(readFileSync('raw/mimic/itemid-facts.csv', 'utf8'), 'itemid-facts.csv');
    const read = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8')).flatMap((f) => f.itemids);
    expect(new Set(facts.map((f) => Number(f.itemid)))).toEqual(new Set(read));
  });

  it('extra chart items are kept on demand', async () => {
    const row = { ...HEART_RATE, itemid: 227969 };
    const change = { 'icu.chartevents': (rows: Row[]) => [...rows, row] };
    const run = await loadWith(change);
    expect(run.result.dropped['icu.chartevents']).toMatchObject({ item_not_read: 1 });
    const kept = await loadWith(change, { extra_chart_items: [227969], min_match: 0.8 });
    expect(kept.result.dropped['icu.chartevents']).toMatchObject({ item_not_read: 0 });
  });
});
