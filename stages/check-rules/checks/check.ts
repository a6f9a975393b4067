/** What a check of one rule gets and gives. */
import type { RuleCheck } from '../../../schemas/check.js';
import type { Rule } from '../../../schemas/rule.js';
import type { DrugClasses } from '../../lib/drug-classes.js';
import type { DrugIndex } from '../../lib/drugs.js';
import type { Concepts } from '../../lib/rules/concepts.js';
import type { Definitions } from '../../lib/rules/definitions.js';
import type { Places } from '../places.js';

export interface Finding {
  readonly rule_id: string;
  readonly check_name: RuleCheck;
  readonly field: string;
  readonly got: string;
  readonly expected: string;
  readonly other_rule_id?: string;
}

/** A document as the lock describes it. */
export interface Document {
  readonly document_id: string;
  readonly edition: string;
  readonly superseded_by: string | null;
}

/** Everything a check may look at. */
export interface Sources {
  readonly documents: ReadonlyMap<string, Document>;
  readonly places: Places;
  readonly definitions: Definitions;
  readonly drugs: DrugIndex;
  readonly classes: DrugClasses;
  readonly concepts: Concepts;
  /** `facet value` of uses.csv; routes stand there as `route oral`. */
  readonly uses: ReadonlySet<string>;
}

export type Check = (rule: Rule, sources: Sources) => Finding[];

/** A finding on a field. */
export const finding = (
  rule: Rule,
  check_name: RuleCheck,
  field: string,
  got: string,
  expected: string,
): Finding => ({ rule_id: rule.rule_id, check_name, field, got, expected });
