import { FEATURE_IDS, imputed, imputedFlags, imputeValues } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import { type Feature, parseRegistry, REGISTRY_FILE } from '../lib/registry.js';
import type { Config } from './config.js';
import { meanOf, medianOf, modeOf } from './fill-value.js';

/** Fills every gap of the feature matrix and flags what was filled. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const registry = parseRegistry(ctx.file(REGISTRY_FILE));
  const stays = await ctx.sql.rows<{ stay_id: number }>('select stay_id from features order by stay_id');
  if (stays.length === 0) ctx.fail({ message: 'no stay has features', file: 'features' });
  const matrix = await ctx.sql.matrix(`select stay_id, ${FEATURE_IDS.join(', ')} from features`, 'stay_id');
  const stay_id = Int32Array.from(stays, (s) => s.stay_id);
  const columns: Record<string, Float64Array> = {};
  const flags: Record<string, Uint8Array> = {};
  const values = registry.map((feature, j) => {
    const column = matrix.data.subarray(j * matrix.rows, (j + 1) * matrix.rows);
    columns[feature.feature_id] = column;
    flags[feature.feature_id] = new Uint8Array(matrix.rows);
    return imputeColumn(ctx, config, feature, column, flags[feature.feature_id]!);
  });
  await ctx.sql.insertColumns('imputed', imputed, { stay_id, ...columns });
  await ctx.sql.insertColumns('imputed_flags', imputedFlags, { stay_id, ...flags });
  await ctx.sql.insert('impute_values', imputeValues, values);
  ctx.count(
    'imputed_values',
    values.reduce((sum, v) => sum + v.imputed_n, 0),
  );
  ctx.count('features_without_values', values.filter((v) => v.method === 'none').length);
}

/** Fills one column in place and sets its flags; tells which value was used. */
function imputeColumn(
  ctx: StageContext,
  config: Config,
  feature: Feature,
  column: Float64Array,
  flags: Uint8Array,
) {
  const observed = column.filter((x) => !Number.isNaN(x));
  if (!observed.every(Number.isFinite)) {
    ctx.fail({ message: 'a feature value is infinite', file: 'features', field: feature.feature_id });
  }
  const { method, value } = chooseFill(config, feature, observed);
  for (let i = 0; i < column.length; i++) {
    if (!Number.isNaN(column[i]!)) continue;
    column[i] = value;
    flags[i] = 1;
  }
  const { feature_id, scale } = feature;
  const observed_n = observed.length;
  return { feature_id, scale, method, value, observed_n, imputed_n: column.length - observed_n };
}

function chooseFill(
  config: Config,
  feature: Feature,
  observed: Float64Array,
): { method: string; value: number } {
  if (observed.length === 0) return { method: 'none', value: 0 };
  if (config.method === 'median') return { method: 'median', value: medianOf(observed) };
  return feature.scale === 'continuous'
    ? { method: 'mean', value: meanOf(observed) }
    : { method: 'mode', value: modeOf(observed) };
}
