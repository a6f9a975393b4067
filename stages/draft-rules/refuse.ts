/** How a parser gives a row up: it throws a `Refusal`, and `drafted` turns it into the reject of the row. */
import type { Draft, DraftRule } from './draft.js';

export type RejectReason =
  /** A text that phrases.csv does not have. */
  | 'unread_phrase'
  | 'unknown_drug'
  | 'unparsable_threshold'
  | 'mixed_units'
  /** The row states nothing that a person would do or leave. */
  | 'no_decision'
  /** A recommendation, rating or other closed word that no table of ours has. */
  | 'unknown_word'
  /** Cells of one row that do not fit together. */
  | 'contradiction';

export interface RowReject {
  readonly reason: RejectReason;
  readonly field: string;
  readonly got: string;
  readonly expected: string;
}

export class Refusal extends Error {
  readonly reject: RowReject;
  constructor(reject: RowReject) {
    super(`${reject.field}: ${reject.reason}: ${reject.got}`);
    this.reject = reject;
  }
}

/** Refuses the row being read. */
export function refuse(reason: RejectReason, field: string, got: string, expected: string): never {
  throw new Refusal({ reason, field, got, expected });
}

/** The rules that `read` returns, or the reject it threw; any other error is a fault of ours and passes. */
export function drafted(read: () => DraftRule[]): Draft {
  try {
    return { rules: read() };
  } catch (error) {
    if (error instanceof Refusal) return { reject: error.reject };
    throw error;
  }
}
