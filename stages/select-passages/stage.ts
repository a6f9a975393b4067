import { labelDocuments, labelSections } from '../../schemas/labels.js';
import { passages } from '../../schemas/passage.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const selectPassages = defineStage<Config>({
  name: 'select-passages',
  version: 1,
  summary: 'label sections that rules may be drafted from',
  inputs: { label_documents: labelDocuments, label_sections: labelSections },
  outputs: { passages },
  config,
  conserve: [
    {
      input: 'label_sections',
      output: 'passages',
      drops: ['no_text', 'code_not_asked', 'kind_not_asked', 'copy'],
    },
  ],
  run,
});
