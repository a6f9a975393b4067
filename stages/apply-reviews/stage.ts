import { reviewAgreement, reviewDecisions, reviewFields, staleReviews } from '../../schemas/review.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { BODY_FIELDS } from '../lib/rules/fields.js';
import { config } from './config.js';
import { run } from './run.js';

const SIGNED = "('accepted', 'corrected')";

export const applyReviews = defineStage({
  name: 'apply-reviews',
  version: 1,
  summary: 'puts the decisions of reviewers to the rules, field by field, for exactly what stands now',
  inputs: {
    checked_rules: rules,
    reviews: { kind: 'folder', doc: 'raw/reviews/medpic: one JSONL file a reviewer' },
  },
  outputs: {
    rules,
    review_decisions: reviewDecisions,
    review_fields: reviewFields,
    review_agreement: reviewAgreement,
    stale_reviews: staleReviews,
  },
  config,
  conserve: [
    { input: 'checked_rules', output: 'rules' },
    {
      input: 'review_lines',
      output: 'review_decisions',
      drops: ['item_validation', 'exact_copy', 'withdrawn_rule'],
    },
  ],
  audits: [
    {
      name: 'every rule has a row for every field',
      sql: `select r.rule_id from rules r left join review_fields f using (rule_id)
        group by r.rule_id having count(f.field) <> ${BODY_FIELDS.length}`,
    },
    {
      name: 'every field of a verified rule is signed by two people',
      sql: `select f.rule_id, f.field from review_fields f join rules r using (rule_id) where r.status = 'verified'
        and (f.status not in ${SIGNED} or json_array_length(f.reviewers) < 2)`,
    },
    {
      name: 'a checked rule has an open field',
      sql: `select r.rule_id from rules r where r.status = 'checked' and not exists (
        select 1 from review_fields f where f.rule_id = r.rule_id and f.status not in ${SIGNED})`,
    },
    {
      name: 'what a rule says changes by correction only',
      sql: `select r.rule_id from rules r join checked_rules c using (rule_id)
        where (r.content_hash <> c.content_hash) <> exists (
          select 1 from review_fields f where f.rule_id = r.rule_id and f.status = 'corrected')`,
    },
  ],
  run,
});
