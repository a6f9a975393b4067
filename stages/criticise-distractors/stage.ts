import {
  distractorDrafts,
  distractorOutcomes,
  distractors,
  distractorVerdicts,
} from '../../schemas/rxeval.js';
import { distractorFunnel } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { AUTHOR_PROMPT } from '../lib/distractors/prompt.js';
import { DISTRACTOR_INPUTS, OPTIONAL_INPUTS, PROOF_FILES } from '../lib/distractors/setting.js';
import { type Config, config } from './config.js';
import { AUTHOR, CRITIC, CRITIC_PROMPT, MOMENTS, run } from './run.js';

export const criticiseDistractors = defineStage<Config>({
  name: 'criticise-distractors',
  version: 1,
  summary:
    'proves or refuses every wrong option, has refused ones written again, and keeps moments with enough good ones',
  inputs: { ...DISTRACTOR_INPUTS, distractor_drafts: distractorDrafts },
  optional: OPTIONAL_INPUTS,
  outputs: {
    distractors,
    distractor_verdicts: distractorVerdicts,
    distractor_outcomes: distractorOutcomes,
    distractor_funnel: distractorFunnel,
  },
  config,
  models: (c) => [...(c.author === 'model' ? [AUTHOR] : []), ...(c.critic === 'model' ? [CRITIC] : [])],
  // A third of the moments are assumed to keep their chains, and half of these to come again once.
  estimate: ({ author, critic, regenerations, critic_repeats }) =>
    [
      {
        purpose: AUTHOR,
        per_row_of: 'timepoints',
        calls: 0.2,
        calls_at_most: regenerations,
        prompt_tokens: 5500,
        reply_tokens: 600,
      },
      {
        purpose: CRITIC,
        per_row_of: 'timepoints',
        calls: 0.55,
        calls_at_most: (1 + regenerations) * (1 + critic_repeats),
        prompt_tokens: 5500,
        reply_tokens: 500,
      },
    ].filter(({ purpose }) => (purpose === AUTHOR ? author : critic) === 'model'),
  files: [...PROOF_FILES, AUTHOR_PROMPT, CRITIC_PROMPT],
  seeded: true,
  conserve: [{ input: MOMENTS, output: 'distractor_outcomes' }],
  rejectLimit: 1,
  audits: [
    {
      name: 'every accepted distractor passed the checks, and the critic where there is one',
      sql: `select d.distractor_id from distractors d left join distractor_verdicts v
        on v.timepoint_id = d.timepoint_id and v.distractor_id = d.distractor_id and v.attempt_n = d.attempt_n
        group by d.timepoint_id, d.distractor_id
        having count(*) filter (v.judge = 'checks') = 0 or count(*) filter (v.verdict <> 'GOOD') > 0`,
    },
    {
      name: 'every accepted distractor has a proof',
      sql: `select distractor_id from distractors where json_array_length(proofs) = 0`,
    },
    {
      name: 'distractors are those of accepted moments, as many as the outcome says',
      sql: `select o.timepoint_id from distractor_outcomes o
        left join (select timepoint_id, count(*) as n from distractors group by all) d using (timepoint_id)
        where coalesce(d.n, 0) <> case when o.is_accepted then o.good_n else 0 end`,
    },
    {
      name: 'no moment has a drug twice',
      sql: 'select timepoint_id from distractors group by timepoint_id, drug having count(*) > 1',
    },
  ],
  run,
});
