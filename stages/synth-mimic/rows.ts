/** Rows as the generator holds them: MIMIC's column names; times are seconds, dates day numbers until they are written. */

export type Cell = string | number | null;
export type Row = Record<string, Cell>;

export type AdmissionRow = {
  subject_id: number;
  hadm_id: number;
  admittime: number;
  dischtime: number;
  deathtime: number | null;
  admission_type: string;
  admit_provider_id: string;
  admission_location: string;
  discharge_location: string | null;
  insurance: string | null;
  language: string | null;
  marital_status: string | null;
  race: string;
  edregtime: number | null;
  edouttime: number | null;
  hospital_expire_flag: number;
};

export type StayRow = {
  subject_id: number;
  hadm_id: number;
  stay_id: number;
  first_careunit: string;
  last_careunit: string;
  intime: number;
  outtime: number;
  los: number;
};

export type DiagnosisRow = {
  subject_id: number;
  hadm_id: number;
  seq_num: number;
  icd_code: string;
  icd_version: number;
};

export type LabRow = {
  labevent_id: number;
  subject_id: number;
  hadm_id: number | null;
  specimen_id: number;
  itemid: number;
  order_provider_id: string | null;
  charttime: number;
  storetime: number | null;
  value: string | null;
  valuenum: number | null;
  valueuom: string | null;
  ref_range_lower: number | null;
  ref_range_upper: number | null;
  flag: string | null;
  priority: string | null;
  comments: string | null;
};

export type ChartRow = {
  subject_id: number;
  hadm_id: number;
  stay_id: number;
  caregiver_id: number;
  charttime: number;
  storetime: number;
  itemid: number;
  value: string | null;
  valuenum: number | null;
  valueuom: string | null;
  warning: number;
};

export type InputRow = {
  subject_id: number;
  hadm_id: number;
  stay_id: number;
  caregiver_id: number;
  starttime: number;
  endtime: number;
  storetime: number;
  itemid: number;
  amount: number;
  amountuom: string;
  rate: number | null;
  rateuom: string | null;
  orderid: number;
  linkorderid: number;
  ordercategoryname: string;
  secondaryordercategoryname: string | null;
  ordercomponenttypedescription: string;
  ordercategorydescription: string;
  patientweight: number;
  totalamount: number | null;
  totalamountuom: string | null;
  isopenbag: number;
  continueinnextdept: number;
  statusdescription: string;
  originalamount: number;
  originalrate: number;
};

export type OutputRow = {
  subject_id: number;
  hadm_id: number;
  stay_id: number;
  caregiver_id: number;
  charttime: number;
  storetime: number;
  itemid: number;
  value: number;
  valueuom: string;
};

export type ProcedureRow = {
  subject_id: number;
  hadm_id: number;
  stay_id: number;
  caregiver_id: number;
  starttime: number;
  endtime: number;
  storetime: number;
  itemid: number;
  value: number;
  valueuom: string;
  location: string | null;
  locationcategory: string | null;
  orderid: number;
  linkorderid: number;
  ordercategoryname: string;
  ordercategorydescription: string;
  patientweight: number;
  isopenbag: number;
  continueinnextdept: number;
  statusdescription: string;
  ORIGINALAMOUNT: number;
  ORIGINALRATE: number;
};

export type PrescriptionRow = {
  subject_id: number;
  hadm_id: number;
  pharmacy_id: number;
  poe_id: string | null;
  poe_seq: number | null;
  order_provider_id: string | null;
  starttime: number | null;
  stoptime: number | null;
  drug_type: 'MAIN' | 'BASE' | 'ADDITIVE';
  drug: string | null;
  formulary_drug_cd: string;
  gsn: string | null;
  ndc: string;
  prod_strength: string;
  form_rx: string | null;
  dose_val_rx: string | null;
  dose_unit_rx: string;
  form_val_disp: string;
  form_unit_disp: string;
  doses_per_24_hrs: number | null;
  route: string | null;
};

export type PharmacyRow = {
  subject_id: number;
  hadm_id: number;
  pharmacy_id: number;
  poe_id: string | null;
  starttime: number;
  stoptime: number | null;
  medication: string;
  proc_type: string;
  status: string;
  entertime: number;
  verifiedtime: number;
  route: string;
  frequency: string;
  disp_sched: string | null;
  infusion_type: string | null;
  sliding_scale: string | null;
  lockout_interval: string | null;
  basal_rate: number | null;
  one_hr_max: string | null;
  doses_per_24_hrs: number | null;
  duration: number | null;
  duration_interval: string;
  expiration_value: number | null;
  expiration_unit: string;
  expirationdate: number | null;
  dispensation: string;
  fill_quantity: string | null;
};

export type PoeRow = {
  poe_id: string;
  poe_seq: number;
  subject_id: number;
  hadm_id: number;
  ordertime: number;
  order_type: string;
  order_subtype: string | null;
  transaction_type: string;
  discontinue_of_poe_id: string | null;
  discontinued_by_poe_id: string | null;
  order_provider_id: string;
  order_status: string;
};

export type PoeDetailRow = {
  poe_id: string;
  poe_seq: number;
  subject_id: number;
  field_name: string;
  field_value: string;
};

export type EmarRow = {
  subject_id: number;
  hadm_id: number;
  emar_id: string;
  emar_seq: number;
  poe_id: string;
  pharmacy_id: number;
  enter_provider_id: string | null;
  charttime: number;
  medication: string;
  event_txt: string;
  scheduletime: number;
  storetime: number;
};

export type OmrRow = {
  subject_id: number;
  chartdate: number;
  seq_num: number;
  result_name: string;
  result_value: string;
};

export type MicroRow = {
  microevent_id: number;
  subject_id: number;
  hadm_id: number | null;
  micro_specimen_id: number;
  order_provider_id: string | null;
  chartdate: number;
  charttime: number | null;
  spec_itemid: number;
  spec_type_desc: string;
  test_seq: number;
  storedate: number;
  storetime: number;
  test_itemid: number;
  test_name: string;
  org_itemid: number | null;
  org_name: string | null;
  isolate_num: number | null;
  quantity: string | null;
  ab_itemid: number | null;
  ab_name: string | null;
  dilution_text: string | null;
  dilution_comparison: string | null;
  dilution_value: number | null;
  interpretation: string | null;
  comments: string | null;
};

/** A discharge note or a radiology report. */
export type NoteRow = {
  note_id: string;
  subject_id: number;
  hadm_id: number | null;
  note_type: 'DS' | 'AD' | 'RR' | 'AR';
  note_seq: number;
  charttime: number;
  storetime: number;
  text: string;
};

export type NoteDetailRow = {
  note_id: string;
  subject_id: number;
  field_name: string;
  field_value: string;
  field_ordinal: number;
};

/** All rows of one subject. */
export interface SubjectRows {
  patients: Row[];
  admissions: AdmissionRow[];
  transfers: Row[];
  services: Row[];
  diagnoses_icd: DiagnosisRow[];
  procedures_icd: Row[];
  omr: OmrRow[];
  labevents: LabRow[];
  microbiologyevents: MicroRow[];
  prescriptions: PrescriptionRow[];
  pharmacy: PharmacyRow[];
  poe: PoeRow[];
  poe_detail: PoeDetailRow[];
  emar: EmarRow[];
  icustays: StayRow[];
  chartevents: ChartRow[];
  inputevents: InputRow[];
  outputevents: OutputRow[];
  procedureevents: ProcedureRow[];
  discharge: NoteRow[];
  discharge_detail: NoteDetailRow[];
  radiology: NoteRow[];
  radiology_detail: NoteDetailRow[];
}

/** A subject without rows. */
export function noRows(): SubjectRows {
  return {
    patients: [],
    admissions: [],
    transfers: [],
    services: [],
    diagnoses_icd: [],
    procedures_icd: [],
    omr: [],
    labevents: [],
    microbiologyevents: [],
    prescriptions: [],
    pharmacy: [],
    poe: [],
    poe_detail: [],
    emar: [],
    icustays: [],
    chartevents: [],
    inputevents: [],
    outputevents: [],
    procedureevents: [],
    discharge: [],
    discharge_detail: [],
    radiology: [],
    radiology_detail: [],
  };
}

/** One planted fault. `key` names the row by its key columns; clean and dirty are the cell before and after. */
export interface LedgerEntry {
  dirty_id: string;
  table: string;
  subject_id: number | null;
  stay_id: number | null;
  key: string;
  column: string;
  clean_value: Cell;
  dirty_value: Cell;
  expectation: string;
}
