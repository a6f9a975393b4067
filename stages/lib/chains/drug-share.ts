/** Keeps a few drugs from filling a benchmark: electrolytes are ordered so often that they would. */
import { sha256 } from '../hash.js';

/** A moment by the folded names of its answers. */
export interface MomentDrugs {
  readonly timepoint_id: string;
  readonly drugs: readonly string[];
}

/** So many answers a drug may always have: shares mean nothing in a small set. */
const ALWAYS = 5;

/**
 * Ids of moments to leave out so that no drug is more than `share` of all answers left. Of the most frequent drug the
 * moments with the fewest answers go first, then by a hash of their id: rows and seeds do not decide.
 */
export function overShare(moments: readonly MomentDrugs[], share: number): Set<string> {
  const out = new Set<string>();
  const counts = new Map<string, number>();
  for (const m of moments) for (const d of m.drugs) counts.set(d, (counts.get(d) ?? 0) + 1);
  const order = (m: MomentDrugs): string =>
    `${String(m.drugs.length).padStart(4, '0')} ${sha256(m.timepoint_id)}`;
  const sorted = [...moments].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  let total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  for (;;) {
    const [drug, n] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ['', 0];
    if (n <= Math.max(ALWAYS, Math.floor(share * total))) return out;
    const moment = sorted.find((m) => !out.has(m.timepoint_id) && m.drugs.includes(drug))!;
    out.add(moment.timepoint_id);
    for (const d of moment.drugs) counts.set(d, counts.get(d)! - 1);
    total -= moment.drugs.length;
  }
}
