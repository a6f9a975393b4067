/** Which rows and columns a forest sees. */
import type { RandomStream } from '../contract.js';
import type { Feature } from '../lib/registry.js';

/** Tables whose rows are coded from this admission, often after discharge: the labels themselves or their twins. */
const CODED_TABLES = ['hosp.diagnoses_icd', 'hosp.procedures_icd', 'hosp.drgcodes'];

/** Features made from codes of this admission. Codes of earlier admissions (window PRIOR) are history, not label. */
export function codedInThisAdmission(features: readonly Feature[]): string[] {
  return features
    .filter((f) => f.window !== 'PRIOR' && f.source_tables.some((t) => CODED_TABLES.includes(t)))
    .map((f) => f.feature_id);
}

export interface TrainingRows {
  /** Row numbers, ascending. */
  readonly rows: Int32Array;
  readonly labels: Uint8Array;
  readonly positives_n: number;
  readonly negatives_n: number;
}

/**
 * All positives and as many negatives, drawn without replacement from all other rows of the cohort; all of these when
 * there are fewer. `positives` are ascending row numbers.
 */
export function drawTrainingRows(cohortN: number, positives: Int32Array, random: RandomStream): TrainingRows {
  const isPositive = new Uint8Array(cohortN);
  for (const r of positives) isPositive[r] = 1;
  const negatives = new Int32Array(cohortN - positives.length);
  let n = 0;
  for (let r = 0; r < cohortN; r++) if (!isPositive[r]) negatives[n++] = r;
  const wanted = Math.min(positives.length, negatives.length);
  for (let v = 0; v < wanted; v++) {
    const other = v + random.below(negatives.length - v);
    const chosen = negatives[other]!;
    negatives[other] = negatives[v]!;
    negatives[v] = chosen;
  }
  const rows = new Int32Array(positives.length + wanted);
  rows.set(positives);
  rows.set(negatives.subarray(0, wanted), positives.length);
  rows.sort();
  return {
    rows,
    labels: Uint8Array.from(rows, (r) => isPositive[r]!),
    positives_n: positives.length,
    negatives_n: wanted,
  };
}
