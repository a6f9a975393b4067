/**
 * One tree of the random forest in TypeScript. `assembly/forest.ts` does the same steps; both give the bits that
 * trying every cut of every drawn column in float64 would give.
 *
 * The weight of a row is a pair of 16-bit counts in one integer, label 0 low and label 1 high, so one addition counts
 * a row of either label. Four columns are counted in one pass over the rows. A cut is scored only when the exact
 * integer form of its gain says that it may beat the best so far; the score alone decides.
 */
import type { TrainingSet } from './forest.js';
import { countGroup, cutPacked, cutWide } from './forest-cut.js';
import { BINS, GROUP, PACKED_LIMIT, ROW_MAJOR_LIMIT, type Scratch } from './forest-scratch.js';
import { decrease } from './importance.js';

/** Adds the decrease of every node of tree `t` to `importance`, one entry a column. */
export function growTree(
  set: TrainingSet,
  s: Scratch,
  seed: number,
  t: number,
  importance: Float64Array,
): void {
  seedTree(s.state, seed, t);
  for (let f = 0; f < set.columns; f++) s.perm[f] = f;
  let top = pushRoot(set, s);
  while (top > 0) {
    top -= 4;
    const start = s.stack[top]!;
    const end = s.stack[top + 1]!;
    const w0 = s.stack[top + 2]!;
    const w1 = s.stack[top + 3]!;
    const f = bestColumn(set, s, start, end, w0, w1);
    if (f < 0) continue;
    const { l0, l1, bin } = s.cut;
    importance[f] = importance[f]! + decrease(l0, l1, w0 - l0, w1 - l1);
    const middle = partition(set, s, f, bin, start, end);
    top = push(s.stack, top, middle, end, w0 - l0, w1 - l1);
    top = push(s.stack, top, start, middle, l0, l1);
  }
}

/** State words of tree `t`: xoshiro128** seeded by splitmix32. */
function seedTree(state: Int32Array, seed: number, t: number): void {
  let x = Math.imul(seed, 0x9e3779b1) ^ Math.imul(t + 1, 0x85ebca77);
  for (let w = 0; w < 4; w++) {
    x = (x + 0x9e3779b9) | 0;
    let z = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    state[w] = z ^ (z >>> 15);
  }
}

/** Uniform integer in [0, n), n < 2^21, so that the product is exact in a double. */
function below(state: Int32Array, n: number): number {
  const b = state[1]!;
  const r = Math.imul(b, 5);
  const u = Math.imul((r << 7) | (r >>> 25), 9) >>> 0;
  const c = state[2]! ^ state[0]!;
  const d = state[3]! ^ b;
  state[1] = b ^ c;
  state[0] = state[0]! ^ d;
  state[2] = c ^ (b << 9);
  state[3] = (d << 11) | (d >>> 21);
  return Math.floor((u * n) / 4294967296);
}

/** Bootstrap: n draws with replacement; rows drawn at least once stay, in ascending order, with their weight. */
function pushRoot(set: TrainingSet, s: Scratch): number {
  const { rows, labels } = set;
  const counts = s.rightWeights.fill(0);
  for (let i = 0; i < rows; i++) {
    const r = below(s.state, rows);
    counts[r] = counts[r]! + 1;
  }
  let kept = 0;
  let w1 = 0;
  for (let r = 0; r < rows; r++) {
    const c = counts[r]!;
    if (c === 0) continue;
    s.idx[kept] = r;
    s.weights[kept++] = c << (labels[r]! << 4);
    w1 += c * labels[r]!;
  }
  return push(s.stack, 0, 0, kept, rows - w1, w1);
}

/** Pushes a node unless nothing is left to part: pure nodes and nodes of one row are leaves. */
function push(stack: Int32Array, top: number, start: number, end: number, w0: number, w1: number): number {
  if (w0 === 0 || w1 === 0 || end - start < 2) return top;
  stack[top] = start;
  stack[top + 1] = end;
  stack[top + 2] = w0;
  stack[top + 3] = w1;
  return top + 4;
}

/**
 * Draws columns without replacement and keeps the best cut; -1 when no column offers one. After sqrt(p) columns it goes
 * on only while none has offered a cut. The first column visited and the lowest cut win ties. When a column parts the
 * labels fully, no other can do better: the draws made ahead are taken back.
 */
function bestColumn(
  set: TrainingSet,
  s: Scratch,
  start: number,
  end: number,
  w0: number,
  w1: number,
): number {
  const { cut, draws } = s;
  const tries = Math.max(1, Math.floor(Math.sqrt(set.columns)));
  const isPacked = w0 <= PACKED_LIMIT && w1 <= PACKED_LIMIT;
  const ahead = isPacked && end - start > 4 ? GROUP : 1;
  Object.assign(cut, { score: -1, bound: -1, w0, w1 });
  let best = -1;
  for (let v = 0; v < set.columns && (v < tries || best < 0); ) {
    v = v < tries ? drawGroup(set, s, v, tries, ahead) : drawGroup(set, s, v, set.columns, 1);
    if (isPacked) countGroup(set, s, start, end);
    for (let c = 0; c < draws.n; c++) {
      const f = draws.column[c]!;
      const before = cut.score;
      if (isPacked) cutPacked(set, s, c, end - start);
      else cutWide(set, s, f, start, end);
      if (cut.score > before) best = f;
      if (cut.score === w0 + w1) {
        s.hist.fill(0, (c + 1) * BINS, draws.n * BINS);
        takeBack(s, c, v);
        return best;
      }
    }
  }
  return best;
}

/** Draws at most `most` columns of more than one bin, visiting places `v` to `last` - 1; returns the place it came to. */
function drawGroup(set: TrainingSet, s: Scratch, v: number, last: number, most: number): number {
  const { perm, draws, state } = s;
  draws.n = 0;
  while (v < last && draws.n < most) {
    const other = v + below(state, set.columns - v);
    const f = perm[other]!;
    perm[other] = perm[v]!;
    perm[v] = f;
    draws.other[v++] = other;
    if (set.binsN[f]! < 2) continue;
    draws.column[draws.n] = f;
    draws.visited[draws.n] = v;
    for (let w = 0; w < 4; w++) draws.state[4 * draws.n + w] = state[w]!;
    draws.n++;
  }
  return v;
}

/** Undoes the draws after member `c` of the group, with which place `v` was reached. */
function takeBack(s: Scratch, c: number, v: number): void {
  const { perm, draws, state } = s;
  for (let u = v - 1; u >= draws.visited[c]!; u--) {
    const other = draws.other[u]!;
    const f = perm[other]!;
    perm[other] = perm[u]!;
    perm[u] = f;
  }
  for (let w = 0; w < 4; w++) state[w] = draws.state[4 * c + w]!;
}

/** Stable: rows with bin <= `bin` move to the front of the node. Returns where the right child starts. */
function partition(set: TrainingSet, s: Scratch, f: number, bin: number, start: number, end: number): number {
  const { idx, weights, rightIdx, rightWeights } = s;
  const isLarge = end - start > ROW_MAJOR_LIMIT;
  const data = isLarge ? set.byColumn : set.byRow;
  const step = isLarge ? 1 : set.columns;
  const from = isLarge ? f * set.rows : f;
  let left = start;
  let right = 0;
  for (let i = start; i < end; i++) {
    const r = idx[i]!;
    if (data[r * step + from]! <= bin) {
      idx[left] = r;
      weights[left++] = weights[i]!;
    } else {
      rightIdx[right] = r;
      rightWeights[right++] = weights[i]!;
    }
  }
  for (let i = 0; i < right; i++) {
    idx[left + i] = rightIdx[i]!;
    weights[left + i] = rightWeights[i]!;
  }
  return left;
}
