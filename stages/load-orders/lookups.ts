/** Codes of procedures without an entry in their dictionary: counted, the rows stay (P05). */
import type { StageContext } from '../contract.js';

/** Counts procedures with and without a title. */
export async function checkProcedures(ctx: StageContext): Promise<void> {
  const [row] = await ctx.sql.rows<{ n: number; matched: number }>(
    `select count(*) as n, count(d.icd_code) as matched
     from procedures_icd p left join d_icd_procedures d using (icd_version, icd_code)`,
  );
  ctx.count('lookup.procedures_icd.rows', row!.n);
  ctx.count('lookup.procedures_icd.matched', row!.matched);
}
