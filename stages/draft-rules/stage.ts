import { classWords, drugClasses, drugNames } from '../../schemas/guideline.js';
import { rowOutcomes, rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { DEFINITIONS_FILE } from '../lib/rules/definitions.js';
import { config } from './config.js';
import { PHRASES_FILE } from './lexicon.js';
import { run } from './run.js';
import { ROW_TABLES } from './sources.js';

export const draftRules = defineStage({
  name: 'draft-rules',
  version: 1,
  summary: 'turns guideline rows into normalised rules with a span for every field',
  inputs: { ...ROW_TABLES, drug_names: drugNames, drug_classes: drugClasses, class_words: classWords },
  outputs: { rules, row_outcomes: rowOutcomes },
  config,
  files: [PHRASES_FILE, DEFINITIONS_FILE],
  conserve: [{ input: 'source_rows', output: 'row_outcomes', drops: ['source_not_asked'] }],
  audits: [
    {
      name: 'every row outcome counts its rules',
      sql: `select o.row_id from row_outcomes o left join
        (select source_id, row_id, count(*) as n from rules group by all) r using (source_id, row_id)
        where coalesce(r.n, 0) <> o.rules_n`,
    },
    {
      name: 'a row without rules has a reason, a row with rules has none',
      sql: 'select row_id from row_outcomes where (rules_n = 0) <> (reason is not null)',
    },
  ],
  run,
});
