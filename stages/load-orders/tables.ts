/** Which files are read, in which order, and what each row is checked against. */
import * as orders from '../../schemas/mimic-orders.js';
import { ADMISSION, ENCOUNTER, type LoadedTable, type ParentCheck } from '../lib/load/tables.js';

/** The report has to be in note.radiology with the same patient. */
const REPORT: ParentCheck = { sql: 'stages/load-orders/report.sql', drops: ['parent_refused'] };

/** Fields of note.radiology_detail that are kept; the others are codes of exams. */
const DETAIL_FIELDS = ['exam_name', 'parent_note_id', 'addendum_note_id'];

/** Parents before children. Administrations and notes came later or apart, so an extract may lack them. */
export const LOADED: readonly LoadedTable[] = [
  {
    name: 'prescriptions',
    source: 'hosp.prescriptions',
    schema: orders.prescriptions,
    parent: ADMISSION,
    drop_missing: ['starttime', 'drug'],
  },
  { name: 'pharmacy', source: 'hosp.pharmacy', schema: orders.pharmacy, parent: ADMISSION },
  { name: 'poe', source: 'hosp.poe', schema: orders.poe, parent: ENCOUNTER },
  { name: 'emar', source: 'hosp.emar', schema: orders.emar, parent: ENCOUNTER, is_optional: true },
  {
    name: 'microbiologyevents',
    source: 'hosp.microbiologyevents',
    schema: orders.microbiologyevents,
    parent: ENCOUNTER,
  },
  {
    name: 'd_icd_procedures',
    source: 'hosp.d_icd_procedures',
    schema: orders.dIcdProcedures,
    trim: ['icd_code'],
  },
  {
    name: 'procedures_icd',
    source: 'hosp.procedures_icd',
    schema: orders.proceduresIcd,
    parent: ADMISSION,
    trim: ['icd_code'],
  },
  { name: 'transfers', source: 'hosp.transfers', schema: orders.transfers, parent: ENCOUNTER },
  {
    name: 'discharge',
    source: 'note.discharge',
    schema: orders.discharge,
    parent: ADMISSION,
    is_optional: true,
  },
  {
    name: 'radiology',
    source: 'note.radiology',
    schema: orders.radiology,
    parent: ENCOUNTER,
    is_parent: true,
    is_optional: true,
  },
  {
    name: 'radiology_detail',
    source: 'note.radiology_detail',
    schema: orders.radiologyDetail,
    parent: REPORT,
    is_optional: true,
    filter: {
      reason: 'field_not_read',
      keep: () => `field_name is null or field_name in (${DETAIL_FIELDS.map((f) => `'${f}'`).join(', ')})`,
    },
  },
];
