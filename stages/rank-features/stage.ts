/** Declaration of rank-features. */
import { cohort, diagnoses, imputed, kSweep, labels, rankSummary, ranks } from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { FOREST_KERNEL } from '../lib/forest-kernel.js';
import { REGISTRY_FILE } from '../lib/registry.js';
import { rankFeaturesConfig } from './config.js';
import { WORKER } from './forests.js';
import { run } from './run.js';

export const rankFeatures = defineStage({
  name: 'rank-features',
  version: 1,
  seeded: true,
  summary: 'ranks the features of each diagnosis with a random forest',
  inputs: { cohort, imputed, labels, diagnoses },
  outputs: { ranks, rank_summary: rankSummary, k_sweep: kSweep },
  config: rankFeaturesConfig,
  files: [REGISTRY_FILE],
  workers: [WORKER],
  kernels: [FOREST_KERNEL],
  audits: [
    {
      name: 'every selected diagnosis has the ranks 1, 2, ... without a gap',
      sql: `select d.dx_code from diagnoses d left join ranks r using (dx_code) where d.is_selected
        group by d.dx_code having count(r.rank) = 0 or min(r.rank) <> 1 or max(r.rank) <> count(r.rank)`,
    },
    {
      name: 'a feature stands once in a ranking',
      sql: 'select dx_code, feature_id from ranks group by all having count(*) > 1',
    },
    {
      name: 'importance never rises with rank and is never negative',
      sql: `select a.dx_code, a.rank from ranks a join ranks b on a.dx_code = b.dx_code and b.rank = a.rank + 1
        where b.importance > a.importance or b.importance < 0`,
    },
  ],
  run,
});
