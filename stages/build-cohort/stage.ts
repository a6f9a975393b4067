/** Declaration of build-cohort. */
import { admissions, icustays, patients } from '../../schemas/mimic.js';
import { cohort, cohortFlow } from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { BuildCohortConfig } from './config.js';
import { REASONS, run, SQL_FILES } from './run.js';

export const buildCohort = defineStage<BuildCohortConfig>({
  name: 'build-cohort',
  version: 1,
  summary: 'chooses the ICU stays of the benchmark, with a flow table',
  inputs: { patients, admissions, icustays },
  outputs: { cohort, cohort_flow: cohortFlow },
  config: BuildCohortConfig,
  files: SQL_FILES,
  conserve: [{ input: 'icustays', output: 'cohort', drops: Object.keys(REASONS) }],
  audits: [
    {
      name: 'the window begins at or less than a minute before intime',
      sql: `select stay_id from cohort where t0 > intime or intime - t0 >= interval '1 minute'`,
    },
    {
      name: 'the flow adds up from step to step',
      sql: `select step from (
              select *, lag(stays_n) over (order by step) as stays_before,
                lag(patients_n) over (order by step) as patients_before
              from cohort_flow)
            where step > 0 and (stays_before - excluded_stays_n <> stays_n or patients_before < patients_n)`,
    },
    {
      name: 'the flow ends at the cohort',
      sql: `select 1 from (select arg_max(stays_n, step) as stays_n, arg_max(patients_n, step) as patients_n from cohort_flow) f
            where stays_n <> (select count(*) from cohort)
               or patients_n <> (select count(distinct subject_id) from cohort)`,
    },
  ],
  run,
});
