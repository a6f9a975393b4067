/** Comorbidities from earlier admissions only: codes of this admission are the labels. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { priorAdmissions } from './admin.js';
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { DiagnosisRow } from './extract.js';
import { feature, idsOf } from './registry.js';

const FILE = fileURLToPath(new URL('../../../raw/mimic/comorbidity-codes.csv', import.meta.url));

interface CodeRange {
  readonly key: string;
  readonly version: number;
  readonly from: string;
  readonly to: string;
}

const RANGES: readonly CodeRange[] = Papa.parse<Record<string, string>>(readFileSync(FILE, 'utf8'), {
  header: true,
  skipEmptyLines: true,
}).data.map((r) => ({
  key: `${r.system} ${r.group}`,
  version: Number(r.icd_version),
  from: r.prefix_from!,
  to: r.prefix_to!,
}));

/** Charlson 1987 weights, by feature. */
const WEIGHTS: Record<string, number> = {
  F053: 1, // myocardial infarct
  F054: 1, // congestive heart failure
  F055: 1, // peripheral vascular
  F056: 1, // cerebrovascular
  F057: 1, // dementia
  F058: 1, // chronic pulmonary
  F059: 1, // rheumatic
  F060: 1, // peptic ulcer
  F064: 2, // paraplegia
  F065: 2, // renal
  F069: 6, // AIDS
};

/** F053 to F086. */
export function comorbidityFeatures(c: Case, sheet: Sheet): void {
  const codes = priorCodes(c);
  for (const id of [...idsOf(53, 69), ...idsOf(71, 85)]) {
    const { name } = feature(id);
    const key = name.replace(/^comorb_charlson_/, 'charlson ').replace(/^comorb_elix_/, 'elixhauser ');
    put(sheet, id, codes.some((code) => isInGroup(code, key)) ? 1 : 0);
  }
  put(sheet, 'F070', charlson(sheet));
  put(sheet, 'F086', codes.length > 0 ? 1 : 0);
}

/** Diagnosis rows of earlier admissions. */
export function priorCodes(c: Case): DiagnosisRow[] {
  return priorAdmissions(c).flatMap((a) => c.extract.diagnoses.get(a.hadm_id) ?? []);
}

function isInGroup(diagnosis: DiagnosisRow, key: string): boolean {
  return RANGES.some((range) => {
    if (range.key !== key || range.version !== diagnosis.version) return false;
    const prefix = diagnosis.code.slice(0, range.from.length);
    return prefix.length === range.from.length && prefix >= range.from && prefix <= range.to;
  });
}

/** Of two grades of one disease the graver counts: liver, diabetes, tumour. */
function charlson(sheet: Sheet): number {
  const has = (id: string): number => sheet.get(id) ?? 0;
  const single = Object.entries(WEIGHTS).reduce((sum, [id, weight]) => sum + weight * has(id), 0);
  const liver = Math.max(has('F061'), 3 * has('F067'));
  const diabetes = Math.max(has('F062'), 2 * has('F063'));
  const tumour = Math.max(2 * has('F066'), 6 * has('F068'));
  return single + liver + diabetes + tumour;
}
