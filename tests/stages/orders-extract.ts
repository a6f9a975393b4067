/** Small extracts with orders and notes for tests, and load-orders on top of load-mimic. */
import { join } from 'node:path';
import type { MimicTable } from '../../schemas/mimic-files.js';
import { loadOrders } from '../../stages/load-orders/stage.js';
import { LOADED } from '../../stages/load-orders/tables.js';
import { runStageOn, type StageRun, type TestInput } from '../support/stage.js';
import { type Extract, load, type Row, sampleExtract } from './mimic-extract.js';

const IDS = [1, 2, 3].map((i) => ({ subject_id: 10_000_000 + i, hadm_id: 20_000_000 + i }));

/** Fresh rows of the tables of load-orders, for the three admissions of `sampleExtract`. */
export function sampleOrders(): Extract {
  const note = (kind: string, i: number) => ({
    note_id: `${IDS[i]!.subject_id}-${kind}-${i}`,
    note_type: kind,
    note_seq: i,
  });
  return {
    'hosp.prescriptions': IDS.flatMap((id, i) => [
      order(i, { drug_type: 'MAIN', drug: 'Vancomycin', dose_val_rx: '1,000' }),
      order(i, {
        drug_type: 'BASE',
        drug: '0.9% Sodium Chloride',
        dose_val_rx: '250',
        poe_id: `${id.subject_id}-7`,
      }),
    ]),
    'hosp.pharmacy': IDS.map((id, i) => ({
      ...id,
      pharmacy_id: 500 + i,
      poe_id: `${id.subject_id}-7`,
      starttime: '2150-03-01 12:00:00',
      medication: 'Vancomycin',
      proc_type: 'IV Piggyback',
      status: 'Discontinued',
      entertime: '2150-03-01 11:20:00',
      frequency: 'Q12H',
    })),
    'hosp.poe': IDS.map(({ subject_id, hadm_id }, i) => ({
      poe_id: `${subject_id}-7`,
      poe_seq: 7,
      subject_id,
      hadm_id: i === 0 ? null : hadm_id,
      ordertime: '2150-03-01 11:20:41',
      order_type: 'Medications',
      transaction_type: 'New',
      order_status: 'Inactive',
    })),
    'hosp.emar': IDS.map((id, i) => ({
      ...id,
      emar_id: `${id.subject_id}-1`,
      emar_seq: 1,
      poe_id: `${id.subject_id}-7`,
      pharmacy_id: 500 + i,
      charttime: '2150-03-01 12:20:00',
      event_txt: 'Administered',
      storetime: '2150-03-01 12:21:00',
    })),
    'hosp.microbiologyevents': IDS.map(({ subject_id, hadm_id }, i) => ({
      microevent_id: i,
      subject_id,
      hadm_id: i === 0 ? null : hadm_id,
      micro_specimen_id: i,
      chartdate: '2150-03-01 00:00:00',
      charttime: i === 1 ? null : '2150-03-01 09:30:00',
      spec_itemid: 70012,
      test_seq: 1,
      test_itemid: 90201,
      dilution_value: i === 2 ? '0.5' : null,
      comments: 'NO GROWTH.  ',
    })),
    'hosp.d_icd_procedures': [{ icd_code: '3961', icd_version: 9, long_title: 'Extracorporeal circulation' }],
    'hosp.procedures_icd': IDS.map((id) => ({
      ...id,
      seq_num: 1,
      chartdate: '2150-03-02',
      icd_code: '3961',
      icd_version: 9,
    })),
    'hosp.transfers': IDS.map((id, i) => ({
      ...id,
      transfer_id: 100 + i,
      eventtype: 'admit',
      careunit: 'Medicine',
      intime: '2150-03-01 08:00:00',
    })),
    'note.discharge': IDS.map((id, i) => ({
      ...id,
      ...note('DS', i),
      charttime: '2150-03-09 00:00:00',
      text: 'Name:  ___\r\n \r\nAllergies: \nPenicillins / "Sulfa"\n\nChief Complaint:\nfever, ___',
    })),
    'note.radiology': IDS.map(({ subject_id, hadm_id }, i) => ({
      ...note('RR', i),
      subject_id,
      hadm_id: i === 0 ? null : hadm_id,
      charttime: '2150-03-01 10:00:00',
      storetime: '2150-03-01 15:00:00',
      text: 'FINDINGS: clear.\n',
    })),
    'note.radiology_detail': IDS.flatMap(({ subject_id }, i) =>
      ['exam_name', 'exam_code'].map((field_name) => ({
        note_id: note('RR', i).note_id,
        subject_id,
        field_name,
        field_value: 'CHEST',
        field_ordinal: 1,
      })),
    ),
  };
}

/** One prescription of admission `i` (from 0). */
export function order(i: number, more: Row = {}): Row {
  const { subject_id, hadm_id } = IDS[i]!;
  return {
    subject_id,
    hadm_id,
    pharmacy_id: 500 + i,
    poe_id: `${subject_id}-7`,
    poe_seq: 7,
    starttime: '2150-03-01 12:00:00',
    stoptime: '2150-03-02 12:00:00',
    drug_type: 'MAIN',
    drug: 'Vancomycin',
    dose_val_rx: '1000',
    dose_unit_rx: 'mg',
    doses_per_24_hrs: 2,
    route: 'IV',
    ...more,
  };
}

/** A whole small extract, some of its tables changed; null leaves a file out. */
export function extractWith(
  change: Partial<Record<MimicTable, ((rows: Row[]) => Row[]) | null>> = {},
): Extract {
  const extract = { ...sampleExtract(), ...sampleOrders() };
  for (const [table, f] of Object.entries(change)) {
    if (f) extract[table] = f(extract[table]!);
    else delete extract[table];
  }
  return extract;
}

/** Tables of a run as inputs of another. */
export const tablesOf = (run: StageRun, names: readonly string[]): Record<string, TestInput> =>
  Object.fromEntries(names.map((name) => [name, { parquet: join(run.dir, `${name}.parquet`) }]));

const FROM_LOAD_MIMIC = ['patients', 'admissions', 'refused_parents', 'load_report'];

/** load-mimic and then load-orders on a folder. */
export async function loadBoth(
  folder: string,
  options: { config?: object; workers?: number; mimic?: StageRun } = {},
): Promise<{ mimic: StageRun; orders: StageRun }> {
  const mimic = options.mimic ?? (await load(folder));
  const orders = await runStageOn(loadOrders, {
    inputs: { extract: { folder }, ...tablesOf(mimic, FROM_LOAD_MIMIC) },
    config: options.config ?? {},
    workers: options.workers ?? 1,
  });
  return { mimic, orders };
}

/** Hashes of the tables, which must not depend on the order or the packing of rows. */
export const orderContents = (run: StageRun): Record<string, string> =>
  Object.fromEntries(LOADED.map((t) => [t.name, run.result.outputs[t.name]!.sha256]));
