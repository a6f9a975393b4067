/** Declaration of load-orders. */
import { LOCK_FILE } from '../../schemas/lock.js';
import { admissions, loadReport, patients, refusedParents } from '../../schemas/mimic.js';
import { ordersReport } from '../../schemas/mimic-orders.js';
import { defineStage } from '../contract.js';
import { checkFiles, dropReasons } from '../lib/load/tables.js';
import { LoadOrdersConfig } from './config.js';
import { run } from './run.js';
import { LOADED } from './tables.js';

export const loadOrders = defineStage<LoadOrdersConfig>({
  name: 'load-orders',
  version: 1,
  summary:
    'reads orders, cultures, procedures, movements and notes of the extract into checked, typed tables',
  inputs: {
    extract: { kind: 'folder', doc: 'hosp/ and note/ of a MIMIC-IV release, as csv or csv.gz' },
    patients,
    admissions,
    refused_parents: refusedParents,
    load_report: loadReport,
  },
  outputs: { ...Object.fromEntries(LOADED.map((t) => [t.name, t.schema])), orders_report: ordersReport },
  config: LoadOrdersConfig,
  files: [LOCK_FILE, ...checkFiles(LOADED)],
  conserve: LOADED.map((t) => ({ input: t.source, output: t.name, drops: dropReasons(t) })),
  audits: [
    {
      name: 'orders, procedures and discharge notes belong to an admission of their patient',
      sql: ['prescriptions', 'pharmacy', 'procedures_icd', 'discharge']
        .map((t) => `select hadm_id from ${t} anti join admissions using (hadm_id, subject_id)`)
        .join(' union all '),
    },
    {
      name: 'rows that name an admission name one of their patient',
      sql: ['poe', 'emar', 'microbiologyevents', 'transfers', 'radiology']
        .map(
          (t) =>
            `select hadm_id from ${t} anti join admissions using (hadm_id, subject_id) where hadm_id is not null`,
        )
        .join(' union all '),
    },
    {
      name: 'details belong to a loaded report',
      sql: 'select note_id from radiology_detail anti join radiology using (note_id, subject_id)',
    },
  ],
  // The limit is per file and configurable, and holds before the rejects are collected (max_reject_share).
  rejectLimit: 1,
  run,
});
