import { cohort, splits } from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { config } from './config.js';
import { run } from './run.js';

export const splitPatients = defineStage({
  name: 'split-patients',
  version: 1,
  summary: 'assigns every patient to one split by hash',
  inputs: { cohort },
  outputs: { splits },
  seeded: true,
  config,
  audits: [
    {
      name: 'every patient of the cohort has a split, and nobody else',
      sql: `select subject_id from (select distinct subject_id from cohort) c
        full join splits s using (subject_id) where c.subject_id is null or s.subject_id is null`,
    },
  ],
  run,
});
