/** Tables between the supmimic stages. */
import type { z } from 'zod';
import { col, type Table, table } from './table.js';

export const FEATURES_N = 448;
/** F001 ... F448, in registry order. */
export const FEATURE_IDS: readonly string[] = Array.from(
  { length: FEATURES_N },
  (_, i) => `F${String(i + 1).padStart(3, '0')}`,
);

function wide(name: string, doc: string, column: () => z.ZodType): Table {
  const shape = Object.fromEntries(FEATURE_IDS.map((id) => [id, column()]));
  return table({ name, doc, key: ['stay_id'], row: { stay_id: col.int(), ...shape } });
}

export const cohort = table({
  name: 'cohort',
  doc: 'the stays of the benchmark; t0 is intime cut to the minute',
  key: ['stay_id'],
  row: {
    stay_id: col.int(),
    subject_id: col.int(),
    hadm_id: col.int(),
    admittime: col.timestamp(),
    dischtime: col.timestamp().nullable(),
    intime: col.timestamp(),
    outtime: col.timestamp(),
    t0: col.timestamp(),
    hours_observed: col.double(),
  },
});

export const cohortFlow = table({
  name: 'cohort_flow',
  doc: 'CONSORT-style flow: what each step took out and what was left',
  key: ['step'],
  row: {
    step: col.int(),
    reason: col.text(),
    doc: col.text(),
    excluded_stays_n: col.int(),
    stays_n: col.int(),
    patients_n: col.int(),
  },
});

export const features = wide('features', 'raw feature values, null where not measured', () =>
  col.double().nullable(),
);

export const featureReport = table({
  name: 'feature_report',
  doc: 'per feature: stays with a value, source rows used, rows removed or changed by its rules',
  key: ['feature_id'],
  row: {
    feature_id: col.text(),
    stays_n: col.int(),
    rows_n: col.bigint(),
    implausible_n: col.bigint(),
    converted_n: col.bigint(),
    censored_n: col.bigint(),
  },
});

export const imputed = wide(
  'imputed',
  'feature values with missing ones filled by the cohort mean or mode',
  () => col.double(),
);
export const imputedFlags = wide('imputed_flags', '1 where the value of `imputed` was filled in', () =>
  col.byte(),
);

export const imputeValues = table({
  name: 'impute_values',
  doc: 'the value that fills each feature: mean (continuous), mode (0/1 and ordinal) or zero when nothing was observed',
  key: ['feature_id'],
  row: {
    feature_id: col.text(),
    scale: col.text(),
    method: col.text(),
    value: col.double(),
    observed_n: col.int(),
    imputed_n: col.int(),
  },
});

export const splits = table({
  name: 'splits',
  doc: 'the split of every patient',
  key: ['subject_id'],
  row: { subject_id: col.int(), split: col.text() },
});

export const labelRows = table({
  name: 'label_rows',
  doc: 'the diagnoses_icd rows behind every label of a cohort stay',
  key: ['stay_id', 'seq_num'],
  row: {
    stay_id: col.int(),
    hadm_id: col.int(),
    seq_num: col.int(),
    icd_code: col.text(),
    icd_version: col.int(),
    dx_code: col.text(),
  },
});

export const labels = table({
  name: 'labels',
  doc: 'positive labels of the selected diagnoses: one row per stay and dx_code',
  key: ['dx_code', 'stay_id'],
  row: { dx_code: col.text(), stay_id: col.int() },
});

export const codeMap = table({
  name: 'code_map',
  doc: 'how each ICD code of the cohort became a label',
  key: ['icd_version', 'icd_code'],
  row: {
    icd_version: col.int(),
    icd_code: col.text(),
    dx_code: col.text(),
    rule: col.text(),
    title: col.text().nullable(),
    stays_n: col.int(),
  },
});

export const diagnoses = table({
  name: 'diagnoses',
  doc: 'every candidate label with its counts, and why it was selected or not',
  key: ['dx_code'],
  row: {
    dx_code: col.text(),
    title: col.text(),
    category: col.int().nullable(),
    category_name: col.text().nullable(),
    positives_n: col.int(),
    prevalence: col.double(),
    completeness_positives: col.double().nullable(),
    completeness_negatives: col.double().nullable(),
    /** Share of the measured core values of the positives that are outliers. */
    outlier_value_share: col.double().nullable(),
    /** Share of the positives with any outlying core value. */
    outlier_stay_share: col.double(),
    /** The one of the two that the configuration compares with its limit. */
    outlier_share: col.double().nullable(),
    is_complication: col.bool(),
    icd9_to_icd10_prevalence_ratio: col.double().nullable(),
    is_drift_flagged: col.bool(),
    status: col.text(),
    is_selected: col.bool(),
  },
});

export const selectionSteps = table({
  name: 'selection_steps',
  doc: 'labels before and after each selection step',
  key: ['step'],
  row: {
    step: col.int(),
    name: col.text(),
    doc: col.text(),
    labels_before: col.int(),
    labels_after: col.int(),
  },
});

export const ranks = table({
  name: 'ranks',
  doc: 'the first features of every diagnosis by mean decrease in impurity',
  key: ['dx_code', 'rank'],
  row: { dx_code: col.text(), rank: col.int(), feature_id: col.text(), importance: col.double() },
});

export const rankSummary = table({
  name: 'rank_summary',
  doc: 'forest settings and stability per diagnosis',
  key: ['dx_code'],
  row: {
    dx_code: col.text(),
    positives_n: col.int(),
    negatives_n: col.int(),
    trees_n: col.int(),
    /** Size of the overlap of the top K of two half-forests. */
    half_overlap_n: col.int(),
  },
});

export const kSweep = table({
  name: 'k_sweep',
  doc: 'size of the union of the top-K sets over all diagnoses, and its share of 448',
  key: ['k'],
  row: { k: col.int(), union_n: col.int(), utilisation: col.double() },
});

export const ranges = table({
  name: 'ranges',
  doc: 'how a feature enters the distance: (clip(x, lo, hi) - lo) / (hi - lo); 0 where hi = lo',
  key: ['feature_id'],
  row: {
    feature_id: col.text(),
    scale: col.text(),
    lo: col.double(),
    hi: col.double(),
    mean: col.double(),
    sd: col.double(),
  },
});

export const eligibility = table({
  name: 'eligibility',
  doc: 'how many of the F_k features of a diagnosis were observed in a stay, and whether that is enough',
  key: ['dx_code', 'stay_id'],
  row: { dx_code: col.text(), stay_id: col.int(), observed_n: col.byte(), is_eligible: col.bool() },
});

export const thresholds = table({
  name: 'thresholds',
  doc: 'theta and phi of each diagnosis, and what mining found',
  key: ['dx_code'],
  row: {
    dx_code: col.text(),
    /** K: F_k is the first K rows of the diagnosis in `ranks`, which may hold more. */
    k: col.int(),
    theta: col.double().nullable(),
    phi: col.double().nullable(),
    positive_pairs_n: col.bigint(),
    eligible_positives_n: col.int(),
    eligible_negatives_n: col.int(),
    ineligible_positives_n: col.int(),
    ineligible_negatives_n: col.int(),
    ddt_n: col.int(),
    dct_n: col.int(),
    ba_positives_n: col.int(),
    ba_negatives_n: col.int(),
  },
});

export const pairs = table({
  name: 'pairs',
  doc: 'mined pairs; DDT: stay_i positive, stay_j negative; DCT: both positive, stay_i < stay_j',
  key: ['dx_code', 'task', 'split', 'pair_rank'],
  row: {
    dx_code: col.text(),
    task: col.text(),
    split: col.text(),
    pair_rank: col.int(),
    stay_i: col.int(),
    stay_j: col.int(),
    distance: col.double(),
  },
});

export const baseline = table({
  name: 'baseline',
  doc: 'stays drawn for BA, each patient once per diagnosis',
  key: ['dx_code', 'split', 'stay_id'],
  row: { dx_code: col.text(), split: col.text(), stay_id: col.int(), label: col.int() },
});

const questionRow = {
  item_id: col.text(),
  patient_id: col.text(),
  dx_code: col.text(),
  diagnosis: col.text(),
  pair_id: col.text().nullable(),
  split: col.text(),
  prompt: col.text(),
};
const answerRow = {
  item_id: col.text(),
  label: col.int(),
  role: col.text(),
  dx_code: col.text(),
  stay_id: col.int(),
  pair_id: col.text().nullable(),
  pair_rank: col.int().nullable(),
  distance: col.double().nullable(),
  theta: col.double().nullable(),
  phi: col.double().nullable(),
  /** The K features of F_k in rank order, joined by a blank. */
  f_k: col.text(),
  split: col.text(),
};

export const TASKS = ['ba', 'ddt', 'dct'] as const;
export type Task = (typeof TASKS)[number];

/** What a model sees. Nothing here may tell the label. */
export const questions = Object.fromEntries(
  TASKS.map((t) => [
    t,
    table({ name: `${t}`, doc: `${t.toUpperCase()} questions`, key: ['item_id'], row: questionRow }),
  ]),
) as Record<Task, Table<typeof questionRow>>;

/** What a scorer needs, kept apart from the questions. */
export const answers = Object.fromEntries(
  TASKS.map((t) => [
    t,
    table({ name: `answers_${t}`, doc: `${t.toUpperCase()} answers`, key: ['item_id'], row: answerRow }),
  ]),
) as Record<Task, Table<typeof answerRow>>;
