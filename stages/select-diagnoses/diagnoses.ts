/** Puts together what is known of every candidate label. */
import { type CodeRange, findRange } from '../lib/code-ranges.js';
import type { Config } from './config.js';
import type { Candidate } from './filters.js';

/** Counts of one label, from label-counts.sql. */
export interface LabelCounts {
  readonly dx_code: string;
  readonly positives_n: number;
  readonly observed_n: number;
  readonly outlying_n: number;
  readonly outlying_stays_n: number;
  readonly icd9_n: number;
  readonly icd10_n: number;
}

/** The same counts over all cohort stays. */
export interface CohortCounts {
  readonly stays_n: number;
  readonly core_n: number;
  readonly observed_n: number;
  readonly icd9_n: number;
  readonly icd10_n: number;
}

/** A candidate with everything the diagnoses table tells, but its status. */
export interface Label extends Candidate {
  readonly title: string;
  readonly category_name: string | null;
  readonly prevalence: number;
  readonly completeness_negatives: number | null;
  readonly outlier_value_share: number | null;
  readonly outlier_stay_share: number;
  readonly icd9_to_icd10_prevalence_ratio: number | null;
  readonly is_drift_flagged: boolean;
}

/** A code of the cohort with its label. */
export interface CohortCode {
  readonly icd_version: number;
  readonly icd_code: string;
  readonly dx_code: string;
  readonly stays_n: number;
  readonly title: string | null;
}

/** Everything that labels are described with. */
export interface Context {
  readonly cohort: CohortCounts;
  readonly titles: ReadonlyMap<string, string>;
  readonly chapters: readonly CodeRange[];
  readonly complications: readonly CodeRange[];
  readonly config: Config;
}

/** Describes one label. */
export function describeLabel(l: LabelCounts, context: Context): Label {
  const { cohort, config } = context;
  const chapter = findRange(context.chapters, l.dx_code);
  const negatives = cohort.stays_n - l.positives_n;
  const outlier_value_share = l.observed_n === 0 ? null : l.outlying_n / l.observed_n;
  const outlier_stay_share = l.outlying_stays_n / l.positives_n;
  return {
    dx_code: l.dx_code,
    title: context.titles.get(l.dx_code) ?? l.dx_code,
    category: chapter ? Number(chapter.row.category) : null,
    category_name: chapter?.row.category_name ?? null,
    is_complication: findRange(context.complications, l.dx_code) !== undefined,
    positives_n: l.positives_n,
    prevalence: l.positives_n / cohort.stays_n,
    completeness_positives: l.observed_n / (l.positives_n * cohort.core_n),
    completeness_negatives:
      negatives === 0 ? null : (cohort.observed_n - l.observed_n) / (negatives * cohort.core_n),
    outlier_value_share,
    outlier_stay_share,
    outlier_share: config.outlier_unit === 'values' ? (outlier_value_share ?? 0) : outlier_stay_share,
    ...drift(l, cohort),
  };
}

/**
 * Prevalence in ICD-9 admissions over prevalence in ICD-10 admissions; outside 1/3 to 3 the label is more likely an
 * artefact of the code mapping than a change of disease. Null where the ratio has no finite value.
 */
export function drift(
  l: Pick<LabelCounts, 'icd9_n' | 'icd10_n'>,
  cohort: Pick<CohortCounts, 'icd9_n' | 'icd10_n'>,
): { icd9_to_icd10_prevalence_ratio: number | null; is_drift_flagged: boolean } {
  const icd9 = l.icd9_n * cohort.icd10_n;
  const icd10 = l.icd10_n * cohort.icd9_n;
  const is_comparable = cohort.icd9_n > 0 && cohort.icd10_n > 0;
  return {
    icd9_to_icd10_prevalence_ratio: is_comparable && icd10 > 0 ? icd9 / icd10 : null,
    is_drift_flagged: is_comparable && (3 * icd9 < icd10 || icd9 > 3 * icd10),
  };
}

/** The title of every label: its category's own row in the dictionary, else its most frequent code that has one. */
export function chooseTitles(
  codes: readonly CohortCode[],
  categories: ReadonlyMap<string, string>,
): Map<string, string> {
  const titles = new Map<string, string>();
  const order = [...codes].sort(
    (a, b) =>
      b.stays_n - a.stays_n ||
      (a.icd_code < b.icd_code ? -1 : a.icd_code > b.icd_code ? 1 : a.icd_version - b.icd_version),
  );
  for (const c of order) {
    const title = categories.get(c.dx_code) ?? c.title;
    if (title !== null && !titles.has(c.dx_code)) titles.set(c.dx_code, title);
  }
  return titles;
}
