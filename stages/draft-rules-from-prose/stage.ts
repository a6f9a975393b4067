import { classWords, drugClasses, drugNames } from '../../schemas/guideline.js';
import { passageOutcomes, passages } from '../../schemas/passage.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { CONCEPTS_FILE } from '../lib/rules/concepts.js';
import { DEFINITIONS_FILE } from '../lib/rules/definitions.js';
import { type Config, config } from './config.js';
import { PROMPT_FILE } from './prompt.js';
import { AUTHOR, DEFINITION_WORDS_FILE, RULES_IN, run, UNIT_WORDS_FILE, USES_FILE } from './run.js';

export const draftRulesFromProse = defineStage<Config>({
  name: 'draft-rules-from-prose',
  version: 1,
  summary: 'asks a model for rules of label sections and guideline cells, and checks every quote',
  inputs: {
    passages,
    /** Rules of the author without a model; they come out again beside those of the model. */
    drafted_rules: rules,
    drug_names: drugNames,
    drug_classes: drugClasses,
    class_words: classWords,
  },
  optional: ['drafted_rules'],
  outputs: { rules, passage_outcomes: passageOutcomes },
  config,
  models: [AUTHOR],
  // o200k_base tokens: 4,200 instructions with the words that are known, 560 schema, and a passage of a label or cell.
  estimate: () => [
    {
      purpose: AUTHOR,
      per_row_of: 'passages',
      calls: 1,
      calls_at_most: 1,
      prompt_tokens: 5500,
      reply_tokens: 500,
    },
  ],
  files: [PROMPT_FILE, CONCEPTS_FILE, DEFINITIONS_FILE, USES_FILE, DEFINITION_WORDS_FILE, UNIT_WORDS_FILE],
  conserve: [
    { input: 'passages', output: 'passage_outcomes' },
    { input: RULES_IN, output: 'rules' },
  ],
  // How much of a reply is refused says something about the model, not about the build: it is reported.
  rejectLimit: 1,
  audits: [
    {
      name: 'every passage counts its rules',
      sql: `select o.passage_id from passage_outcomes o left join
        (select row_id, count(*) as n from rules where author = 'model' group by all) r on r.row_id = o.passage_id
        where coalesce(r.n, 0) <> o.rules_n`,
    },
    {
      name: 'a passage without rules has a reason',
      sql: `select passage_id from passage_outcomes where (rules_n = 0) <> (reason is not null)`,
    },
    {
      name: 'rules of a model have a span for their action and every target',
      sql: `select rule_id from rules where author = 'model'
        and (not contains(spans, '"/action/kind"') or not contains(spans, '"/target/0"'))`,
    },
  ],
  run,
});
