import { answers, itemRejects, questions } from '../../schemas/medpic.js';
import { itemValidation } from '../../schemas/review.js';
import { rowOutcomes, rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { STYLE_FILE } from '../lib/report-page/frame.js';
import { config } from './config.js';
import { run } from './run.js';

/** What a reader has to know about the questions, as data and as a page. */
export const reportItems = defineStage({
  name: 'report-items',
  version: 1,
  summary: 'counts items and pairs, and looks for cues that give an answer away',
  inputs: {
    rules,
    row_outcomes: rowOutcomes,
    questions,
    answers,
    item_rejects: itemRejects,
    item_validation: itemValidation,
  },
  outputs: {
    report_json: { kind: 'document', filename: 'report.json', doc: 'the report as data' },
    report_html: { kind: 'document', filename: 'report.html', doc: 'the report as one page' },
  },
  config,
  files: [STYLE_FILE],
  run,
});
