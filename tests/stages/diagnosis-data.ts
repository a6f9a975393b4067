/** Small inputs for the stages that work on the cohort, its diagnoses and its feature matrix. */
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';

/** A cohort stay; subject and admission follow from the stay unless given. */
export function stay(stay_id: number, more: SqlRow = {}): SqlRow {
  return {
    stay_id,
    subject_id: 10_000_000 + stay_id,
    hadm_id: 20_000_000 + stay_id,
    admittime: '2150-01-01 00:00:00',
    dischtime: '2150-01-09 00:00:00',
    intime: '2150-01-02 00:00:30',
    outtime: '2150-01-05 00:00:00',
    t0: '2150-01-02 00:00:00',
    hours_observed: 72,
    ...more,
  };
}

/** The diagnosis rows of a stay's admission, numbered from seq_num 1; a code is `10:I500` or `9:4280`. */
export function coded(stay_id: number, ...codes: readonly string[]): SqlRow[] {
  return codes.map((code, i) => {
    const [version, icd_code] = code.split(':') as [string, string];
    return {
      subject_id: 10_000_000 + stay_id,
      hadm_id: 20_000_000 + stay_id,
      seq_num: i + 1,
      icd_code,
      icd_version: Number(version),
    };
  });
}

/** A row of the features table; everything not given is `fill`. */
export function featureRow(
  stay_id: number,
  values: Record<string, number | null> = {},
  fill: number | null = null,
): SqlRow {
  return { stay_id, ...Object.fromEntries(FEATURE_IDS.map((id) => [id, fill])), ...values };
}

/** Rows of the dictionary from `10:I500` -> title. */
export function dictionary(titles: Readonly<Record<string, string | null>>): SqlRow[] {
  return Object.entries(titles).map(([code, long_title]) => {
    const [version, icd_code] = code.split(':') as [string, string];
    return { icd_code, icd_version: Number(version), long_title };
  });
}

/** Input rows in another order, the same for the same seed. */
export function shuffled<T>(rows: readonly T[], seed: number): T[] {
  const out = [...rows];
  let state = seed + 1;
  for (let i = out.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = state % (i + 1);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
