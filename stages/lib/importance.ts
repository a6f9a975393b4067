/** Importances of a forest from those of its trees, and what follows from them. */

/** Sums over trees, always in tree order: of all trees, and of the first and the second half. */
export interface ImportanceSums {
  readonly all: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** Sums of no tree yet. */
export function emptySums(columns: number): ImportanceSums {
  const zeros = (): Float64Array => new Float64Array(columns);
  return { all: zeros(), first: zeros(), second: zeros() };
}

/** Adds the vectors of the trees `from`, `from + 1`, ... of a forest of `treesN`. Call in tree order. */
export function foldTrees(sums: ImportanceSums, vectors: Float64Array, from: number, treesN: number): void {
  const columns = sums.all.length;
  for (let t = 0; t * columns < vectors.length; t++) {
    const half = from + t < Math.floor(treesN / 2) ? sums.first : sums.second;
    for (let f = 0; f < columns; f++) {
      const x = vectors[t * columns + f]!;
      sums.all[f] = sums.all[f]! + x;
      half[f] = half[f]! + x;
    }
  }
}

/** Column numbers by importance, descending; ties by column number. */
export function rankColumns(importance: Float64Array): number[] {
  return Array.from(importance.keys()).sort((a, b) => importance[b]! - importance[a]! || a - b);
}

/** How many columns the top k of both halves have in common. */
export function halfOverlap(sums: ImportanceSums, k: number): number {
  const first = new Set(rankColumns(sums.first).slice(0, k));
  return rankColumns(sums.second)
    .slice(0, k)
    .filter((f) => first.has(f)).length;
}

/** Scales the importances of one tree to the sum 1; a tree without a useful split stays 0. */
export function normalise(importance: Float64Array): void {
  let sum = 0;
  for (let f = 0; f < importance.length; f++) sum += importance[f]!;
  if (sum > 0) for (let f = 0; f < importance.length; f++) importance[f] = importance[f]! / sum;
}

/**
 * Weighted decrease in Gini impurity of a cut. This closed form equals score - (w0^2 + w1^2) / w and is exactly 0 when
 * both children have the node's mix of labels, so rounding noise cannot pose as importance.
 */
export function decrease(l0: number, l1: number, r0: number, r1: number): number {
  const d = l1 * r0 - r1 * l0;
  const l = l0 + l1;
  const r = r0 + r1;
  return (2 * (d / l) * (d / r)) / (l + r);
}
