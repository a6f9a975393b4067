/** Which files are read, in which order, and what each row is checked against. */
import * as mimic from '../../schemas/mimic.js';
import type { MimicTable } from '../../schemas/mimic-files.js';
import type { Table } from '../../schemas/table.js';

/** Where the parent of a row is looked up; one SQL file each in this folder. */
export type Parent = 'none' | 'subject' | 'admission' | 'stay' | 'lab';

export interface LoadedTable {
  /** Output name. */
  readonly name: string;
  /** Name in the extract: `hosp.patients` is `hosp/patients.csv` or `hosp/patients.csv.gz`. */
  readonly source: MimicTable;
  readonly schema: Table;
  readonly parent: Parent;
  /** Column that says when a row happened (rows tied to a stay). */
  readonly time?: string;
  /** Reason for rows that are left out unread, and which rows are kept. */
  readonly filter?: { readonly reason: string; readonly keep: Condition };
  /** Columns whose text is trimmed: ICD codes are padded to seven characters in some releases. */
  readonly trim?: readonly string[];
  /** Columns that hold null unless the condition is true. */
  readonly blank?: { readonly columns: readonly string[]; readonly unless: Condition };
}

/**
 * An SQL condition over the text columns; `items` is a pattern of the itemids that the registry reads from the table. No
 * subquery may stand in it: DuckDB would join, and rows of a join are not in file order.
 */
export type Condition = (items: string) => string;

const INTEGER_TEXT = '0|-?[1-9][0-9]*';
/** Text that cannot be the id it should be is kept, so that it is rejected by name and not dropped in silence. */
const malformed = (column: string): string =>
  `${column} is null or not regexp_full_match(${column}, '${INTEGER_TEXT}')`;

/** Parents before children. */
export const LOADED: readonly LoadedTable[] = [
  { name: 'patients', source: 'hosp.patients', schema: mimic.patients, parent: 'none' },
  { name: 'admissions', source: 'hosp.admissions', schema: mimic.admissions, parent: 'subject' },
  { name: 'icustays', source: 'icu.icustays', schema: mimic.icustays, parent: 'admission' },
  { name: 'services', source: 'hosp.services', schema: mimic.services, parent: 'admission' },
  {
    name: 'd_icd_diagnoses',
    source: 'hosp.d_icd_diagnoses',
    schema: mimic.dIcdDiagnoses,
    parent: 'none',
    trim: ['icd_code'],
  },
  {
    name: 'diagnoses_icd',
    source: 'hosp.diagnoses_icd',
    schema: mimic.diagnosesIcd,
    parent: 'admission',
    trim: ['icd_code'],
  },
  { name: 'd_items', source: 'icu.d_items', schema: mimic.dItems, parent: 'none' },
  { name: 'd_labitems', source: 'hosp.d_labitems', schema: mimic.dLabitems, parent: 'none' },
  {
    name: 'labevents',
    source: 'hosp.labevents',
    schema: mimic.labevents,
    parent: 'lab',
    filter: {
      reason: 'no_icu_stay',
      keep: () => `try_cast(subject_id as icu_subjects) is not null or ${malformed('subject_id')}`,
    },
    blank: {
      columns: ['value', 'comments'],
      unless: (items) => `regexp_full_match(itemid, '${items}')`,
    },
  },
  {
    name: 'chartevents',
    source: 'icu.chartevents',
    schema: mimic.chartevents,
    parent: 'stay',
    time: 'charttime',
    filter: {
      reason: 'item_not_read',
      keep: (items) => `regexp_full_match(itemid, '${items}') or ${malformed('itemid')}`,
    },
  },
  {
    name: 'inputevents',
    source: 'icu.inputevents',
    schema: mimic.inputevents,
    parent: 'stay',
    time: 'starttime',
  },
  {
    name: 'outputevents',
    source: 'icu.outputevents',
    schema: mimic.outputevents,
    parent: 'stay',
    time: 'charttime',
  },
  {
    name: 'procedureevents',
    source: 'icu.procedureevents',
    schema: mimic.procedureevents,
    parent: 'stay',
    time: 'starttime',
  },
  {
    name: 'omr',
    source: 'hosp.omr',
    schema: mimic.omr,
    parent: 'subject',
    filter: {
      reason: 'result_not_read',
      keep: () => `result_name is null or regexp_matches(result_name, '^(Height|Weight|BMI)')`,
    },
  },
];

/** Every reason for which a row of a table may be left out on purpose. */
export function dropReasons(t: LoadedTable): string[] {
  const parents: Record<Parent, string[]> = {
    none: [],
    subject: ['parent_refused'],
    admission: ['parent_refused'],
    stay: ['parent_refused', 'far_charttime'],
    lab: [],
  };
  return ['duplicate', ...(t.filter ? [t.filter.reason] : []), ...parents[t.parent]];
}
