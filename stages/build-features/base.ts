/** The tables and views that all features are computed from: stay, chart, lab, gcs, gas, weight, vent, pressor, urine, rrt, prior_dx. */
import { col, table } from '../../schemas/table.js';
import type { StageContext } from '../contract.js';
import type { BuildFeaturesConfig } from './config.js';
import { DATA_FILES, dataRows } from './data-tables.js';

const HERE = 'stages/build-features/base';

/** In dependency order. */
export const BASE_FILES: readonly string[] = [
  '00-arithmetic',
  '01-stay',
  '02-chart',
  '03-lab',
  '04-gcs',
  '05-gas',
  '06-weight',
  '07-vent',
  '08-pressor',
  '09-urine',
  '10-rrt',
  '11-prior-dx',
  '12-feature-values',
].map((name) => `${HERE}/${name}.sql`);

const settingTable = table({
  name: 'setting',
  doc: 'the configuration, one row, for SQL to read',
  key: ['profile'],
  row: {
    profile: col.text(),
    is_oracle: col.bool(),
    is_storetime: col.bool(),
    lab_lookback_minutes: col.double(),
  },
});

/** What the base needs of a context; a trace session offers no more than this. */
export type BaseContext = Pick<StageContext, 'sql' | 'file'>;

/** Creates the base tables and views in the session. */
export async function prepareBase(
  ctx: BaseContext,
  config: BuildFeaturesConfig,
  onStep: (step: number, name: string) => void = () => {},
): Promise<void> {
  await ctx.sql.insert('setting', settingTable, [
    {
      profile: config.profile,
      is_oracle: config.profile === 'oracle',
      is_storetime: config.availability === 'storetime',
      lab_lookback_minutes: Math.round(config.lab_lookback_hours * 60),
    },
  ]);
  for (const data of DATA_FILES) {
    await ctx.sql.insert(data.schema.name, data.schema, dataRows(ctx.file(data.file), data));
  }
  for (const [step, file] of BASE_FILES.entries()) {
    onStep(step, file);
    await runSqlFile(ctx, file);
  }
}

/** Runs every statement of an SQL file. */
export async function runSqlFile(ctx: BaseContext, file: string): Promise<void> {
  await ctx.sql.run(ctx.file(file));
}
