/** What the deterministic checks of rules found: findings, links between rules, edges that two bands print as theirs. */
import { z } from 'zod';
import { col, table } from './table.js';

/** Findings that reject a rule. */
export const ERRORS = [
  'superseded_edition',
  'unknown_document',
  'unknown_place',
  'quote_not_in_place',
  'field_without_span',
  'number_not_in_span',
  'unknown_drug',
  'unknown_class',
  'unknown_concept',
  'unknown_use',
  'illegal_unit',
  'exception_missing',
  'bands_overlap',
] as const;

/** Findings that are reported and reject nothing. */
export const NOTES = ['exception_cell_not_cited', 'band_gap', 'contradiction_in_source'] as const;

export const RuleCheck = z.enum([...ERRORS, ...NOTES]);
export type RuleCheck = z.infer<typeof RuleCheck>;

export const ruleFindings = table({
  name: 'rule_findings',
  doc: 'one finding of one check on one rule; errors reject the rule, notes are reported',
  key: ['rule_id', 'check_name', 'field', 'got'],
  row: {
    rule_id: col.text(),
    check_name: RuleCheck.meta({ sql: 'VARCHAR' }),
    is_error: col.bool(),
    /** JSON pointer into the rule; `/` for the whole. */
    field: col.text(),
    got: col.text(),
    expected: col.text(),
    /** The other rule of a pair. */
    other_rule_id: col.text().nullable(),
  },
});

/**
 * `same`: the two say the same of a shared drug. `nested`: whenever the first holds, so does the second. Both within one
 * source and for one sort of action. `other_source`: two sources decide about a shared drug by the same number or fact and
 * differ; both are kept.
 */
export const LINKS = ['same', 'nested', 'other_source'] as const;

export const ruleLinks = table({
  name: 'rule_links',
  doc: 'pairs of rules on a shared drug that say the same, lie in each other, or differ between sources',
  key: ['rule_id', 'other_rule_id', 'link'],
  row: {
    rule_id: col.text(),
    other_rule_id: col.text(),
    link: z.enum(LINKS).meta({ sql: 'VARCHAR' }),
    /** JSON list: ingredients, combinations and classes that both rules name. */
    shared: col.text(),
    /** True where one rule names the class and the other a member. */
    is_class_and_member: col.bool(),
    /** For `other_source`: what differs, in words; null otherwise. */
    difference: col.text().nullable(),
  },
});

export const ambiguousEdges = table({
  name: 'ambiguous_edges',
  doc: 'edges that two bands of one ladder print as theirs; never used as a value',
  key: ['edge_id'],
  row: {
    edge_id: col.text(),
    source_id: col.text(),
    drug: col.text(),
    population: col.text(),
    measure: col.text(),
    value: col.double(),
    unit: col.text(),
    /** JSON lists of what the bands ask of the use, of further conditions, and of the rules with this edge. */
    use: col.text(),
    state: col.text(),
    rule_ids: col.text(),
  },
});
