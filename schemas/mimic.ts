/** MIMIC-IV tables as the pipeline keeps them: MIMIC's own names, only the columns that are used. */
import { col, table } from './table.js';

export const patients = table({
  name: 'patients',
  doc: 'hosp.patients',
  key: ['subject_id'],
  row: {
    subject_id: col.int(),
    gender: col.text(),
    anchor_age: col.int(),
    anchor_year: col.int(),
    anchor_year_group: col.text(),
    dod: col.date().nullable(),
  },
});

export const admissions = table({
  name: 'admissions',
  doc: 'hosp.admissions',
  key: ['hadm_id'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    admittime: col.timestamp(),
    dischtime: col.timestamp().nullable(),
    deathtime: col.timestamp().nullable(),
    admission_type: col.text(),
    admission_location: col.text().nullable(),
    discharge_location: col.text().nullable(),
    insurance: col.text().nullable(),
    language: col.text().nullable(),
    marital_status: col.text().nullable(),
    race: col.text().nullable(),
    edregtime: col.timestamp().nullable(),
    edouttime: col.timestamp().nullable(),
    hospital_expire_flag: col.int(),
  },
});

export const icustays = table({
  name: 'icustays',
  doc: 'icu.icustays',
  key: ['stay_id'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    stay_id: col.int(),
    first_careunit: col.text(),
    last_careunit: col.text(),
    intime: col.timestamp(),
    outtime: col.timestamp().nullable(),
    los: col.double().nullable(),
  },
});

export const services = table({
  name: 'services',
  doc: 'hosp.services',
  key: 'all',
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    transfertime: col.timestamp(),
    prev_service: col.text().nullable(),
    curr_service: col.text(),
  },
});

export const diagnosesIcd = table({
  name: 'diagnoses_icd',
  doc: 'hosp.diagnoses_icd; icd_code is trimmed text, never a number',
  key: ['hadm_id', 'seq_num'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    seq_num: col.int(),
    icd_code: col.text(),
    icd_version: col.int(),
  },
});

export const dIcdDiagnoses = table({
  name: 'd_icd_diagnoses',
  doc: 'hosp.d_icd_diagnoses',
  key: ['icd_version', 'icd_code'],
  row: { icd_code: col.text(), icd_version: col.int(), long_title: col.text().nullable() },
});

export const dItems = table({
  name: 'd_items',
  doc: 'icu.d_items',
  key: ['itemid'],
  row: {
    itemid: col.int(),
    label: col.text().nullable(),
    abbreviation: col.text().nullable(),
    linksto: col.text(),
    category: col.text().nullable(),
    unitname: col.text().nullable(),
    param_type: col.text().nullable(),
  },
});

export const dLabitems = table({
  name: 'd_labitems',
  doc: 'hosp.d_labitems',
  key: ['itemid'],
  row: {
    itemid: col.int(),
    label: col.text().nullable(),
    fluid: col.text().nullable(),
    category: col.text().nullable(),
  },
});

export const labevents = table({
  name: 'labevents',
  doc: 'hosp.labevents; unless asked for, only of subjects with an ICU stay, and value and comments only for itemids that a feature reads',
  key: ['labevent_id'],
  row: {
    labevent_id: col.int(),
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    specimen_id: col.int(),
    itemid: col.int(),
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    value: col.text().nullable(),
    valuenum: col.double().nullable(),
    valueuom: col.text().nullable(),
    ref_range_lower: col.double().nullable(),
    ref_range_upper: col.double().nullable(),
    flag: col.text().nullable(),
    comments: col.text().nullable(),
  },
});

export const chartevents = table({
  name: 'chartevents',
  doc: 'icu.chartevents of the itemids that a feature reads, exact duplicates collapsed',
  key: 'all',
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    stay_id: col.int(),
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    itemid: col.int(),
    value: col.text().nullable(),
    valuenum: col.double().nullable(),
    valueuom: col.text().nullable(),
  },
});

export const inputevents = table({
  name: 'inputevents',
  doc: 'icu.inputevents, exact duplicates collapsed',
  key: 'all',
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    stay_id: col.int(),
    starttime: col.timestamp(),
    endtime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    itemid: col.int(),
    amount: col.double().nullable(),
    amountuom: col.text().nullable(),
    rate: col.double().nullable(),
    rateuom: col.text().nullable(),
    orderid: col.int(),
    linkorderid: col.int(),
    ordercategoryname: col.text(),
    secondaryordercategoryname: col.text().nullable(),
    ordercomponenttypedescription: col.text().nullable(),
    ordercategorydescription: col.text(),
    patientweight: col.double().nullable(),
    totalamount: col.double().nullable(),
    totalamountuom: col.text().nullable(),
    statusdescription: col.text(),
    originalamount: col.double().nullable(),
    originalrate: col.double().nullable(),
  },
});

export const outputevents = table({
  name: 'outputevents',
  doc: 'icu.outputevents, exact duplicates collapsed',
  key: 'all',
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    stay_id: col.int(),
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    itemid: col.int(),
    value: col.double().nullable(),
    valueuom: col.text().nullable(),
  },
});

export const procedureevents = table({
  name: 'procedureevents',
  doc: 'icu.procedureevents, exact duplicates collapsed',
  key: 'all',
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    stay_id: col.int(),
    starttime: col.timestamp(),
    endtime: col.timestamp().nullable(),
    storetime: col.timestamp().nullable(),
    itemid: col.int(),
    value: col.double().nullable(),
    valueuom: col.text().nullable(),
    orderid: col.int(),
    linkorderid: col.int(),
    ordercategoryname: col.text().nullable(),
    ordercategorydescription: col.text().nullable(),
    statusdescription: col.text(),
  },
});

export const omr = table({
  name: 'omr',
  doc: 'hosp.omr, the results that a feature falls back to (height, weight, BMI)',
  key: ['subject_id', 'chartdate', 'seq_num', 'result_name'],
  row: {
    subject_id: col.int(),
    chartdate: col.date(),
    seq_num: col.int(),
    result_name: col.text(),
    result_value: col.text().nullable(),
  },
});

/** What happened to every file of the extract. */
export const loadReport = table({
  name: 'load_report',
  doc: 'one row per loaded file: records = loaded + rejected + duplicates + dropped',
  key: ['table'],
  row: {
    table: col.text(),
    sha256: col.text(),
    bytes: col.bigint(),
    records: col.bigint(),
    loaded: col.bigint(),
    rejected: col.bigint(),
    duplicates: col.bigint(),
    dropped: col.bigint(),
    truncation_check: col.text(),
    mimic_version: col.text(),
    version_source: col.text(),
  },
});

/** Patients, admissions and stays that were refused: what belongs to them is no orphan. */
export const refusedParents = table({
  name: 'refused_parents',
  doc: 'ids of hosp.patients, hosp.admissions and icu.icustays whose rows did not get through',
  key: ['table', 'id'],
  row: { table: col.text(), id: col.text() },
});
