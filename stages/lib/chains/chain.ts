/** A chain in memory: why one drug of a moment was ordered, step by step. */
import type { ChainProblem, ChainStep, DrugClass } from '../../../schemas/rxeval.js';

/** What an author writes. */
export interface ChainText {
  readonly steps: readonly ChainStep[];
  /** Two or three sentences. */
  readonly summary: string;
}

export interface Chain extends ChainText {
  readonly order_id: string;
  readonly drug_class: DrugClass;
  /** Row of indications.csv or kind of an auxiliary chain; null for a model. */
  readonly rule_id: string | null;
}

/** What an author is told about an attempt that did not pass. */
export interface Complaint {
  readonly order_id: string;
  readonly drug_class: DrugClass;
  readonly attempt: ChainText;
  readonly issues: readonly ChainProblem[];
  readonly feedback: string;
}

/** No evidence was found: the checks call it `empty_chain`. */
export const emptyChain = (order_id: string, drug_class: DrugClass): Chain => ({
  order_id,
  drug_class,
  steps: [],
  summary: 'No evidence on record.',
  rule_id: null,
});
