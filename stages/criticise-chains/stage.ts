import { chainDrafts, chainOutcomes, chains, chainVerdicts } from '../../schemas/rxeval.js';
import { chainFunnel, RECORD_TABLES } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { AUTHOR, CHAIN_PROMPT } from '../lib/chains/model-author.js';
import { CLINICAL_FILES } from '../lib/clinical/tables.js';
import { type Config, config } from './config.js';
import { CRITIC, CRITIC_PROMPT } from './critic.js';
import { run } from './run.js';

export const criticiseChains = defineStage<Config>({
  name: 'criticise-chains',
  version: 1,
  summary: 'checks every chain against the record, asks a critic, and has it written again up to three times',
  inputs: { ...RECORD_TABLES, chain_drafts: chainDrafts },
  outputs: {
    chains,
    chain_verdicts: chainVerdicts,
    chain_outcomes: chainOutcomes,
    chain_funnel: chainFunnel,
  },
  config,
  models: ({ author, critic }) => [
    ...(author === 'model' ? [AUTHOR] : []),
    ...(critic === 'model' ? [CRITIC] : []),
  ],
  // Half of the moments are assumed to go on, and half of these to come again once.
  estimate: ({ author, critic, regenerations_n, reasks_n }) =>
    [
      {
        purpose: AUTHOR,
        per_row_of: 'timepoints',
        calls: 0.25,
        calls_at_most: regenerations_n,
        prompt_tokens: 4800,
        reply_tokens: 800,
      },
      {
        purpose: CRITIC,
        per_row_of: 'timepoints',
        calls: 0.75,
        calls_at_most: (1 + regenerations_n) * (1 + reasks_n),
        prompt_tokens: 5000,
        reply_tokens: 400,
      },
    ].filter(({ purpose }) => (purpose === AUTHOR ? author : critic) === 'model'),
  files: [...CLINICAL_FILES, CHAIN_PROMPT, CRITIC_PROMPT],
  conserve: [{ input: 'chain_drafts', output: 'chains', drops: ['moment_not_accepted'] }],
  audits: [
    {
      name: 'every accepted moment has a passing check on each of its chains',
      sql: `select c.timepoint_id, c.order_id from chains c anti join chain_verdicts v
        on v.timepoint_id = c.timepoint_id and v.order_id = c.order_id and v.attempt_n = c.attempt_n
        and v.judge = 'checks' and v.verdict = 'PASS'`,
    },
    {
      name: 'no accepted chain has a verdict of another kind',
      sql: `select c.timepoint_id, c.order_id from chains c join chain_verdicts v
        on v.timepoint_id = c.timepoint_id and v.order_id = c.order_id and v.attempt_n = c.attempt_n
        where v.verdict <> 'PASS'`,
    },
    {
      name: 'an accepted moment has chains and no other has',
      sql: `select timepoint_id from chain_outcomes
        where is_accepted <> (timepoint_id in (select timepoint_id from chains))`,
    },
  ],
  run,
});
