/** How a check gives a rule of a reply up: it throws, and the rule becomes a reject with the field and what was got. */

export type RejectReason =
  | 'quote_not_in_passage'
  | 'number_not_in_quote'
  | 'unit_not_in_quote'
  | 'direction_not_in_quote'
  | 'unreadable_condition'
  | 'unknown_drug'
  | 'drug_not_in_quote'
  | 'unknown_class'
  | 'class_not_in_quote'
  | 'unknown_fact'
  | 'unknown_use'
  | 'exception_missing'
  | 'partner_missing'
  | 'empty_text'
  | 'repeated_rule';

export interface RuleReject {
  readonly reason: RejectReason;
  /** Path in the rule of the reply: `when.0.quote`. */
  readonly field: string;
  readonly got: string;
  readonly expected: string;
}

export class Refusal extends Error {
  readonly reject: RuleReject;
  constructor(reject: RuleReject) {
    super(`${reject.field}: ${reject.reason}`);
    this.reject = reject;
  }
}

/** Refuses the rule being checked. */
export function refuse(reason: RejectReason, field: string, got: string, expected: string): never {
  throw new Refusal({ reason, field, got: got.slice(0, 300), expected });
}
