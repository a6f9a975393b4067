/** Computes every feature into `feature_values`: base tables, row views, one SELECT per template and family, scores, limits. */
import type { StageContext } from '../contract.js';
import { parseRegistry, REGISTRY_FILE } from '../lib/registry.js';
import { BASE_FILES, type BaseContext, prepareBase, runSqlFile } from './base.js';
import type { BuildFeaturesConfig } from './config.js';
import { DATA_PATHS } from './data-tables.js';
import { type FeatureRule, parseRules, RULE_TABLES, RULES_FILE } from './rules.js';
import { runScores, SCORE_FILES } from './scores/index.js';

/** Where the stage lies, seen from the project root. */
export const HERE = 'stages/build-features';

/** Views and tables of the rows that templates and families read, each row with the reason why it is not used. */
export const ROW_FILES: readonly string[] = [
  '01-presence',
  '02-series',
  '03-text',
  '04-attribute',
  '05-output',
  '06-input',
  '07-procedure',
  '08-height',
  '09-braden',
  '10-gcs',
].map((name) => `${HERE}/rows/${name}.sql`);

const LIMIT_FILE = `${HERE}/limit-values.sql`;
const REPORT_FILE = `${HERE}/feature-report.sql`;

/** Files that make values: each is one SELECT of stay_id, feature_id, value. Relative to the stage, as feature-rules.csv names them. */
export const VALUE_FILES: readonly string[] = [
  ...[
    'attribute',
    'prior-diagnosis',
    'series-statistic',
    'series-threshold',
    'charted-text',
    'output-sum',
    'input-sum',
    'input-any',
    'pressor-max',
    'procedure',
  ].map((name) => `templates/${name}.sql`),
  ...[
    'demographics',
    'admission-history',
    'vitals-derived',
    'gcs',
    'blood-counts',
    'lab-overall',
    'blood-gas',
    'urine',
    'fluid-balance',
    'pressor-load',
    'ventilation',
    'chest-tube',
  ].map((name) => `families/${name}.sql`),
];

/** Everything the stage reads, for its declaration. */
export const STAGE_FILES: readonly string[] = [
  ...new Set([
    RULES_FILE,
    ...DATA_PATHS,
    ...BASE_FILES,
    ...ROW_FILES,
    ...VALUE_FILES.map((file) => `${HERE}/${file}`),
    LIMIT_FILE,
    REPORT_FILE,
    ...SCORE_FILES,
  ]),
];

/** What computing needs of a context. */
export type FeatureContext = BaseContext & Partial<Pick<StageContext, 'count' | 'progress'>>;

/** The rules of all features, from the files of the stage. */
export function readRules(ctx: Pick<BaseContext, 'file'>): FeatureRule[] {
  return parseRules(ctx.file(RULES_FILE), parseRegistry(ctx.file(REGISTRY_FILE)));
}

/** Fills `feature_values` from the table inputs of the session. */
export async function computeFeatures(ctx: FeatureContext, config: BuildFeaturesConfig): Promise<void> {
  const total = BASE_FILES.length + ROW_FILES.length + VALUE_FILES.length + 2;
  let done = 0;
  const step = (what: string): void => ctx.progress?.(++done, total, what.replace(`${HERE}/`, ''));
  const rules = readRules(ctx);
  await prepareBase(ctx, config, (_, file) => step(file));
  for (const { schema, rows } of RULE_TABLES) await ctx.sql.insert(schema.name, schema, rows(rules));
  for (const file of ROW_FILES) {
    step(file);
    await runSqlFile(ctx, file);
  }
  for (const file of VALUE_FILES) {
    step(file);
    await ctx.sql.run(valueInsert(ctx.file(`${HERE}/${file}`)));
  }
  await runSqlFile(ctx, LIMIT_FILE);
  step('scores');
  await runScores(ctx, config);
  step('feature report');
  await runSqlFile(ctx, REPORT_FILE);
}

/** A SELECT of a template or family as an INSERT; a null is no value. */
export function valueInsert(select: string): string {
  return `insert into feature_values select stay_id, feature_id, value from (${select}) where value is not null`;
}
