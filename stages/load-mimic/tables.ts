/** Which files are read, in which order, and what each row is checked against. */
import * as mimic from '../../schemas/mimic.js';
import { ADMISSION, type LoadedTable, type ParentCheck, SUBJECT } from '../lib/load/tables.js';
import type { LoadMimicConfig } from './config.js';

/** The stay has to exist with the same patient and admission. */
const STAY: ParentCheck = {
  sql: 'stages/load-mimic/stay.sql',
  drops: ['parent_refused', 'far_charttime'],
};
/** The patient has to exist, and no registry lab may have moved to another itemid. */
const LAB: ParentCheck = { sql: 'stages/load-mimic/lab.sql', drops: ['parent_refused'] };

const INTEGER_TEXT = '0|-?[1-9][0-9]*';
/** Text that cannot be the id it should be is kept, so that it is rejected by name and not dropped in silence. */
const malformed = (column: string): string =>
  `${column} is null or not regexp_full_match(${column}, '${INTEGER_TEXT}')`;

/** Parents before children. */
export const LOADED: readonly LoadedTable[] = [
  { name: 'patients', source: 'hosp.patients', schema: mimic.patients, is_parent: true },
  {
    name: 'admissions',
    source: 'hosp.admissions',
    schema: mimic.admissions,
    parent: SUBJECT,
    is_parent: true,
  },
  { name: 'icustays', source: 'icu.icustays', schema: mimic.icustays, parent: ADMISSION, is_parent: true },
  { name: 'services', source: 'hosp.services', schema: mimic.services, parent: ADMISSION },
  {
    name: 'd_icd_diagnoses',
    source: 'hosp.d_icd_diagnoses',
    schema: mimic.dIcdDiagnoses,
    trim: ['icd_code'],
  },
  {
    name: 'diagnoses_icd',
    source: 'hosp.diagnoses_icd',
    schema: mimic.diagnosesIcd,
    parent: ADMISSION,
    trim: ['icd_code'],
  },
  { name: 'd_items', source: 'icu.d_items', schema: mimic.dItems },
  { name: 'd_labitems', source: 'hosp.d_labitems', schema: mimic.dLabitems },
  {
    name: 'labevents',
    source: 'hosp.labevents',
    schema: mimic.labevents,
    parent: LAB,
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
    parent: STAY,
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
    parent: STAY,
    time: 'starttime',
  },
  {
    name: 'outputevents',
    source: 'icu.outputevents',
    schema: mimic.outputevents,
    parent: STAY,
    time: 'charttime',
  },
  {
    name: 'procedureevents',
    source: 'icu.procedureevents',
    schema: mimic.procedureevents,
    parent: STAY,
    time: 'starttime',
  },
  {
    name: 'omr',
    source: 'hosp.omr',
    schema: mimic.omr,
    parent: SUBJECT,
    filter: {
      reason: 'result_not_read',
      keep: () => `result_name is null or regexp_matches(result_name, '^(Height|Weight|BMI)')`,
    },
  },
];

/** The tables with the labs that the config asks for. */
export function tablesFor(config: LoadMimicConfig): LoadedTable[] {
  return LOADED.map((t) => {
    if (t.name !== 'labevents') return t;
    const { filter, blank, ...rest } = t;
    return {
      ...rest,
      ...(config.lab_patients === 'icu' && filter ? { filter } : {}),
      ...(config.lab_texts === 'registry' && blank ? { blank } : {}),
    };
  });
}
