import { distractorDrafts, distractorRuleUse } from '../../schemas/rxeval.js';
import { defineStage } from '../contract.js';
import { AUTHOR_PROMPT } from '../lib/distractors/prompt.js';
import { DISTRACTOR_INPUTS, OPTIONAL_INPUTS, PROOF_FILES } from '../lib/distractors/setting.js';
import { type Config, config } from './config.js';
import { AUTHOR, DRAFTED, run } from './run.js';

export const makeDistractors = defineStage<Config>({
  name: 'make-distractors',
  version: 1,
  summary: 'writes wrong options for every moment whose correct drugs have chains',
  inputs: DISTRACTOR_INPUTS,
  optional: OPTIONAL_INPUTS,
  outputs: { distractor_drafts: distractorDrafts, distractor_rule_use: distractorRuleUse },
  config,
  models: (c) => (c.author === 'model' ? [AUTHOR] : []),
  // A third of the moments are assumed to keep their chains.
  estimate: ({ author }) =>
    author === 'model'
      ? [
          {
            purpose: AUTHOR,
            per_row_of: 'timepoints',
            calls: 0.35,
            calls_at_most: 1,
            prompt_tokens: 5500,
            reply_tokens: 1000,
          },
        ]
      : [],
  files: [...PROOF_FILES, AUTHOR_PROMPT],
  seeded: true,
  conserve: [{ input: DRAFTED, output: 'distractor_drafts', drops: ['repeated'] }],
  // How often a model gives no usable reply says something about the model; what is missing is written again later.
  rejectLimit: 1,
  audits: [
    {
      name: 'a distractor aims at a correct drug of its moment',
      sql: `select d.distractor_id from distractor_drafts d left join chains c
        on c.timepoint_id = d.timepoint_id and c.order_id = d.targets_order_id
        where c.order_id is null and d.author = 'rules'`,
    },
    {
      name: 'a first attempt is the first',
      sql: 'select distractor_id from distractor_drafts where attempt_n <> 1',
    },
  ],
  run,
});
