/** Keeps a few drugs from filling a benchmark: electrolytes are ordered so often that they would. */
import * as limit from '../drug-share.js';
import { sha256 } from '../hash.js';

export type MomentDrugs = limit.MomentDrugs;

/**
 * Ids of moments to leave out so that no drug is more than `share` of all answers left. Of the most frequent drug the
 * moments with the fewest answers go first, then by a hash of their id: rows and seeds do not decide.
 */
export const overShare = (moments: readonly MomentDrugs[], share: number): Set<string> =>
  limit.overShare(moments, {
    share,
    always: 5,
    order: (m) => `${String(m.drugs.length).padStart(4, '0')} ${sha256(m.timepoint_id)}`,
  });
