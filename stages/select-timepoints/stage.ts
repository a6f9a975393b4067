import { selectedTimepoints, selections } from '../../schemas/rxeval.js';
import { RECORD_TABLES, selectionFunnel } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { CLINICAL_FILES } from '../lib/clinical/tables.js';
import { type Config, config } from './config.js';
import { SELECT_PROMPT, SELECTOR } from './model.js';
import { run } from './run.js';

export const selectTimepoints = defineStage<Config>({
  name: 'select-timepoints',
  version: 1,
  summary: 'says of each drug of a moment whether it is new, continued or routine, and which moments go on',
  inputs: RECORD_TABLES,
  outputs: {
    selected_timepoints: selectedTimepoints,
    selections,
    selection_funnel: selectionFunnel,
  },
  config,
  models: ({ author }) => (author === 'model' ? [SELECTOR] : []),
  // A timeline has about 3,100 tokens (the published median of a whole prompt); the instructions come on top.
  estimate: ({ author }) =>
    author === 'model'
      ? [
          {
            purpose: SELECTOR,
            per_row_of: 'timepoints',
            calls: 1,
            calls_at_most: 1,
            prompt_tokens: 3700,
            reply_tokens: 200,
          },
        ]
      : [],
  files: [...CLINICAL_FILES, SELECT_PROMPT],
  conserve: [{ input: 'timepoints', output: 'selected_timepoints' }],
  // Replies that could not be used end their moment; how many says something about the model, not about the build.
  rejectLimit: 1,
  audits: [
    {
      name: 'a moment that goes on has a new drug with a trigger',
      sql: `select timepoint_id from selected_timepoints where decision = 'PROCEED' and timepoint_id not in (
        select timepoint_id from selections
        where drug_class = 'REASONED_NEW' and is_timeline_dependent and trigger_ref is not null)`,
    },
    {
      name: 'every answer has a class',
      sql: `select s.timepoint_id from selections s anti join selected_timepoints t using (timepoint_id)`,
    },
  ],
  run,
});
