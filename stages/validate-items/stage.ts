import { answers, questions } from '../../schemas/medpic.js';
import {
  criterionExclusions,
  itemCriteria,
  itemDecisions,
  itemValidation,
  validationAgreement,
} from '../../schemas/review.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { config } from './config.js';
import { run } from './run.js';

export const validateItems = defineStage({
  name: 'validate-items',
  version: 1,
  summary: 'puts the decisions of reviewers to the items, criterion by criterion, and takes out what fails',
  inputs: {
    questions,
    answers,
    rules,
    reviews: { kind: 'folder', doc: 'raw/reviews/medpic: one JSONL file a reviewer' },
  },
  outputs: {
    item_validation: itemValidation,
    item_criteria: itemCriteria,
    item_decisions: itemDecisions,
    criterion_exclusions: criterionExclusions,
    validation_agreement: validationAgreement,
  },
  config,
  conserve: [
    { input: 'questions', output: 'item_validation' },
    { input: 'answers', output: 'item_validation' },
    { input: 'review_lines', output: 'item_decisions', drops: ['rule_review', 'exact_copy'] },
  ],
  audits: [
    {
      name: 'two people passed every criterion of a validated item',
      sql: `select v.instance_id from item_validation v join item_criteria c using (instance_id)
        where v.status = 'validated' and (c.status <> 'passed' or json_array_length(c.passed_by) < 2)`,
    },
    {
      name: 'a pair with an excluded member is excluded whole',
      sql: `select pair_id from item_validation where pair_id is not null group by pair_id
        having count(*) filter (where status = 'excluded') not in (0, count(*))`,
    },
    {
      name: 'every item has its criteria',
      sql: `select v.instance_id from item_validation v left join item_criteria c using (instance_id)
        group by v.instance_id, v.pair_id having count(c.criterion) <> case when v.pair_id is null then 4 else 5 end`,
    },
  ],
  run,
});
