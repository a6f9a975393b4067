/** The BA draw: stays of both labels at random, each patient once. */
import type { RandomStream } from '../contract.js';

export interface BaselineSpec {
  /** Candidate rows, ascending. */
  readonly positives: ArrayLike<number>;
  readonly negatives: ArrayLike<number>;
  readonly perClass: number;
  readonly patient: ArrayLike<number>;
  readonly random: RandomStream;
}

/** Draws positives first, then negatives of patients not drawn yet; fewer when patients run out. Rows ascending. */
export function drawBaseline(spec: BaselineSpec): { positives: number[]; negatives: number[] } {
  const used = new Set<number>();
  const positives = draw(spec, spec.positives, used);
  return { positives, negatives: draw(spec, spec.negatives, used) };
}

function draw(spec: BaselineSpec, candidates: ArrayLike<number>, used: Set<number>): number[] {
  const rows = Array.from(candidates);
  const taken: number[] = [];
  for (let v = 0; v < rows.length && taken.length < spec.perClass; v++) {
    const other = v + spec.random.below(rows.length - v);
    const row = rows[other]!;
    rows[other] = rows[v]!;
    rows[v] = row;
    const patient = spec.patient[row]!;
    if (used.has(patient)) continue;
    used.add(patient);
    taken.push(row);
  }
  return taken.sort((a, b) => a - b);
}
