import { splits } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import { assignSplit, splitBounds } from '../lib/patient-split.js';
import type { Config } from './config.js';

/** One row per patient of the cohort. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const patients = await ctx.sql.rows<{ subject_id: number }>(
    'select distinct subject_id from cohort order by subject_id',
  );
  if (patients.length === 0) ctx.fail({ message: 'the cohort has no patient to assign to a split' });
  const bounds = splitBounds(config.splits);
  const rows = patients.map(({ subject_id }) => ({
    subject_id,
    split: assignSplit(ctx.seed, subject_id, bounds),
  }));
  for (const { split } of bounds)
    ctx.count(`patients.${split}`, rows.filter((r) => r.split === split).length);
  await ctx.sql.insert('splits', splits, rows);
}
