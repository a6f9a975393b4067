import { ambiguousEdges, ruleFindings, ruleLinks } from '../../schemas/check.js';
import {
  beersRows,
  classWords,
  drugClasses,
  drugNames,
  guidelineDocuments,
  kidsRows,
  labelRows,
  tgaRows,
} from '../../schemas/guideline.js';
import { passages } from '../../schemas/passage.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { CONCEPTS_FILE } from '../lib/rules/concepts.js';
import { DEFINITIONS_FILE } from '../lib/rules/definitions.js';
import { type Config, config } from './config.js';
import { run, USES_FILE } from './run.js';

/** Checks of rules that were read from the tables of ours. */
export const checkRules = defineStage<Config>({
  name: 'check-rules',
  version: 1,
  summary: 'checks every rule against its source and against the others; findings, links, ambiguous edges',
  inputs: {
    rules,
    beers_rows: beersRows,
    kids_rows: kidsRows,
    tga_rows: tgaRows,
    label_rows: labelRows,
    guideline_documents: guidelineDocuments,
    drug_names: drugNames,
    drug_classes: drugClasses,
    class_words: classWords,
  },
  outputs: {
    checked_rules: rules,
    rule_findings: ruleFindings,
    rule_links: ruleLinks,
    ambiguous_edges: ambiguousEdges,
  },
  config,
  files: [CONCEPTS_FILE, DEFINITIONS_FILE, USES_FILE],
  conserve: [{ input: 'rules', output: 'checked_rules' }],
  audits: [
    {
      name: 'a rule is rejected exactly when it has an error',
      sql: `select c.rule_id from checked_rules c left join
        (select distinct rule_id from rule_findings where is_error) f using (rule_id)
        where (c.status = 'rejected') <> (f.rule_id is not null) or c.status not in ('checked', 'rejected')`,
    },
    {
      name: 'a check changes nothing of what a rule says',
      sql: `select c.rule_id from checked_rules c join rules r using (rule_id)
        where c.body <> r.body or c.spans <> r.spans or c.content_hash <> r.content_hash`,
    },
    {
      name: 'a rejected rule makes no question',
      sql: "select rule_id from checked_rules where status = 'rejected' and is_usable",
    },
    {
      name: 'findings and links are of rules that are there',
      sql: `select rule_id from (select rule_id from rule_findings union all select rule_id from rule_links
        union all select other_rule_id from rule_links) anti join rules using (rule_id)`,
    },
  ],
  run: (ctx, settings) => run(ctx, settings, { has_passages: false }),
});

/** The same for a pipeline in which rules were also drafted from prose. */
export const checkRulesAndProse = defineStage<Config>({
  ...checkRules,
  inputs: { ...checkRules.inputs, passages },
  run: (ctx, settings) => run(ctx, settings, { has_passages: true }),
});
