import { FEATURE_IDS, features, imputed, imputedFlags, imputeValues } from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { REGISTRY_FILE } from '../lib/registry.js';
import { config } from './config.js';
import { run } from './run.js';

/** True where an observed value was changed, or where the flag does not say what was missing. */
const changed = FEATURE_IDS.map((id) => `(f.${id} is null) <> (g.${id} = 1) or f.${id} <> i.${id}`).join(
  ' or ',
);

export const imputeFeatures = defineStage({
  name: 'impute-features',
  version: 1,
  summary: 'fills missing feature values without looking at labels',
  inputs: { features },
  outputs: { imputed, imputed_flags: imputedFlags, impute_values: imputeValues },
  config,
  files: [REGISTRY_FILE],
  conserve: [
    { input: 'features', output: 'imputed' },
    { input: 'features', output: 'imputed_flags' },
  ],
  audits: [
    {
      name: 'observed values are unchanged, and exactly the missing ones are flagged',
      sql: `select f.stay_id from features f join imputed i using (stay_id) join imputed_flags g using (stay_id) where ${changed}`,
    },
  ],
  run,
});
