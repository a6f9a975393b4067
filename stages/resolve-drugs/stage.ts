/** Declaration of resolve-drugs. */
import {
  beersRows,
  classWords,
  drugClasses,
  drugMentions,
  drugNames,
  kidsRows,
  labelRows,
  tgaRows,
} from '../../schemas/guideline.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const resolveDrugs = defineStage<Config>({
  name: 'resolve-drugs',
  version: 1,
  summary: 'says which ingredient, combination or class every drug word of the rule rows stands for',
  inputs: {
    beers_rows: beersRows,
    kids_rows: kidsRows,
    label_rows: labelRows,
    tga_rows: tgaRows,
    drug_names: drugNames,
    drug_classes: drugClasses,
    class_words: classWords,
  },
  outputs: { drug_mentions: drugMentions },
  config,
  conserve: [{ input: 'names', output: 'drug_mentions' }],
  audits: [
    {
      name: 'drugs have an ingredient, classes have keys, nothing has both',
      sql: `select row_id from drug_mentions
            where (kind = 'drug') <> (ingredient is not null) or (kind = 'class') <> (class_keys is not null)`,
    },
  ],
  // The limit is configurable and holds before the mentions are written (max_reject_share).
  rejectLimit: 1,
  run,
});
