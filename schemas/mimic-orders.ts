/**
 * Orders, cultures, procedures, movements and notes of MIMIC-IV as the pipeline keeps them: MIMIC's own names. Left out
 * are the pseudonyms of staff and, where a table says so, columns that nothing reads.
 */
import { col, table } from './table.js';

export const prescriptions = table({
  name: 'prescriptions',
  doc: 'hosp.prescriptions; doses are text as they were written ("1-2", "25,000")',
  key: ['pharmacy_id', 'drug_type', 'drug'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    pharmacy_id: col.int(),
    poe_id: col.text().nullable(),
    poe_seq: col.int().nullable(),
    starttime: col.timestamp(),
    stoptime: col.timestamp().nullable(),
    drug_type: col.text(),
    drug: col.text(),
    formulary_drug_cd: col.text().nullable(),
    gsn: col.text().nullable(),
    ndc: col.text().nullable(),
    prod_strength: col.text().nullable(),
    form_rx: col.text().nullable(),
    dose_val_rx: col.text().nullable(),
    dose_unit_rx: col.text().nullable(),
    form_val_disp: col.text().nullable(),
    form_unit_disp: col.text().nullable(),
    doses_per_24_hrs: col.double().nullable(),
    route: col.text().nullable(),
  },
});

export const pharmacy = table({
  name: 'pharmacy',
  doc: 'hosp.pharmacy: how the pharmacy filled an order (without pump settings, expiry and fill)',
  key: ['pharmacy_id'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    pharmacy_id: col.int(),
    poe_id: col.text().nullable(),
    starttime: col.timestamp().nullable(),
    stoptime: col.timestamp().nullable(),
    medication: col.text().nullable(),
    proc_type: col.text(),
    status: col.text(),
    entertime: col.timestamp(),
    verifiedtime: col.timestamp().nullable(),
    route: col.text().nullable(),
    frequency: col.text().nullable(),
    disp_sched: col.text().nullable(),
    infusion_type: col.text().nullable(),
    sliding_scale: col.text().nullable(),
    doses_per_24_hrs: col.double().nullable(),
    duration: col.double().nullable(),
    duration_interval: col.text().nullable(),
  },
});

export const poe = table({
  name: 'poe',
  doc: 'hosp.poe: every order of the order entry system',
  key: ['poe_id'],
  row: {
    poe_id: col.text(),
    poe_seq: col.int(),
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    ordertime: col.timestamp(),
    order_type: col.text(),
    order_subtype: col.text().nullable(),
    transaction_type: col.text().nullable(),
    discontinue_of_poe_id: col.text().nullable(),
    discontinued_by_poe_id: col.text().nullable(),
    order_status: col.text().nullable(),
  },
});

export const emar = table({
  name: 'emar',
  doc: 'hosp.emar: administrations; rolled out by unit from 2011 on, so many admissions have none (P58)',
  key: ['emar_id'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    emar_id: col.text(),
    emar_seq: col.int(),
    poe_id: col.text(),
    pharmacy_id: col.int().nullable(),
    charttime: col.timestamp(),
    medication: col.text().nullable(),
    event_txt: col.text().nullable(),
    scheduletime: col.timestamp().nullable(),
    storetime: col.timestamp(),
  },
});

export const microbiologyevents = table({
  name: 'microbiologyevents',
  doc: 'hosp.microbiologyevents; charttime is null where only the date of the draw is known (P49)',
  key: ['microevent_id'],
  row: {
    microevent_id: col.int(),
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    micro_specimen_id: col.int(),
    chartdate: col.timestamp(),
    charttime: col.timestamp().nullable(),
    spec_itemid: col.int(),
    spec_type_desc: col.text().nullable(),
    test_seq: col.int(),
    storedate: col.timestamp().nullable(),
    storetime: col.timestamp().nullable(),
    test_itemid: col.int().nullable(),
    test_name: col.text().nullable(),
    org_itemid: col.int().nullable(),
    org_name: col.text().nullable(),
    isolate_num: col.int().nullable(),
    quantity: col.text().nullable(),
    ab_itemid: col.int().nullable(),
    ab_name: col.text().nullable(),
    dilution_text: col.text().nullable(),
    dilution_comparison: col.text().nullable(),
    dilution_value: col.double().nullable(),
    interpretation: col.text().nullable(),
    comments: col.text().nullable(),
  },
});

export const proceduresIcd = table({
  name: 'procedures_icd',
  doc: 'hosp.procedures_icd; chartdate is a date, known from its end (P16); icd_code is trimmed text',
  key: ['hadm_id', 'seq_num'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int(),
    seq_num: col.int(),
    chartdate: col.date(),
    icd_code: col.text(),
    icd_version: col.int(),
  },
});

export const dIcdProcedures = table({
  name: 'd_icd_procedures',
  doc: 'hosp.d_icd_procedures',
  key: ['icd_version', 'icd_code'],
  row: { icd_code: col.text(), icd_version: col.int(), long_title: col.text().nullable() },
});

export const transfers = table({
  name: 'transfers',
  doc: 'hosp.transfers; hadm_id is null for visits to the emergency department only',
  key: ['transfer_id'],
  row: {
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    transfer_id: col.int(),
    eventtype: col.text(),
    careunit: col.text().nullable(),
    intime: col.timestamp(),
    outtime: col.timestamp().nullable(),
  },
});

export const discharge = table({
  name: 'discharge',
  doc: 'note.discharge: discharge summaries (DS) and their addenda (AD); charttime is a day, not a time (P67)',
  key: ['note_id'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int(),
    note_type: col.text(),
    note_seq: col.int(),
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    text: col.text(),
  },
});

export const radiology = table({
  name: 'radiology',
  doc: 'note.radiology: reports (RR) and addenda (AR); charttime is the exam, storetime the reading (P71)',
  key: ['note_id'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    hadm_id: col.int().nullable(),
    note_type: col.text(),
    note_seq: col.int(),
    charttime: col.timestamp(),
    storetime: col.timestamp().nullable(),
    text: col.text(),
  },
});

export const radiologyDetail = table({
  name: 'radiology_detail',
  doc: 'note.radiology_detail: names of the exam, and which report an addendum belongs to',
  key: ['note_id', 'field_name', 'field_ordinal'],
  row: {
    note_id: col.text(),
    subject_id: col.int(),
    field_name: col.text(),
    field_value: col.text().nullable(),
    field_ordinal: col.int(),
  },
});

/** What happened to every file with orders and notes, those that the extract lacks included. */
export const ordersReport = table({
  name: 'orders_report',
  doc: 'one row per table of load-orders: records = loaded + rejected + duplicates + dropped',
  key: ['table'],
  row: {
    table: col.text(),
    is_present: col.bool(),
    sha256: col.text().nullable(),
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
