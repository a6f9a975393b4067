/** ICD codes of admissions, in the version of their period. */
import { plants, record, type Subject } from './context.js';
import { shuffle } from './diagnoses.js';
import type { Stream } from './rng.js';
import type { DiagnosisRow } from './rows.js';

const clip = (code: string): string => code.slice(0, 7);

/** Codes of the index admission: acute ones first in 70 percent, then chronic ones, then fillers. */
export function indexCodes(s: Subject, isIcd10: boolean): string[] {
  const r = s.stream('codes');
  const codeOf = (d: { icd9: string; icd10: string }): string => (isIcd10 ? d.icd10 : d.icd9);
  const carried = s.numbers.dx.filter((d) => s.person.dx[d.index]);
  const acute = carried.filter((d) => !d.isChronic).map(codeOf);
  const chronic = carried.filter((d) => d.isChronic).map(codeOf);
  // Septic shock is written with the code that it needs beside it.
  if (s.has('septic_shock')) acute.push(isIcd10 ? 'A419' : '99592');
  const fillers = fillerCodes(s, r, isIcd10, 1);
  shuffle(acute, r);
  let codes: string[];
  if (r.chance(0.7)) {
    const rest = [...chronic, ...fillers];
    shuffle(rest, r);
    codes = [...acute, ...rest];
  } else {
    codes = [...acute, ...chronic, ...fillers];
    shuffle(codes, r);
  }
  return [...new Set(codes.map(clip))].slice(0, 39);
}

/** Codes of an earlier admission: mostly what is chronic, and something acute. */
export function priorCodes(s: Subject, r: Stream, isIcd10: boolean): string[] {
  const codeOf = (d: { icd9: string; icd10: string }): string => (isIcd10 ? d.icd10 : d.icd9);
  const chronic = s.numbers.dx.filter((d) => d.isChronic && s.person.dx[d.index] && r.chance(0.75));
  const acute = s.numbers.dx.filter((d) => {
    const u = r.float();
    const isPossible = !d.isPregnancy || (s.person.isFemale && s.age < 45);
    return !d.isChronic && isPossible && u < d.prevalence * 0.4;
  });
  const codes = [...acute, ...chronic].map(codeOf).concat(fillerCodes(s, r, isIcd10, 0.7));
  shuffle(codes, r);
  return [...new Set(codes.map(clip))].slice(0, 30);
}

function fillerCodes(s: Subject, r: Stream, isIcd10: boolean, share: number): string[] {
  const out: string[] = [];
  for (const f of s.numbers.fillers) {
    if (r.float() < f.prevalence * share) out.push(isIcd10 ? f.icd10 : f.icd9);
  }
  return out;
}

/** Rows of one admission. */
export function diagnosisRows(
  s: Subject,
  hadm_id: number,
  codes: readonly string[],
  isIcd10: boolean,
): DiagnosisRow[] {
  return codes.map((icd_code, k) => ({
    subject_id: s.subject_id,
    hadm_id,
    seq_num: k + 1,
    icd_code,
    icd_version: isIcd10 ? 10 : 9,
  }));
}

/** Texts that mean different things in the two versions. */
export const AMBIGUOUS: readonly { code: string; title9: string; title10: string }[] = [
  {
    code: 'V140',
    title9: 'Personal history of penicillin allergy',
    title10: 'Cyclist hurt in collision with heavy vehicle or bus, nontraffic, driver',
  },
  {
    code: 'V103',
    title9: 'Personal history of breast cancer',
    title10: 'Cyclist hurt in collision with pedestrian or animal, boarding or alighting',
  },
  { code: 'E8889', title9: 'Fall, unspecified', title10: 'Other metabolic disorder, specified' },
  {
    code: 'E8339',
    title9: 'Fall on stairs or ladder in water transport, person unspecified',
    title10: 'Other disorder of phosphorus metabolism',
  },
  {
    code: 'V707',
    title9: 'Examination of a clinical trial participant',
    title10: 'Bus occupant hurt in collision with pedestrian or animal, outside of vehicle',
  },
];

/** Real codes that the dictionary of the synthetic extract leaves out. */
export const WITHOUT_TITLE = { icd9: '7881', icd10: 'R300' } as const;

/** A leading zero that a number would lose. */
const LEADING_ZERO = ['00845', '0389'] as const;

/** Faults D03 to D07 on the codes of the index admission; changes `rows` in place. */
export function plantCodeFaults(s: Subject, rows: DiagnosisRow[], isIcd10: boolean): void {
  const hadm_id = rows[0]!.hadm_id;
  const r = s.stream('code faults');
  const note = (
    id: string,
    row: DiagnosisRow,
    clean: string | null,
    dirty: string,
    expectation?: string,
  ): void =>
    record(s, id, {
      table: 'hosp.diagnoses_icd',
      key: `hadm_id=${hadm_id};seq_num=${row.seq_num}`,
      column: 'icd_code',
      clean_value: clean,
      dirty_value: dirty,
      ...(expectation ? { expectation } : {}),
    });
  const append = (icd_code: string): DiagnosisRow => {
    const row = { ...rows[0]!, seq_num: rows.length + 1, icd_code };
    rows.push(row);
    return row;
  };
  if (plants(s, 'D03')) {
    const free = AMBIGUOUS.filter((a) => rows.every((x) => x.icd_code !== a.code));
    const chosen = r.pick(free);
    const title = isIcd10 ? chosen.title10 : chosen.title9;
    note(
      'D03',
      append(chosen.code),
      null,
      chosen.code,
      `title is "${title}" for version ${isIcd10 ? 10 : 9}`,
    );
  }
  if (s.wants.has('D05')) {
    const row =
      rows.find((x) => x.icd_code.startsWith('0')) ??
      append(LEADING_ZERO.find((code) => rows.every((x) => x.icd_code !== code))!);
    note('D05', row, row.icd_code, row.icd_code, `kept as text of ${row.icd_code.length} characters`);
  }
  if (plants(s, 'D06')) {
    const code = isIcd10 ? WITHOUT_TITLE.icd10 : WITHOUT_TITLE.icd9;
    note('D06', append(code), null, code);
  }
  if (s.wants.has('D07')) moveShockBehindSepticemia(s, rows, isIcd10, note);
  if (plants(s, 'D04')) {
    const row = r.pick(rows);
    const clean = row.icd_code;
    row.icd_code = clean.length >= 7 ? `${clean} ` : clean.padEnd(7, ' ');
    note('D04', row, clean, row.icd_code);
  }
}

/** D07: septicemia first, septic shock second. */
function moveShockBehindSepticemia(
  _s: Subject,
  rows: DiagnosisRow[],
  isIcd10: boolean,
  note: (id: string, row: DiagnosisRow, clean: string | null, dirty: string) => void,
): void {
  const first = isIcd10 ? 'A419' : '0389';
  const second = isIcd10 ? 'R6521' : '78552';
  const rest = rows.map((x) => x.icd_code).filter((code) => code !== first && code !== second);
  const codes = [first, second, ...rest];
  const base = { ...rows[0]! };
  rows.length = 0;
  codes.forEach((icd_code, k) => void rows.push({ ...base, seq_num: k + 1, icd_code }));
  note('D07', rows[1]!, second, second);
}
