/** The codes of the cohort: their labels, their titles, and what is odd about them. */
import { codeMap } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import { ICD9_MAP_FILE, mapCode, parseIcd9Map } from './code-map.js';
import type { CohortCode } from './diagnoses.js';
import { sqlFile } from './files.js';

/** Stops at a diagnosis that is neither ICD-9 nor ICD-10. */
export async function refuseUnknownVersions(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<{ hadm_id: number; icd_version: number }>(
    'select hadm_id, icd_version from diagnoses_icd where icd_version not in (9, 10) order by hadm_id, seq_num limit 1',
  );
  if (rows.length === 0) return;
  ctx.fail({
    message: 'a diagnosis is coded in an unknown ICD version',
    file: 'diagnoses_icd',
    row: `hadm_id ${rows[0]!.hadm_id}`,
    field: 'icd_version',
    got: String(rows[0]!.icd_version),
    expected: '9 or 10',
  });
}

/** Writes code_map: every code of the cohort with its label. */
export async function mapCodes(ctx: StageContext): Promise<CohortCode[]> {
  const icd9 = parseIcd9Map(ctx.file(ICD9_MAP_FILE));
  const counted = await ctx.sql.rows<{ category: string; admissions_n: number }>(
    ctx.file(sqlFile('native-icd10')),
  );
  const native = new Map(counted.map((r) => [r.category, r.admissions_n]));
  const found = await ctx.sql.rows<Omit<CohortCode, 'dx_code'>>(ctx.file(sqlFile('cohort-codes')));
  const codes = found.map((c) => ({ ...c, ...mapCode(c, { icd9, native }) }));
  await ctx.sql.insert('code_map', codeMap, codes);
  const rules = new Map<string, number>();
  for (const { rule } of codes) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  for (const [rule, n] of [...rules].sort()) ctx.count(`codes.${rule}`, n);
  return codes;
}

/** Codes without a dictionary row (they stay) and codes given more than once in an admission (they count once). */
export async function countCodes(ctx: StageContext): Promise<void> {
  const missing = await ctx.sql.rows<{ icd_version: number; icd_code: string; n: number }>(`
    select icd_version, icd_code, count(*) as n from diagnoses_icd
    anti join d_icd_diagnoses using (icd_version, icd_code)
    group by all order by n desc, icd_version, icd_code`);
  ctx.count(
    'icd_without_dictionary',
    missing.reduce((sum, r) => sum + r.n, 0),
  );
  ctx.count('icd_codes_without_dictionary', missing.length);
  const top = missing.slice(0, 5).map((r) => `${r.icd_code} (ICD-${r.icd_version}) ${r.n} rows`);
  if (top.length > 0) ctx.log(`codes missing from d_icd_diagnoses: ${top.join(', ')}`);
  const [repeated] = await ctx.sql.rows<{ n: number }>(
    'select count(*) - count(distinct (stay_id, icd_version, icd_code)) as n from label_rows',
  );
  ctx.count('repeated_codes', repeated!.n);
}

/** Titles of three-character ICD-10 rows; the dictionary of the full data set has them. */
export async function categoryTitles(ctx: StageContext): Promise<Map<string, string>> {
  const rows = await ctx.sql.rows<{ icd_code: string; long_title: string }>(
    'select icd_code, long_title from d_icd_diagnoses where icd_version = 10 and length(icd_code) = 3 and long_title is not null',
  );
  return new Map(rows.map((r) => [r.icd_code, r.long_title]));
}
