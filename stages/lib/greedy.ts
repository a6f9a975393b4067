/** First m pairs in a total order, with a cap on how often a patient may stand in them; exact without listing all pairs. */
import type { KeyedPair } from './pair-heap.js';

/** The next pairs of a draw, in order, and whether there are none behind them. */
export interface Draw {
  readonly pairs: readonly KeyedPair[];
  readonly isComplete: boolean;
}

export interface GreedySpec {
  readonly m: number;
  readonly cap: number | 'none';
  /** Patient of a row. */
  readonly patient: ArrayLike<number>;
  /** The first pairs behind `after` between rows whose patients are not blocked. */
  readonly draw: (after: KeyedPair | null, isBlocked: (row: number) => boolean) => Draw;
}

/**
 * Walks the pairs in order and takes each whose two patients are both below the cap. A draw holds the first pairs behind
 * the last one walked, without those of patients that had reached the cap by then, so no pair is missed.
 */
export function selectGreedy(spec: GreedySpec): KeyedPair[] {
  const { m, cap, patient, draw } = spec;
  const uses = new Map<number, number>();
  const isBlocked = (row: number): boolean => cap !== 'none' && (uses.get(patient[row]!) ?? 0) >= cap;
  const taken: KeyedPair[] = [];
  let after: KeyedPair | null = null;
  while (taken.length < m) {
    const { pairs, isComplete }: Draw = draw(after, isBlocked);
    for (const pair of pairs) {
      if (taken.length === m) break;
      after = pair;
      if (isBlocked(pair.i) || isBlocked(pair.j)) continue;
      taken.push(pair);
      for (const p of [patient[pair.i]!, patient[pair.j]!]) uses.set(p, (uses.get(p) ?? 0) + 1);
    }
    if (isComplete) break;
  }
  return taken;
}
