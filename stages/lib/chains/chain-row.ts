/** Chains as rows, and back. */
import { z } from 'zod';
import { type Author, ChainStep, type DrugClass } from '../../../schemas/rxeval.js';
import type { SqlRow } from '../../contract.js';
import { canonicalJson } from '../canonical-json.js';
import type { Moment } from '../record/moment.js';
import type { Chain } from './chain.js';

export interface Origin {
  /** From 1. */
  readonly attempt_n: number;
  readonly author: Author;
  /** As in the column. */
  readonly llm: string | null;
}

/** The row of chain_drafts or chains. */
export function chainRow(moment: Moment, chain: Chain, { attempt_n, author, llm }: Origin): SqlRow {
  const answer = moment.answers.find((o) => o.order_id === chain.order_id);
  return {
    timepoint_id: moment.timepoint.timepoint_id,
    order_id: chain.order_id,
    attempt_n,
    drug: answer?.drug ?? '',
    drug_class: chain.drug_class,
    steps: canonicalJson(chain.steps),
    summary: chain.summary,
    author,
    rule_id: chain.rule_id,
    llm,
  };
}

/** The chain of a row. Steps that do not fit their schema throw. */
export function chainOf(row: SqlRow): Chain {
  return {
    order_id: String(row.order_id),
    drug_class: String(row.drug_class) as DrugClass,
    steps: z.array(ChainStep).parse(JSON.parse(String(row.steps))),
    summary: String(row.summary),
    rule_id: row.rule_id === null ? null : String(row.rule_id),
  };
}
