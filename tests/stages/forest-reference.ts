/**
 * The forest written the direct way, as the bits are defined: every column that is drawn is counted by itself, every cut
 * gets its float64 score, nothing is drawn ahead or left out.
 */
import type { TrainingSet } from '../../stages/lib/forest.js';
import { decrease, normalise } from '../../stages/lib/importance.js';
import { xoshiro128 } from '../../stages/lib/random.js';

/** splitmix32 words for tree t, as in the README of the stage. */
export function treeStream(seed: number, t: number): { below(n: number): number } {
  let x = Math.imul(seed, 0x9e3779b1) ^ Math.imul(t + 1, 0x85ebca77);
  const word = (): number => {
    x = (x + 0x9e3779b9) | 0;
    let z = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
  return xoshiro128([word(), word(), word(), word()]);
}

interface Split {
  readonly score: number;
  readonly f: number;
  readonly bin: number;
  readonly l0: number;
  readonly l1: number;
}

/** Importance vectors of the trees [from, to), one after the other. */
export function referenceTrees(set: TrainingSet, seed: number, from: number, to: number): Float64Array {
  const vectors = new Float64Array((to - from) * set.columns);
  for (let t = from; t < to; t++) {
    const vector = vectors.subarray((t - from) * set.columns, (t - from + 1) * set.columns);
    growReference(set, treeStream(seed, t), vector);
    normalise(vector);
  }
  return vectors;
}

function growReference(
  set: TrainingSet,
  random: { below(n: number): number },
  importance: Float64Array,
): void {
  const order = Array.from({ length: set.columns }, (_, f) => f);
  const counts = new Int32Array(set.rows);
  for (let i = 0; i < set.rows; i++) counts[random.below(set.rows)]!++;
  const visit = (rows: readonly number[]): void => {
    const weights = [0, 0];
    for (const r of rows) weights[set.labels[r]!]! += counts[r]!;
    const [w0, w1] = weights as [number, number];
    if (w0 === 0 || w1 === 0 || rows.length < 2) return;
    const best = bestSplit(set, counts, order, random, rows, w0, w1);
    if (!best) return;
    const { f, l0, l1 } = best;
    importance[f]! += decrease(l0, l1, w0 - l0, w1 - l1);
    const goesLeft = (r: number): boolean => set.byColumn[f * set.rows + r]! <= best.bin;
    visit(rows.filter(goesLeft));
    visit(rows.filter((r) => !goesLeft(r)));
  };
  visit(Array.from(counts.keys()).filter((r) => counts[r]! > 0));
}

function bestSplit(
  set: TrainingSet,
  counts: Int32Array,
  order: number[],
  random: { below(n: number): number },
  rows: readonly number[],
  w0: number,
  w1: number,
): Split | null {
  let best: Split | null = null;
  const tries = Math.max(1, Math.floor(Math.sqrt(set.columns)));
  for (let v = 0; v < set.columns && (v < tries || !best); v++) {
    const other = v + random.below(set.columns - v);
    [order[v], order[other]] = [order[other]!, order[v]!];
    const f = order[v]!;
    if (set.binsN[f]! < 2) continue;
    for (const split of splits(set, counts, rows, f, w0, w1)) {
      if (!best || split.score > best.score) best = split;
    }
    if (best?.score === w0 + w1) break;
  }
  return best;
}

/** Every cut between bins that hold rows, ascending. */
function* splits(
  set: TrainingSet,
  counts: Int32Array,
  rows: readonly number[],
  f: number,
  w0: number,
  w1: number,
): Generator<Split> {
  const hist = new Float64Array(512);
  for (const r of rows) hist[2 * set.byColumn[f * set.rows + r]! + set.labels[r]!]! += counts[r]!;
  let [l0, l1] = [0, 0];
  for (let bin = 0; bin < 256; bin++) {
    if (hist[2 * bin]! + hist[2 * bin + 1]! === 0) continue;
    l0 += hist[2 * bin]!;
    l1 += hist[2 * bin + 1]!;
    const [r0, r1] = [w0 - l0, w1 - l1];
    if (r0 + r1 === 0) return;
    const score = (l0 * l0 + l1 * l1) / (l0 + l1) + (r0 * r0 + r1 * r1) / (r0 + r1);
    yield { score, f, bin, l0, l1 };
  }
}
