/** Declaration of sample-admissions. */
import { admissions, diagnosesIcd, patients, services } from '../../schemas/mimic.js';
import { discharge, prescriptions } from '../../schemas/mimic-orders.js';
import { admissionFunnel, sampledAdmissions } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { CHAPTERS_FILE } from '../lib/code-ranges.js';
import { SampleAdmissionsConfig } from './config.js';
import { REASONS } from './reasons.js';
import { JUDGED_FILE, run } from './run.js';

export const sampleAdmissions = defineStage<SampleAdmissionsConfig>({
  name: 'sample-admissions',
  version: 1,
  summary: 'chooses the admissions that questions may come from, with a funnel, and their splits',
  inputs: {
    patients,
    admissions,
    services,
    diagnoses_icd: diagnosesIcd,
    prescriptions,
    discharge,
  },
  outputs: { sampled_admissions: sampledAdmissions, admission_funnel: admissionFunnel },
  config: SampleAdmissionsConfig,
  files: [JUDGED_FILE, CHAPTERS_FILE],
  seeded: true,
  conserve: [{ input: 'admissions', output: 'sampled_admissions', drops: REASONS }],
  audits: [
    {
      name: 'every admission was judged',
      sql: 'select hadm_id from admissions anti join judged using (hadm_id)',
    },
    {
      name: 'a patient stands in one split',
      sql: 'select subject_id from sampled_admissions group by subject_id having count(distinct split) > 1',
    },
    {
      name: 'the funnel never grows and ends at the sample',
      sql: `select unit from (
              select *, lag(n) over (partition by unit order by step_n) as before,
                row_number() over (partition by unit order by step_n desc) as from_end
              from admission_funnel)
            where before < n or (from_end = 1 and n <> case unit
              when 'admissions' then (select count(*) from sampled_admissions)
              else (select count(distinct subject_id) from sampled_admissions) end)`,
    },
  ],
  run,
});
