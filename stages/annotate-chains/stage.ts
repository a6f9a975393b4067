import { chainDrafts, selectedTimepoints, selections } from '../../schemas/rxeval.js';
import { RECORD_TABLES } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { AUTHOR, CHAIN_PROMPT } from '../lib/chains/model-author.js';
import { CLINICAL_FILES } from '../lib/clinical/tables.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const annotateChains = defineStage<Config>({
  name: 'annotate-chains',
  version: 1,
  summary: 'writes the first chain of reasoning for every answer drug of the moments that go on',
  inputs: { ...RECORD_TABLES, selected_timepoints: selectedTimepoints, selections },
  outputs: { chain_drafts: chainDrafts },
  config,
  models: ({ author }) => (author === 'model' ? [AUTHOR] : []),
  // Half of the moments are assumed to go on. A timeline has about 3,100 tokens (the published median of a whole prompt).
  estimate: ({ author }) =>
    author === 'model'
      ? [
          {
            purpose: AUTHOR,
            per_row_of: 'timepoints',
            calls: 0.5,
            calls_at_most: 1,
            prompt_tokens: 4300,
            reply_tokens: 800,
          },
        ]
      : [],
  files: [...CLINICAL_FILES, CHAIN_PROMPT],
  conserve: [{ input: 'selections', output: 'chain_drafts', drops: ['moment_skipped'] }],
  run,
});
