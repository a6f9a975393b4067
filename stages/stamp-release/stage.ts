import {
  answers,
  baseline,
  cohort,
  diagnoses,
  features,
  labelRows,
  pairs,
  questions,
  ranks,
  splits,
  TASKS,
  thresholds,
} from '../../schemas/supmimic.js';
import { defineStage } from '../contract.js';
import { FEATURE_NAMES_FILE } from '../lib/feature-names.js';
import { REGISTRY_FILE } from '../lib/registry.js';
import { PROMPTS, promptFile, StampReleaseConfig } from './config.js';
import { runStampRelease } from './run.js';

const both = (columns: string): string =>
  TASKS.map((t) => `select '${t}' as task, ${columns} from answers_${t}`).join(' union all ');

/** Questions and answers of the three configs, kept apart. */
export const stampRelease = defineStage({
  name: 'stamp-release',
  version: 1,
  summary: 'writes questions and answers of BA, DDT and DCT',
  inputs: {
    cohort,
    features,
    diagnoses,
    ranks,
    thresholds,
    pairs,
    baseline,
    label_rows: labelRows,
    splits,
  },
  outputs: {
    ba: questions.ba,
    ddt: questions.ddt,
    dct: questions.dct,
    answers_ba: answers.ba,
    answers_ddt: answers.ddt,
    answers_dct: answers.dct,
  },
  config: StampReleaseConfig,
  files: [REGISTRY_FILE, FEATURE_NAMES_FILE, ...PROMPTS.map(promptFile)],
  conserve: [
    { input: 'baseline', output: 'ba' },
    { input: 'baseline', output: 'answers_ba' },
  ],
  audits: [
    {
      name: 'a yes rests on a diagnoses_icd row, a no on none',
      sql: `select task, item_id from (${both('item_id, stay_id, dx_code, label')}) a
        where (label = 1) <> exists (select 1 from label_rows l where l.stay_id = a.stay_id and l.dx_code = a.dx_code)`,
    },
    {
      name: 'every mined pair became two items of opposite (DDT) or equal (DCT) label',
      sql: `select pair_id from (${both('pair_id, label')}) where pair_id is not null group by task, pair_id
        having count(*) <> 2 or sum(label) <> case task when 'ddt' then 1 else 2 end`,
    },
    {
      name: 'no mined pair is missing',
      sql: `select task, count(*) as pairs_n from pairs group by task
        except select task, count(distinct pair_id) from (${both('pair_id')}) where pair_id is not null group by task`,
    },
    ...TASKS.map((t) => ({
      name: `questions and answers of ${t} have the same items`,
      sql: `select coalesce(q.item_id, a.item_id) as item_id from ${t} q full join answers_${t} a using (item_id)
        where q.item_id is null or a.item_id is null or q.dx_code <> a.dx_code or q.split <> a.split
          or q.pair_id is distinct from a.pair_id`,
    })),
    {
      name: 'an item stands in the split of its patient',
      sql: `select item_id from (${both('item_id, stay_id, split')}) a
        join cohort c using (stay_id) join splits s using (subject_id) where a.split <> s.split`,
    },
  ],
  seeded: true,
  run: runStampRelease,
});
