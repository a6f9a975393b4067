/** Declaration of build-features. */

import {
  admissions,
  chartevents,
  diagnosesIcd,
  icustays,
  inputevents,
  labevents,
  omr,
  outputevents,
  patients,
  procedureevents,
  services,
} from '../../schemas/mimic.js';
import { cohort, featureReport, features } from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { buildFeaturesConfig } from './config.js';
import { STAGE_FILES } from './features.js';
import { run } from './run.js';

export const buildFeatures = defineStage({
  name: 'build-features',
  version: 1,
  summary: 'computes the 448 features of every stay from its first 24 hours',
  inputs: {
    cohort,
    patients,
    admissions,
    icustays,
    services,
    diagnoses_icd: diagnosesIcd,
    chartevents,
    labevents,
    inputevents,
    outputevents,
    procedureevents,
    omr,
  },
  outputs: { features, feature_report: featureReport },
  config: buildFeaturesConfig,
  files: STAGE_FILES,
  conserve: [{ input: 'cohort', output: 'features' }],
  audits: [
    {
      name: 'every feature value is a finite number of its stay',
      sql: 'select * from feature_values where not isfinite(value) or stay_id not in (select stay_id from cohort)',
    },
  ],
  run,
});
