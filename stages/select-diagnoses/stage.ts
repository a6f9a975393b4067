import { dIcdDiagnoses, diagnosesIcd } from '../../schemas/mimic.js';
import {
  codeMap,
  cohort,
  diagnoses,
  features,
  labelRows,
  labels,
  selectionSteps,
} from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { config } from './config.js';
import { FILES } from './files.js';
import { run } from './run.js';

export const selectDiagnoses = defineStage({
  name: 'select-diagnoses',
  version: 1,
  summary: 'unifies ICD-9 and ICD-10 codes and chooses the diagnoses of the benchmark',
  inputs: { cohort, diagnoses_icd: diagnosesIcd, d_icd_diagnoses: dIcdDiagnoses, features },
  outputs: {
    label_rows: labelRows,
    labels,
    diagnoses,
    code_map: codeMap,
    selection_steps: selectionSteps,
  },
  config,
  files: FILES,
  conserve: [{ input: 'stay_diagnoses', output: 'label_rows', drops: ['not_in_cohort', 'not_primary'] }],
  audits: [
    {
      name: 'the admission of a cohort stay and its diagnoses are of one patient',
      sql: 'select d.hadm_id from diagnoses_icd d join cohort c using (hadm_id) where d.subject_id <> c.subject_id',
    },
    {
      name: 'codes have no blanks around them',
      sql: 'select icd_version, icd_code from code_map where icd_code <> trim(icd_code)',
    },
    {
      name: 'every selected label has as many stays as it has positives',
      sql: `select d.dx_code from diagnoses d left join (select dx_code, count(*) as n from labels group by dx_code) l
        using (dx_code) where coalesce(l.n, 0) <> case when d.is_selected then d.positives_n else 0 end`,
    },
  ],
  run,
});
