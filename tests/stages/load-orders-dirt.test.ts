/** The faults planted in orders, cultures and reports of the synthetic extract: load-orders drops or keeps each as it should. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { type CsvRecord, parseCsv } from '../../stages/lib/csv.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { loadBoth } from './orders-extract.js';

const part = (record: CsvRecord, name: string): string | undefined =>
  new RegExp(`(?:^|;)${name}=([^;]*)`).exec(record.key!)?.[1];

describe('the planted faults', () => {
  let orders: StageRun;
  let ledger: CsvRecord[];
  const tables = new Map<string, Map<string, SqlRow[]>>();
  const listed = (id: string): CsvRecord[] => ledger.filter((r) => r.dirty_id === id);
  const planted = (id: string): CsvRecord[] => {
    const found = listed(id);
    expect(found.length, `${id} is planted`).toBeGreaterThan(0);
    return found;
  };
  const rowsOf = (fault: CsvRecord, key: string): SqlRow[] =>
    tables.get(fault.table!.split('.')[1]!)!.get(part(fault, key)!) ?? [];

  beforeAll(async () => {
    const made = await runStageOn(synthMimic, { config: { stays: 400 }, workers: 2 });
    ledger = parseCsv(readFileSync(join(made.dir, 'truth/dirty_ledger.csv'), 'utf8'), 'dirty_ledger.csv');
    ({ orders } = await loadBoth(join(made.dir, 'extract')));
    for (const [name, key] of [
      ['prescriptions', 'pharmacy_id'],
      ['microbiologyevents', 'micro_specimen_id'],
      ['radiology', 'note_id'],
      ['radiology_detail', 'note_id'],
    ] as const) {
      const index = new Map<string, SqlRow[]>();
      for (const row of await orders.table(name)) {
        const id = String(row[key]);
        index.set(id, [...(index.get(id) ?? []), row]);
      }
      tables.set(name, index);
    }
  });

  it('nothing is rejected, and every file is whole by its hash', async () => {
    expect(await orders.table('rejects')).toEqual([]);
    for (const r of await orders.table('orders_report'))
      expect(r).toMatchObject({ is_present: true, truncation_check: 'sha256', duplicates: 0 });
  });

  it('D63, D67: orders without a start or a drug are dropped and counted', () => {
    expect(orders.result.dropped['hosp.prescriptions']).toEqual({
      no_starttime: listed('D63').length,
      no_drug: listed('D67').length,
    });
    for (const fault of [...listed('D63'), ...listed('D67')])
      expect(rowsOf(fault, 'pharmacy_id').filter((r) => r.drug_type === part(fault, 'drug_type'))).toEqual(
        [],
      );
  });

  it('D61, D65, D66, D70, D90: odd stops, doses, names, routes and empty fields stay as they are', () => {
    for (const fault of ['D61', 'D65', 'D66', 'D70', 'D90'].flatMap(listed)) {
      const column = fault.column!;
      const found = rowsOf(fault, 'pharmacy_id').filter((r) => r.drug_type === part(fault, 'drug_type'));
      expect(found.map((r) => r[column] ?? '')).toContain(fault.dirty_value);
    }
  });

  it('D64: cultures with a date only keep it, without a time', () => {
    for (const fault of planted('D64')) {
      const found = rowsOf(fault, 'micro_specimen_id').filter((r) => r.charttime === null);
      expect(found.length).toBeGreaterThan(0);
      for (const row of found) expect(row.chartdate).toBe(`${fault.clean_value!.slice(0, 10)} 00:00:00`);
    }
  });

  it('D85: reports without an admission are kept under their patient', () => {
    for (const fault of planted('D85'))
      expect(rowsOf(fault, 'note_id')).toMatchObject([
        { hadm_id: null, subject_id: Number(fault.subject_id) },
      ]);
  });

  it('D86: addenda know their report', () => {
    for (const fault of planted('D86')) {
      const [row] = rowsOf(fault, 'note_id');
      expect(row).toMatchObject({ note_type: 'AR', storetime: fault.dirty_value });
      const parents = tables.get('radiology_detail')!.get(String(row!.note_id))!;
      const parent = parents.find((d) => d.field_name === 'parent_note_id')!.field_value;
      expect(tables.get('radiology')!.get(String(parent))).toMatchObject([{ note_type: 'RR' }]);
    }
  });
});
