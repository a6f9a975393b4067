/** Three-valued answers about a record, each with the places of the record that it rests on. */
import type { Cite } from '../../../schemas/rxeval.js';

export interface Judged {
  /** Null: the record does not tell. */
  readonly truth: boolean | null;
  /** What the answer rests on; empty when nothing on record can be pointed to. */
  readonly cites: readonly Cite[];
}

export const UNKNOWN_TRUTH: Judged = { truth: null, cites: [] };

/** The opposite, resting on the same places. */
export const negate = ({ truth, cites }: Judged): Judged => ({
  truth: truth === null ? null : !truth,
  cites,
});

/** A citation of a whole event or span. */
export const citeWhole = (ref: string): Cite => ({ ref, item: null, value: null, unit: null, quote: null });

/** A citation of words of an event or span. */
export const citeWords = (ref: string, quote: string): Cite => ({ ...citeWhole(ref), quote });
