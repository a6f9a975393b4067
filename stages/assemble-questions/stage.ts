import { answers, chains, distractorOutcomes, distractors, questions } from '../../schemas/rxeval.js';
import { RECORD_TABLES } from '../../schemas/rxeval-record.js';
import { defineStage } from '../contract.js';
import { AssembleQuestionsConfig } from './config.js';
import { PROMPT_FILES } from './prompts.js';
import { run } from './run.js';

/** Questions and their answer sets, kept apart. */
export const assembleQuestions = defineStage({
  name: 'assemble-questions',
  version: 1,
  summary: 'shuffles right drugs and distractors into lettered questions, and writes the other forms of each',
  inputs: { ...RECORD_TABLES, chains, distractors, distractor_outcomes: distractorOutcomes },
  outputs: { questions, answers },
  config: AssembleQuestionsConfig,
  files: PROMPT_FILES,
  audits: [
    {
      name: 'questions and answers are the same items',
      sql: `select coalesce(q.question_id, a.question_id) from questions q full join answers a using (config, question_id)
        where q.question_id is null or a.question_id is null or q.split <> a.split or q.phase <> a.phase`,
    },
    {
      name: 'a moment has one question, in one split',
      sql: `select timepoint_id from answers group by timepoint_id
        having count(distinct question_id) <> 1 or count(distinct split) <> 1`,
    },
    {
      name: 'every order of an answer set has its chain',
      sql: `select a.question_id from answers a, (select unnest(from_json(correct, '["json"]')) as c, question_id, config from answers) x
        where a.question_id = x.question_id and a.config = x.config and not exists (
          select 1 from chains h where h.timepoint_id = a.timepoint_id and h.order_id = (x.c ->> 'order_id'))`,
    },
  ],
  // More right drugs than letters happens on single moments; more of them would be a fault of the moments.
  rejectLimit: 0.05,
  seeded: true,
  run,
});
