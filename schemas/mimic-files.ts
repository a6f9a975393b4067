/**
 * The files of a MIMIC-IV extract as published: every table, its columns in header order, and how many rows it has.
 * Columns: the MIMIC-IV create scripts, checked against the headers of the open demo 2.2. Row counts: the published
 * validation scripts of releases 2.2 and 3.1, and the demo.
 */

/** How the text of a column has to look. `integer` may exceed 32 bits; `timestamp` is `YYYY-MM-DD HH:MM:SS`. */
export type MimicType = 'integer' | 'double' | 'timestamp' | 'date' | 'text';

/** One column as it stands in the file header; compare names in lower case. */
export interface MimicColumn {
  readonly name: string;
  readonly type: MimicType;
  readonly is_nullable: boolean;
}

/** A release whose row counts are published. */
export type MimicRelease = '2.2' | '3.1' | 'demo';

/** One file of the extract. */
export interface MimicFile {
  readonly columns: readonly MimicColumn[];
  /** Rows that a complete file of a release has; absent where nobody published the number. */
  readonly documentedRows: Readonly<Partial<Record<MimicRelease, number>>>;
}

const TYPES: Record<string, MimicType> = {
  i: 'integer',
  f: 'double',
  ts: 'timestamp',
  d: 'date',
  t: 'text',
};

/** `'hadm_id:i? race:t'` becomes columns; a question mark says that the value may be missing. */
function columnsOf(spec: string): MimicColumn[] {
  return spec
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [, name, code, mark] = /^(\w+):(\w+)(\??)$/.exec(word) ?? [];
      const type = TYPES[code ?? ''];
      if (!name || !type) throw new Error(`column ${word} is not written as name:type`);
      return { name, type, is_nullable: mark === '?' };
    });
}

type Counts = readonly [v22: number | null, v31: number | null, demo: number | null];

function file(counts: Counts, spec: string): MimicFile {
  const [v22, v31, demo] = counts;
  const documentedRows = {
    ...(v22 === null ? {} : { '2.2': v22 }),
    ...(v31 === null ? {} : { '3.1': v31 }),
    ...(demo === null ? {} : { demo }),
  };
  return { columns: columnsOf(spec), documentedRows };
}

const HOSP = {
  'hosp.patients': file(
    [299_712, 364_627, 100],
    'subject_id:i gender:t anchor_age:i anchor_year:i anchor_year_group:t dod:d?',
  ),
  'hosp.admissions': file(
    [431_231, 546_028, 275],
    `subject_id:i hadm_id:i admittime:ts dischtime:ts? deathtime:ts? admission_type:t admit_provider_id:t?
     admission_location:t? discharge_location:t? insurance:t? language:t? marital_status:t? race:t?
     edregtime:ts? edouttime:ts? hospital_expire_flag:i`,
  ),
  'hosp.transfers': file(
    [1_890_972, 2_413_581, 1190],
    'subject_id:i hadm_id:i? transfer_id:i eventtype:t careunit:t? intime:ts outtime:ts?',
  ),
  'hosp.services': file(
    [468_029, 593_071, 319],
    'subject_id:i hadm_id:i transfertime:ts prev_service:t? curr_service:t',
  ),
  'hosp.diagnoses_icd': file(
    [4_756_326, 6_364_488, 4506],
    'subject_id:i hadm_id:i seq_num:i icd_code:t icd_version:i',
  ),
  'hosp.procedures_icd': file(
    [669_186, 859_655, 722],
    'subject_id:i hadm_id:i seq_num:i chartdate:d icd_code:t icd_version:i',
  ),
  'hosp.drgcodes': file(
    [604_377, 761_856, 454],
    'subject_id:i hadm_id:i drg_type:t drg_code:t description:t? drg_severity:i? drg_mortality:i?',
  ),
  'hosp.hcpcsevents': file(
    [150_771, 186_074, 61],
    'subject_id:i hadm_id:i chartdate:d? hcpcs_cd:t seq_num:i short_description:t?',
  ),
  'hosp.d_icd_diagnoses': file([109_775, 112_107, 109_775], 'icd_code:t icd_version:i long_title:t?'),
  'hosp.d_icd_procedures': file([85_257, 86_423, 85_257], 'icd_code:t icd_version:i long_title:t?'),
  'hosp.d_hcpcs': file(
    [89_200, 89_208, 89_200],
    'code:t category:i? long_description:t? short_description:t?',
  ),
  'hosp.d_labitems': file([1622, 1650, 1622], 'itemid:i label:t? fluid:t? category:t?'),
  'hosp.labevents': file(
    [118_171_367, 158_374_764, 107_727],
    `labevent_id:i subject_id:i hadm_id:i? specimen_id:i itemid:i order_provider_id:t? charttime:ts storetime:ts?
     value:t? valuenum:f? valueuom:t? ref_range_lower:f? ref_range_upper:f? flag:t? priority:t? comments:t?`,
  ),
  'hosp.microbiologyevents': file(
    [3_228_713, 3_988_224, 2899],
    `microevent_id:i subject_id:i hadm_id:i? micro_specimen_id:i order_provider_id:t? chartdate:ts charttime:ts?
     spec_itemid:i spec_type_desc:t? test_seq:i storedate:ts? storetime:ts? test_itemid:i? test_name:t?
     org_itemid:i? org_name:t? isolate_num:i? quantity:t? ab_itemid:i? ab_name:t? dilution_text:t?
     dilution_comparison:t? dilution_value:f? interpretation:t? comments:t?`,
  ),
  'hosp.prescriptions': file(
    [15_416_708, 20_292_611, 18_087],
    `subject_id:i hadm_id:i pharmacy_id:i poe_id:t? poe_seq:i? order_provider_id:t? starttime:ts? stoptime:ts?
     drug_type:t drug:t? formulary_drug_cd:t? gsn:t? ndc:t? prod_strength:t? form_rx:t? dose_val_rx:t?
     dose_unit_rx:t? form_val_disp:t? form_unit_disp:t? doses_per_24_hrs:f? route:t?`,
  ),
  'hosp.pharmacy': file(
    [13_584_514, 17_847_567, 15_306],
    `subject_id:i hadm_id:i pharmacy_id:i poe_id:t? starttime:ts? stoptime:ts? medication:t? proc_type:t status:t
     entertime:ts verifiedtime:ts? route:t? frequency:t? disp_sched:t? infusion_type:t? sliding_scale:t?
     lockout_interval:t? basal_rate:f? one_hr_max:t? doses_per_24_hrs:f? duration:f? duration_interval:t?
     expiration_value:i? expiration_unit:t? expirationdate:ts? dispensation:t? fill_quantity:t?`,
  ),
  'hosp.poe': file(
    [39_366_291, 52_212_109, 45_154],
    `poe_id:t poe_seq:i subject_id:i hadm_id:i? ordertime:ts order_type:t order_subtype:t? transaction_type:t?
     discontinue_of_poe_id:t? discontinued_by_poe_id:t? order_provider_id:t? order_status:t?`,
  ),
  'hosp.poe_detail': file(
    [3_879_418, 8_504_982, 3795],
    'poe_id:t poe_seq:i subject_id:i field_name:t field_value:t?',
  ),
  'hosp.emar': file(
    [26_850_359, 42_808_593, 35_835],
    `subject_id:i hadm_id:i? emar_id:t emar_seq:i poe_id:t pharmacy_id:i? enter_provider_id:t? charttime:ts
     medication:t? event_txt:t? scheduletime:ts? storetime:ts`,
  ),
  'hosp.emar_detail': file(
    [54_744_789, 87_371_064, 72_018],
    `subject_id:i emar_id:t emar_seq:i parent_field_ordinal:t? administration_type:t? pharmacy_id:i?
     barcode_type:t? reason_for_no_barcode:t? complete_dose_not_given:t? dose_due:t? dose_due_unit:t?
     dose_given:t? dose_given_unit:t? will_remainder_of_dose_be_given:t? product_amount_given:t? product_unit:t?
     product_code:t? product_description:t? product_description_other:t? prior_infusion_rate:t?
     infusion_rate:t? infusion_rate_adjustment:t? infusion_rate_adjustment_amount:t? infusion_rate_unit:t?
     route:t? infusion_complete:t? completion_interval:t? new_iv_bag_hung:t?
     continued_infusion_in_other_location:t? restart_interval:t? side:t? site:t?
     non_formulary_visual_verification:t?`,
  ),
  'hosp.omr': file(
    [6_439_169, 7_753_027, 2964],
    'subject_id:i chartdate:d seq_num:i result_name:t result_value:t?',
  ),
  'hosp.provider': file([null, null, 40_508], 'provider_id:t'),
};

const ICU = {
  'icu.icustays': file(
    [73_181, 94_458, 140],
    `subject_id:i hadm_id:i stay_id:i first_careunit:t last_careunit:t intime:ts outtime:ts? los:f?`,
  ),
  'icu.chartevents': file(
    [313_645_063, 432_997_491, 668_862],
    `subject_id:i hadm_id:i stay_id:i caregiver_id:i? charttime:ts storetime:ts? itemid:i value:t? valuenum:f?
     valueuom:t? warning:i?`,
  ),
  'icu.inputevents': file(
    [8_978_893, 10_953_713, 20_404],
    `subject_id:i hadm_id:i stay_id:i caregiver_id:i? starttime:ts endtime:ts storetime:ts? itemid:i amount:f?
     amountuom:t? rate:f? rateuom:t? orderid:i linkorderid:i ordercategoryname:t
     secondaryordercategoryname:t? ordercomponenttypedescription:t ordercategorydescription:t
     patientweight:f? totalamount:f? totalamountuom:t? isopenbag:i? continueinnextdept:i?
     statusdescription:t originalamount:f? originalrate:f?`,
  ),
  'icu.ingredientevents': file(
    [null, null, 25_728],
    `subject_id:i hadm_id:i stay_id:i caregiver_id:i? starttime:ts endtime:ts? storetime:ts? itemid:i amount:f?
     amountuom:t? rate:f? rateuom:t? orderid:i linkorderid:i statusdescription:t? originalamount:f?
     originalrate:f?`,
  ),
  'icu.outputevents': file(
    [4_234_967, 5_359_395, 9362],
    `subject_id:i hadm_id:i stay_id:i caregiver_id:i? charttime:ts storetime:ts? itemid:i value:f? valueuom:t?`,
  ),
  'icu.procedureevents': file(
    [696_092, 808_706, 1468],
    `subject_id:i hadm_id:i stay_id:i caregiver_id:i? starttime:ts endtime:ts? storetime:ts? itemid:i value:f?
     valueuom:t? location:t? locationcategory:t? orderid:i linkorderid:i ordercategoryname:t?
     ordercategorydescription:t? patientweight:f? isopenbag:i? continueinnextdept:i? statusdescription:t
     ORIGINALAMOUNT:f? ORIGINALRATE:f?`,
  ),
  'icu.datetimeevents': file(
    [7_112_999, 9_979_761, 15_280],
    `subject_id:i hadm_id:i? stay_id:i caregiver_id:i? charttime:ts storetime:ts? itemid:i value:ts valueuom:t?
     warning:i?`,
  ),
  'icu.d_items': file(
    [4014, 4095, 4014],
    `itemid:i label:t? abbreviation:t? linksto:t category:t? unitname:t? param_type:t? lownormalvalue:f?
     highnormalvalue:f?`,
  ),
  'icu.caregiver': file([null, null, 15_468], 'caregiver_id:i'),
};

const NOTE = {
  'note.discharge': file(
    [331_793, 331_793, null],
    'note_id:t subject_id:i hadm_id:i note_type:t note_seq:i charttime:ts storetime:ts? text:t',
  ),
  'note.discharge_detail': file(
    [186_138, 186_138, null],
    'note_id:t subject_id:i field_name:t field_value:t? field_ordinal:i',
  ),
  'note.radiology': file(
    [2_321_355, 2_321_355, null],
    'note_id:t subject_id:i hadm_id:i? note_type:t note_seq:i charttime:ts storetime:ts? text:t',
  ),
  'note.radiology_detail': file(
    [6_046_121, 6_046_121, null],
    'note_id:t subject_id:i field_name:t field_value:t? field_ordinal:i',
  ),
};

/** Every table of an extract by `folder.table`; the file is `folder/table.csv` or `folder/table.csv.gz`. */
export const MIMIC_FILES = { ...HOSP, ...ICU, ...NOTE } satisfies Record<string, MimicFile>;

/** Name of a table: `hosp.patients`, `icu.icustays` and so on. */
export type MimicTable = keyof typeof MIMIC_FILES;

/** All table names, in the order above. */
export const MIMIC_TABLES = Object.keys(MIMIC_FILES) as MimicTable[];
