/** Keeps one drug from filling the right options. */
import * as limit from '../lib/drug-share.js';
import { groupBy } from '../lib/group-by.js';
import { sha256 } from '../lib/hash.js';

/** The right drugs of a moment, folded, one entry an option. */
export interface MomentDrugs extends limit.MomentDrugs {
  readonly phase: string;
}

/**
 * Moments that may become questions: while one drug has more than `max` of all right options, a moment with the most
 * frequent drug is left out, from the phase with the most moments of it, by hash of the id. With few options every drug is
 * over any limit: then one moment of it stays.
 */
export function balance(moments: readonly MomentDrugs[], max: number): ReadonlySet<string> {
  const out = limit.overShare(moments, {
    share: max,
    always: 1,
    order: (m) => sha256(`balance\u001f${m.timepoint_id}`),
    among: fullestPhase,
  });
  return new Set(moments.map((m) => m.timepoint_id).filter((id) => !out.has(id)));
}

function fullestPhase(moments: readonly MomentDrugs[]): readonly MomentDrugs[] {
  const phases = [...groupBy(moments, (m) => m.phase)];
  return phases.sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]![1];
}
