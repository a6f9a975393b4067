import {
  classWords,
  drugClasses,
  drugNames,
  guidelineDocuments,
  neutralDrugs,
} from '../../schemas/guideline.js';
import { answers, itemRejects, questions } from '../../schemas/medpic.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { GROUP_FILES } from '../lib/drug-groups.js';
import { CONCEPTS_FILE } from '../lib/rules/concepts.js';
import { NEUTRAL_LIMITS_FILE } from '../lib/rules/neutral.js';
import { INDICATIONS_FILE } from './alternatives.js';
import { config } from './config.js';
import { DISTRACTOR_LIMITS_FILE, WORDS_FILE } from './read.js';
import { run } from './run.js';
import { CATEGORIES_FILE } from './taxonomy.js';

export const poseQuestions = defineStage({
  name: 'pose-questions',
  version: 1,
  summary: 'poses guideline-following items and counterfactual pairs whose keys the rule engine proves',
  inputs: {
    rules,
    guideline_documents: guidelineDocuments,
    drug_names: drugNames,
    drug_classes: drugClasses,
    class_words: classWords,
    neutral_drugs: neutralDrugs,
  },
  outputs: { questions, answers, item_rejects: itemRejects },
  config,
  files: [
    CONCEPTS_FILE,
    NEUTRAL_LIMITS_FILE,
    CATEGORIES_FILE,
    INDICATIONS_FILE,
    DISTRACTOR_LIMITS_FILE,
    WORDS_FILE,
    ...GROUP_FILES,
  ],
  seeded: true,
  audits: [
    {
      name: 'questions and answers have the same items',
      sql: `select coalesce(q.instance_id, a.instance_id) as instance_id from questions q full join answers a using (instance_id)
        where q.instance_id is null or a.instance_id is null or q.config <> a.config or q.split <> a.split`,
    },
    {
      name: 'a pair has at least two members of one config',
      sql: `select pair_id from answers where pair_id is not null group by pair_id
        having count(*) < 2 or count(distinct config) > 1`,
    },
    {
      name: 'the answer of a pair changes, and of an irrelevant change does not',
      sql: `select pair_id from answers where pair_id is not null group by pair_id, config
        having (count(distinct answer) = 1) <> (config = 'irrelevant')`,
    },
    {
      name: 'members of a pair have the same question and options',
      sql: `select a.pair_id from answers a join questions q using (instance_id) where a.pair_id is not null
        group by a.pair_id having count(distinct q.question) > 1 or count(distinct q.options) > 1`,
    },
    {
      name: 'no vignette stands twice with the same question',
      sql: `select 1 as n from questions group by patient_vignette, question, options having count(*) > 1`,
    },
  ],
  run,
});
