/** Keeps one drug from filling the right options. */
import { groupBy } from '../lib/group-by.js';
import { sha256 } from '../lib/hash.js';

/** The right drugs of a moment, folded, one entry an option. */
export interface MomentDrugs {
  readonly timepoint_id: string;
  readonly phase: string;
  readonly drugs: readonly string[];
}

/**
 * Moments that may become questions: while one drug has more than `max` of all right options, a moment with the most
 * frequent drug is left out, from the phase with the most moments of it, by hash of the id. Which moments stay depends on
 * their set alone, not on its order. A set that cannot keep the limit ends empty only if every moment has the same drug.
 */
export function balance(moments: readonly MomentDrugs[], max: number): ReadonlySet<string> {
  const kept = new Map(moments.map((m) => [m.timepoint_id, m]));
  const counts = new Map<string, number>();
  let total = 0;
  const count = (m: MomentDrugs, sign: 1 | -1): void => {
    for (const d of m.drugs) counts.set(d, (counts.get(d) ?? 0) + sign);
    total += sign * m.drugs.length;
  };
  for (const m of moments) count(m, 1);
  while (total > 0) {
    const [drug, n] = mostFrequent(counts);
    // With few options every drug is over any limit: what stays is one moment at most of each.
    if (n <= max * total || n <= 1) break;
    const out = leaveOut([...kept.values()].filter((m) => m.drugs.includes(drug)));
    kept.delete(out.timepoint_id);
    count(out, -1);
  }
  return new Set(kept.keys());
}

function mostFrequent(counts: ReadonlyMap<string, number>): readonly [string, number] {
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]!;
}

function leaveOut(moments: readonly MomentDrugs[]): MomentDrugs {
  const phases = [...groupBy(moments, (m) => m.phase)].sort(
    ([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1),
  );
  const order = (m: MomentDrugs): string => sha256(`balance\u001f${m.timepoint_id}`);
  return [...phases[0]![1]].sort((a, b) => (order(a) < order(b) ? -1 : 1))[0]!;
}
