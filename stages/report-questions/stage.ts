import {
  answers,
  chainVerdicts,
  distractorRuleUse,
  distractors,
  distractorVerdicts,
  questions,
} from '../../schemas/rxeval.js';
import {
  admissionFunnel,
  chainFunnel,
  distractorFunnel,
  sampledAdmissions,
  selectionFunnel,
  timepointFunnel,
  timepoints,
} from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import { ReportQuestionsConfig } from './config.js';
import { run } from './run.js';

/** What a reader has to know about the questions, as data and as a page. */
export const reportQuestions = defineStage({
  name: 'report-questions',
  version: 1,
  summary: 'counts moments, options and events beside the published numbers, and looks for cues',
  inputs: {
    sampled_admissions: sampledAdmissions,
    timepoints,
    questions,
    answers,
    distractors,
    chain_verdicts: chainVerdicts,
    distractor_verdicts: distractorVerdicts,
    distractor_rule_use: distractorRuleUse,
    admission_funnel: admissionFunnel,
    timepoint_funnel: timepointFunnel,
    selection_funnel: selectionFunnel,
    chain_funnel: chainFunnel,
    distractor_funnel: distractorFunnel,
  },
  outputs: {
    report_json: { kind: 'document', filename: 'report.json', doc: 'the report as data' },
    report_html: { kind: 'document', filename: 'report.html', doc: 'the report as one page' },
  },
  config: ReportQuestionsConfig,
  files: [STYLE_FILE],
  run,
});
