/** One vocabulary: every ICD code becomes an ICD-10 three-character category, or a label of its own. */
import { parseCsv } from '../lib/csv.js';

export const ICD9_MAP_FILE = 'raw/mimic/icd9-to-icd10-category.csv';

/** Letter, digit, digit or letter (C7A, O9A), up to four more: the form of an ICD-10-CM code without its dot. */
const ICD10_FORM = /^[A-Z][0-9][0-9A-Z]{1,5}$/;

/** One row of icd9-to-icd10-category.csv. */
export interface Icd9Entry {
  readonly category: string;
  readonly candidates: readonly string[];
  readonly rule: string;
}

/** The label of a code, and the rule that gave it. */
export interface MappedCode {
  readonly dx_code: string;
  readonly rule: string;
}

/** ICD-9 codes as text: `0042` and `042` are two codes. */
export function parseIcd9Map(text: string): Map<string, Icd9Entry> {
  const map = new Map<string, Icd9Entry>();
  for (const r of parseCsv(text, ICD9_MAP_FILE)) {
    if (map.has(r.icd9_code!)) throw new Error(`${ICD9_MAP_FILE}: ${r.icd9_code} stands twice`);
    const candidates = r.candidate_categories!.split('|').filter(Boolean).sort();
    map.set(r.icd9_code!, { category: r.icd10_category!, candidates, rule: r.rule! });
  }
  return map;
}

/** What codes are mapped with. */
export interface Vocabulary {
  readonly icd9: ReadonlyMap<string, Icd9Entry>;
  /** Admissions per category that were coded in ICD-10. */
  readonly native: ReadonlyMap<string, number>;
}

/** Maps one (version, code). */
export function mapCode(
  { icd_version, icd_code }: { icd_version: number; icd_code: string },
  vocabulary: Vocabulary,
): MappedCode {
  if (icd_version === 10) {
    return ICD10_FORM.test(icd_code)
      ? { dx_code: icd_code.slice(0, 3), rule: 'native_icd10' }
      : { dx_code: `ICD10:${icd_code}`, rule: 'not_icd10' };
  }
  const entry = vocabulary.icd9.get(icd_code);
  if (!entry) return { dx_code: `ICD9:${icd_code}`, rule: 'unknown_icd9' };
  if (entry.rule === 'no_target') return { dx_code: `ICD9:${icd_code}`, rule: 'no_target' };
  if (entry.category !== '') return { dx_code: entry.category, rule: entry.rule };
  return decideSeveral(entry, vocabulary.native);
}

/** Most frequent among native ICD-10 admissions; equal counts (also all zero) leave it to the smallest code. */
function decideSeveral(entry: Icd9Entry, native: ReadonlyMap<string, number>): MappedCode {
  const count = (c: string): number => native.get(c) ?? 0;
  const most = Math.max(...entry.candidates.map(count));
  const [dx_code, ...tied] = entry.candidates.filter((c) => count(c) === most);
  const how = tied.length === 0 ? 'several_by_frequency' : 'several_by_smallest';
  return { dx_code: dx_code!, rule: entry.rule.replace('several', how) };
}
