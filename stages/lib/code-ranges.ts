/** Lookups of labels in tables of ICD prefix ranges (icd-chapters.csv and others). */
import { parseCsv } from './csv.js';

/** Chapters of ICD-9 (17 numbered ones, 18 V, 19 E) with the codes of both versions that belong to them. */
export const CHAPTERS_FILE = 'stages/lib/icd-chapters.csv';

/** A range of code prefixes of one ICD version, with the other columns of its row. */
export interface CodeRange {
  readonly icd_version: number;
  readonly prefix_from: string;
  readonly prefix_to: string;
  readonly row: Readonly<Record<string, string>>;
}

/** Parses a table with the columns icd_version, prefix_from and prefix_to. */
export function parseRanges(text: string, file: string): CodeRange[] {
  return parseCsv(text, file).map((row) => ({
    icd_version: Number(row.icd_version),
    prefix_from: row.prefix_from!,
    prefix_to: row.prefix_to!,
    row,
  }));
}

/** The range that holds a label (`I50`, `ICD9:4280`), or undefined; bounds compare as prefixes, so O9A is in O0..O9. */
export function findRange(ranges: readonly CodeRange[], dx_code: string): CodeRange | undefined {
  const unmapped = /^ICD(9|10):(.*)$/s.exec(dx_code);
  if (unmapped?.[1] === '10') return undefined;
  const icd_version = unmapped ? 9 : 10;
  const code = unmapped ? unmapped[2]! : dx_code;
  if (icd_version === 9 && !/^([0-9]{3}|[VE][0-9]{2})/.test(code)) return undefined;
  return ranges.find(
    (r) =>
      r.icd_version === icd_version &&
      code.slice(0, r.prefix_from.length) >= r.prefix_from &&
      code.slice(0, r.prefix_to.length) <= r.prefix_to,
  );
}
