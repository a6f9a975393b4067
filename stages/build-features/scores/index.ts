/** The scores: F070 and F340 to F363, from the base tables and the other features. */
import type { StageContext } from '../../contract.js';
import { REGISTRY_FILE } from '../../lib/registry.js';
import { type BaseContext, runSqlFile } from '../base.js';
import type { BuildFeaturesConfig } from '../config.js';
import { SCORE_DATA_FILES, scoreTables } from './tables.js';

const HERE = 'stages/build-features/scores';

/** In dependency order: what is shared, readings per score, points of the parts, formulas, values. */
const SQL_FILES: readonly string[] = [
  'shared',
  'charlson',
  'sofa',
  'saps-ii',
  'aps-iii',
  'oasis',
  'lods',
  'sirs',
  'qsofa',
  'kdigo-creatinine',
  'kdigo-urine',
  'score-parts',
  'meld',
  'egfr-ckd-epi-2021',
  'neutrophil-lymphocyte-ratio',
  'bun-creatinine-ratio',
  'albumin-corrected-anion-gap',
  'score-values',
].map((name) => `${HERE}/${name}.sql`);

/** Every SQL and data file of the scores, for the stage's `files`. */
export const SCORE_FILES: readonly string[] = [...SCORE_DATA_FILES, ...SQL_FILES];

/** What the scores need; a context without `count` loses only the counts of implausible values. */
export type ScoreContext = BaseContext & Partial<Pick<StageContext, 'count'>>;

/**
 * Adds the score features to `feature_values`, which must hold all others by then.
 * Leaves `score_input` (readings), `score_part` (points per part) and `score_value` in the session.
 */
export async function runScores(ctx: ScoreContext, _config: BuildFeaturesConfig): Promise<void> {
  for (const { schema, rows } of scoreTables((file) => ctx.file(file), ctx.file(REGISTRY_FILE))) {
    await ctx.sql.insert(schema.name, schema, rows);
  }
  for (const file of SQL_FILES) await runSqlFile(ctx, file);
  const removed = await ctx.sql.rows<{ feature_id: string; n: number }>(
    'select feature_id, count(*) as n from score_implausible group by feature_id order by feature_id',
  );
  for (const { feature_id, n } of removed) ctx.count?.(`implausible.${feature_id}`, n);
}
