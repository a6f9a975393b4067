import { loadReport } from '../../schemas/mimic.js';
import {
  baseline,
  codeMap,
  cohort,
  cohortFlow,
  diagnoses,
  eligibility,
  featureReport,
  imputed,
  imputeValues,
  kSweep,
  labels,
  pairs,
  ranges,
  rankSummary,
  ranks,
  selectionSteps,
  splits,
  thresholds,
} from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { FEATURE_NAMES_FILE } from '../lib/feature-names.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import { ReportQualityConfig } from './config.js';
import { runReportQuality } from './run.js';

/** What a reader has to know about a release, as data and as a page. */
export const reportQuality = defineStage({
  name: 'report-quality',
  version: 1,
  summary: 'writes the quality report with its plots',
  inputs: {
    load_report: loadReport,
    cohort,
    cohort_flow: cohortFlow,
    feature_report: featureReport,
    impute_values: imputeValues,
    imputed,
    splits,
    diagnoses,
    selection_steps: selectionSteps,
    code_map: codeMap,
    labels,
    ranks,
    rank_summary: rankSummary,
    k_sweep: kSweep,
    ranges,
    eligibility,
    thresholds,
    pairs,
    baseline,
  },
  outputs: {
    report_json: { kind: 'document', filename: 'report.json', doc: 'the report as data' },
    report_html: { kind: 'document', filename: 'report.html', doc: 'the report as one page' },
  },
  seeded: true,
  config: ReportQualityConfig,
  files: [FEATURE_NAMES_FILE, STYLE_FILE],
  run: runReportQuality,
});
