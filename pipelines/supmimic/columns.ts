/** One sentence for every column of a supmimic release; manifest, card and Croissant use it. */
import { join } from 'node:path';
import type { Table } from '../../schemas/table.js';
import { type Feature, parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';

/** Columns that mean the same in every table. */
const COLUMNS: Readonly<Record<string, string>> = {
  admittime: 'start of the hospital admission (shifted date)',
  ba_negatives_n: 'BA items without the diagnosis',
  ba_positives_n: 'BA items with the diagnosis',
  category: 'number of the diagnosis category, 1 to 17 (numbered ICD-9 chapters)',
  category_name: 'name of the diagnosis category',
  child: 'id of the derived thing, kind:value',
  completeness_negatives: 'share of core feature values observed among stays without the label',
  completeness_positives: 'share of core feature values observed among stays with the label',
  dct_n: 'DCT pairs found',
  ddt_n: 'DDT pairs found',
  diagnosis: 'readable name of the candidate diagnosis',
  dischtime: 'end of the hospital admission (shifted date)',
  distance: 'distance d between the two stays over F_k',
  doc: 'what the step does',
  dx_code: 'diagnosis label: ICD-10 three-character category, or ICD9: and a code without counterpart',
  eligible_negatives_n: 'stays without the label that have enough observed F_k features',
  eligible_positives_n: 'stays with the label that have enough observed F_k features',
  excluded_stays_n: 'stays taken out by the step',
  f_k: 'the K ranked features of the diagnosis, best first, joined by a blank',
  feature_id: 'feature, F001 to F448',
  hadm_id: 'hospital admission (MIMIC-IV id)',
  half_overlap_n: 'features shared by the top K of the two halves of the forest',
  hi: 'upper end of the range used in the distance',
  hours_observed: 'hours of the first 24 that the stay lasted',
  icd9_to_icd10_prevalence_ratio: 'prevalence in ICD-9 admissions over prevalence in ICD-10 admissions',
  icd_code: 'ICD code as billed, without dot',
  icd_version: '9 or 10',
  importance: 'mean decrease in impurity, normalised per tree',
  imputed_n: 'values that were filled in',
  ineligible_negatives_n: 'stays without the label that have too few observed F_k features',
  ineligible_positives_n: 'stays with the label that have too few observed F_k features',
  intime: 'start of the ICU stay (shifted date)',
  is_complication: 'true for labels that are usually acquired in care (complications.csv)',
  is_drift_flagged: 'true when the ICD-9 to ICD-10 prevalence ratio is outside 1/3 to 3',
  is_eligible: 'true when enough of F_k was observed',
  is_selected: 'true when the diagnosis is in the benchmark',
  item_id: 'id of the item, a hash of its content that does not depend on the label',
  k: 'number of features per diagnosis',
  label: '1 when the stay has the diagnosis, else 0',
  labels_after: 'labels left after the step',
  labels_before: 'labels before the step',
  lo: 'lower end of the range used in the distance',
  mean: 'cohort mean of the imputed values',
  method: 'how a missing value is filled',
  name: 'name of the step',
  negatives_n: 'stays without the label in the training sample',
  observed_n: 'observed values',
  outlier_share: 'the outlier share that the selection compared with its limit',
  outlier_stay_share: 'share of positives with any core value beyond 5 robust standard deviations',
  outlier_value_share: 'share of the core values of positives beyond 5 robust standard deviations',
  outtime: 'end of the ICU stay (shifted date)',
  pair_id: 'id shared by the two items of a pair; null in BA',
  pair_rank: 'place of the pair in its diagnosis, task and split, 1 is the most extreme',
  parent: 'id of what it was derived from, kind:value',
  patient_id: 'pseudonym of the patient',
  patients_n: 'patients left after the step',
  phi: '75th percentile of positive pair distances (type 7)',
  positive_pairs_n: 'pairs of eligible positives of different patients',
  positives_n: 'stays with the label',
  prevalence: 'share of cohort stays with the label',
  prompt: 'the question as a model sees it',
  rank: 'place of the feature, 1 is the most important',
  reason: 'why stays were taken out',
  relation: 'how child and parent are related',
  role: 'part of the stay in its pair',
  rule: 'how the code became a label',
  scale: 'binary, ordinal or continuous',
  sd: 'population standard deviation of the imputed values',
  seq_num: 'billing order of the diagnosis',
  split: 'split of the patient',
  stage: 'stage that derived it',
  stage_version: 'version of that stage',
  status: 'selected, or the step that took the label out',
  stay_i: 'the anchor stay; positive',
  stay_id: 'ICU stay (MIMIC-IV id)',
  stay_j: 'the other stay; negative in DDT, positive in DCT',
  stays_n: 'number of stays',
  step: 'order of the step',
  subject_id: 'patient (MIMIC-IV id)',
  t0: 'start of the feature window: intime cut to the minute',
  task: 'DDT or DCT',
  theta: '25th percentile of positive pair distances (type 7)',
  title: 'readable title',
  trees_n: 'trees of the forest',
  union_n: 'features in the union of the top K of all diagnoses',
  utilisation: 'share of all 448 features in that union',
  value: 'value that fills the gaps',
};

let registry: Map<string, Feature> | undefined;

/** The description of a column; feature columns are described by the registry. */
export function describeColumn(table: Table, column: string): string {
  const known = COLUMNS[column];
  if (known) return known;
  registry ??= new Map(
    parseRegistry(readFileSync(join(PROJECT_ROOT, REGISTRY_FILE), 'utf8')).map((f) => [f.feature_id, f]),
  );
  const feature = registry.get(column);
  if (!feature) throw new Error(`column ${table.name}.${column} has no description`);
  if (table.name === 'imputed_flags') return `1 where ${feature.name} was filled in`;
  return `${feature.name}${feature.unit ? `, ${feature.unit}` : ''}`;
}
