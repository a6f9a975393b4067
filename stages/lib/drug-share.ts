/** Keeps one drug from filling a set of moments. */

/** A moment by the folded names of its right drugs, one entry an option. */
export interface MomentDrugs {
  readonly timepoint_id: string;
  readonly drugs: readonly string[];
}

/** How much of one drug is too much, and which of its moments goes first. */
export interface ShareRule<M extends MomentDrugs> {
  /** Largest share of one drug among all drugs left. */
  readonly share: number;
  /** So many a drug may always have: shares mean nothing in a small set. */
  readonly always: number;
  /** Moments with a smaller text go first; texts are unique. */
  readonly order: (moment: M) => string;
  /** Moments of the drug, in that order, to those that one is left out of; all when left out. */
  readonly among?: (moments: readonly M[]) => readonly M[];
}

/**
 * Ids of moments to leave out: while the most frequent drug is over its share, one of its moments goes. Which ones go
 * depends on the set of moments alone, not on its order.
 */
export function overShare<M extends MomentDrugs>(moments: readonly M[], rule: ShareRule<M>): Set<string> {
  const { share, always, order, among = (all) => all } = rule;
  const sorted = moments
    .map((m) => [order(m), m] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, m]) => m);
  const out = new Set<string>();
  const counts = new Map<string, number>();
  for (const d of moments.flatMap((m) => m.drugs)) counts.set(d, (counts.get(d) ?? 0) + 1);
  let total = moments.reduce((sum, m) => sum + m.drugs.length, 0);
  for (;;) {
    const [drug, n] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ['', 0];
    if (n <= Math.max(always, Math.floor(share * total))) return out;
    const moment = among(sorted.filter((m) => !out.has(m.timepoint_id) && m.drugs.includes(drug)))[0]!;
    out.add(moment.timepoint_id);
    for (const d of moment.drugs) counts.set(d, counts.get(d)! - 1);
    total -= moment.drugs.length;
  }
}
