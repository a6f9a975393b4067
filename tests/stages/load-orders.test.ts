import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIMIC_FILES, type MimicTable } from '../../schemas/mimic-files.js';
import { sqlColumns } from '../../schemas/table.js';
import { LOADED } from '../../stages/load-orders/tables.js';
import { runStageOn } from '../support/stage.js';
import { load, type Row, writeExtract, writeFile } from './mimic-extract.js';
import { extractWith, loadBoth, order, orderContents } from './orders-extract.js';

const OPTIONAL: MimicTable[] = ['hosp.emar', 'note.discharge', 'note.radiology', 'note.radiology_detail'];

describe('the tables', () => {
  it('have the columns of the published files, under their names and types, and may be null where those may', () => {
    const TYPES = {
      integer: 'INTEGER',
      double: 'DOUBLE',
      timestamp: 'TIMESTAMP',
      date: 'DATE',
      text: 'VARCHAR',
    };
    for (const t of LOADED) {
      const published = new Map(MIMIC_FILES[t.source].columns.map((c) => [c.name, c]));
      for (const c of sqlColumns(t.schema)) {
        const p = published.get(c.name);
        expect([t.name, c.name, c.type]).toEqual([t.name, c.name, p && TYPES[p.type]]);
        const is_nullable = t.drop_missing?.includes(c.name) ? false : p!.is_nullable;
        expect([t.name, c.name, c.is_nullable]).toEqual([t.name, c.name, is_nullable]);
      }
    }
  });
});

describe('a sound extract', () => {
  it('is loaded whole, texts as they are, and accounted for', async () => {
    const extract = extractWith();
    const { orders } = await loadBoth(writeExtract(extract));
    expect(await orders.table('rejects')).toEqual([]);
    const report = await orders.table('orders_report');
    expect(report).toHaveLength(LOADED.length);
    for (const r of report) {
      expect(r.is_present).toBe(true);
      expect(r.records).toBe(extract[r.table as string]!.length);
      expect(r.loaded).toBe(
        (r.records as number) - (r.rejected as number) - (r.duplicates as number) - (r.dropped as number),
      );
    }
    expect((await orders.table('discharge'))[0]).toEqual({
      note_id: '10000001-DS-0',
      subject_id: 10_000_001,
      hadm_id: 20_000_001,
      note_type: 'DS',
      note_seq: 0,
      charttime: '2150-03-09 00:00:00',
      storetime: null,
      text: extract['note.discharge']![0]!.text,
    });
    expect(
      (await orders.table('microbiologyevents')).map((r) => [r.hadm_id, r.charttime, r.comments]),
    ).toEqual([
      [null, '2150-03-01 09:30:00', 'NO GROWTH.  '],
      [20_000_002, null, 'NO GROWTH.  '],
      [20_000_003, '2150-03-01 09:30:00', 'NO GROWTH.  '],
    ]);
    expect((await orders.table('radiology_detail')).map((r) => r.field_name)).toEqual(
      Array(3).fill('exam_name'),
    );
  });

  it('gives the same bytes with rows in any order, packed or not, by 1, 2 or 7 workers', async () => {
    const extract = extractWith({
      'hosp.prescriptions': (rows) => [
        ...rows,
        ...rows,
        order(0, { dose_val_rx: '2' }),
        order(1, { hadm_id: 1 }),
      ],
      'hosp.poe': (rows) => [...rows, { ...rows[0]!, order_type: 'Lab' }],
    });
    const folder = writeExtract(extract);
    const first = await loadBoth(folder);
    const expected = orderContents(first.orders);
    for (const workers of [2, 7])
      expect(orderContents((await loadBoth(folder, { workers, mimic: first.mimic })).orders)).toEqual(
        expected,
      );
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const mixed = Object.fromEntries(
          Object.entries(extract).map(([t, rows]) => [
            t,
            fc.sample(fc.shuffledSubarray(rows, { minLength: rows.length }), { numRuns: 1, seed })[0]!,
          ]),
        );
        const again = await loadBoth(writeExtract(mixed, { members: 2 }), { mimic: first.mimic });
        expect(orderContents(again.orders)).toEqual(expected);
      }),
      { numRuns: 3 },
    );
  });

  it('may lack administrations and notes: empty tables, and it is said', async () => {
    const all = await loadBoth(writeExtract(extractWith()));
    const change = Object.fromEntries(OPTIONAL.map((t) => [t, null]));
    const { orders } = await loadBoth(writeExtract(extractWith(change)));
    for (const r of await orders.table('orders_report')) {
      const is_present = !OPTIONAL.includes(r.table as MimicTable);
      expect(r).toMatchObject({ is_present, ...(is_present ? {} : { sha256: null, records: 0, loaded: 0 }) });
      expect(/^absent/.test(r.truncation_check as string)).toBe(!is_present);
    }
    for (const t of OPTIONAL) {
      expect(await orders.table(t.split('.')[1]!)).toEqual([]);
      expect(orders.result.counts[`absent.${t}`]).toBe(1);
    }
    expect(orders.result.counts.files_of_unknown_length).toBe(LOADED.length - OPTIONAL.length);
    const { emar, discharge, radiology, radiology_detail, ...others } = orderContents(all.orders);
    expect(orderContents(orders)).toMatchObject(others);
  });
});

describe('prescriptions', () => {
  const rx = (change: (rows: Row[]) => Row[], config: object = {}) =>
    loadBoth(writeExtract(extractWith({ 'hosp.prescriptions': change })), { config }).then((r) => r.orders);

  it('without a start or a drug are dropped and counted; a stop before the start, odd doses and names stay', async () => {
    const names = ['Sodium Chloride 0.9%  Flush', ' LORazepam ', 'lorazepam', 'aspirin'];
    const doses = ['1-2', '0.5-1', '25,000', '2000-8000'];
    const orders = await rx(() => [
      order(0, { pharmacy_id: 1, starttime: null }),
      order(0, { pharmacy_id: 2, drug: null }),
      order(0, { pharmacy_id: 3, drug: null, starttime: null }),
      ...names.map((drug, i) =>
        order(1, { pharmacy_id: 10 + i, drug, dose_val_rx: doses[i]!, stoptime: '2150-02-28 23:00:00' }),
      ),
    ]);
    expect(orders.result.dropped['hosp.prescriptions']).toEqual({ no_starttime: 2, no_drug: 1 });
    const rows = await orders.table('prescriptions');
    expect(rows.map((r) => [r.drug, r.dose_val_rx, r.stoptime])).toEqual(
      names.map((drug, i) => [drug, doses[i], '2150-02-28 23:00:00']),
    );
    const report = await orders.table('orders_report');
    expect(report.find((r) => r.table === 'hosp.prescriptions')).toMatchObject({
      records: 7,
      loaded: 4,
      dropped: 3,
      rejected: 0,
    });
  });

  it('an empty and a quoted empty field are both null (P73)', async () => {
    const root = writeExtract(extractWith());
    const path = join(root, 'hosp/prescriptions.csv');
    const [header, ...lines] = readFileSync(path, 'utf8').split('\n');
    const at = header!.split(',').indexOf('form_rx');
    const quote = (line: string): string =>
      line
        .split(',')
        .map((cell, i) => (i === at ? '""' : cell))
        .join(',');
    writeFile(path, [header, ...lines.map((l) => (l.includes('"') || l === '' ? l : quote(l)))].join('\n'));
    const { orders } = await loadBoth(root);
    expect(new Set((await orders.table('prescriptions')).map((r) => r.form_rx))).toEqual(new Set([null]));
  });

  it('that are malformed as well as without a drug end once, whichever is seen first', async () => {
    const orders = await rx(() => [
      order(0, { pharmacy_id: 1, starttime: 'noon', drug: null }),
      order(0, { pharmacy_id: 2, drug: null, doses_per_24_hrs: 'two' }),
    ]);
    expect((await orders.table('rejects')).map((r) => [r.where, r.reason])).toEqual([
      ['hosp/prescriptions.csv line 2', 'not_a_timestamp'],
    ]);
    expect(orders.result.dropped['hosp.prescriptions']).toEqual({ no_starttime: 0, no_drug: 1 });
  });

  it('of a refused admission go with it; too many orphans stop the build', async () => {
    const change = (hadm_id: number) => ({
      'hosp.admissions': (rows: Row[]) => [
        ...rows,
        { ...rows[0]!, hadm_id: 20_000_009, hospital_expire_flag: 7 },
      ],
      'hosp.prescriptions': (rows: Row[]) => [
        ...rows,
        ...Array.from({ length: 20 }, (_, i) => order(0, { pharmacy_id: 900 + i, hadm_id })),
      ],
    });
    const { orders } = await loadBoth(writeExtract(extractWith(change(20_000_009))));
    expect(orders.result.dropped['hosp.prescriptions']).toMatchObject({ parent_refused: 20 });
    await expect(loadBoth(writeExtract(extractWith(change(29_999_999))))).rejects.toThrow(
      /too many rows of hosp\.prescriptions[\s\S]*20 orphan_admission in hadm_id[\s\S]*at most 10/,
    );
  });
});

describe('rows that may name an admission', () => {
  it('need the patient, and the admission where they name one', async () => {
    const emar = (i: number, more: Row): Row => ({ emar_id: `x-${i}`, ...more });
    const { orders } = await loadBoth(
      writeExtract(
        extractWith({
          'hosp.emar': (rows) => [
            ...rows.map((r) => ({ ...r, hadm_id: null })),
            { ...rows[0]!, ...emar(1, { subject_id: 10_000_099, hadm_id: null }) },
            { ...rows[0]!, ...emar(2, { subject_id: 10_000_099 }) },
            { ...rows[0]!, ...emar(3, { hadm_id: 29_999_999 }) },
          ],
        }),
      ),
    );
    expect((await orders.table('emar')).map((r) => r.hadm_id)).toEqual([null, null, null]);
    const rejects = (await orders.table('rejects')).map((r) => [r.key, r.reason, r.field, r.got]);
    expect(rejects.sort()).toEqual([
      ['emar_id=x-1', 'orphan_subject', 'subject_id', '10000099'],
      ['emar_id=x-2', 'subject_mismatch', 'subject_id', '10000099'],
      ['emar_id=x-3', 'orphan_admission', 'hadm_id', '29999999'],
    ]);
  });
});

describe('a damaged extract stops the build', () => {
  it('when a file is cut', async () => {
    const root = writeExtract(extractWith(), { members: 1 });
    const path = join(root, 'note/discharge.csv.gz');
    const bytes = readFileSync(path);
    writeFile(path, bytes.subarray(0, bytes.length - 12));
    const whole = await load(writeExtract(extractWith()));
    await expect(loadBoth(root, { mimic: whole })).rejects.toThrow(/note\/discharge\.csv\.gz/);
  });

  it('when the release is known and a table has another number of rows', async () => {
    const folder = writeExtract(extractWith());
    const { mimic } = await loadBoth(folder);
    const [report] = await mimic.table('load_report');
    const { loadOrders } = await import('../../stages/load-orders/stage.js');
    const inputs = {
      extract: { folder },
      patients: { parquet: join(mimic.dir, 'patients.parquet') },
      admissions: { parquet: join(mimic.dir, 'admissions.parquet') },
      refused_parents: [],
    };
    const told = (version_source: string, mimic_version = '3.1') => ({
      inputs: { ...inputs, load_report: [{ ...report!, mimic_version, version_source }] },
    });
    await expect(runStageOn(loadOrders, told('row counts'))).rejects.toThrow(
      /looks like MIMIC-IV 3\.1[\s\S]*hosp\.prescriptions 6[\s\S]*hosp\.prescriptions 20292611/,
    );
    await runStageOn(loadOrders, told('config'));
    await runStageOn(loadOrders, told('vocabulary', '3.x'));
    await expect(runStageOn(loadOrders, { inputs: { ...inputs, load_report: [] } })).rejects.toThrow(
      /release of the extract is not told/,
    );
  });
});
