/**
 * Random forest on binned columns, for one purpose: mean decrease in Gini impurity of every column.
 * Bootstrap by weights, sqrt(p) columns drawn at every node, depth unlimited. Every tree depends on (seed, tree
 * number) alone, so trees may be grown anywhere in any order; `foldTrees` sums them in tree order.
 */
import type { Bins } from './binning.js';
import { normalise } from './importance.js';

/** The rows of one diagnosis, gathered from the cohort's bins, with the columns that may be used. */
export interface TrainingSet {
  readonly rows: number;
  readonly columns: number;
  readonly byColumn: Uint8Array;
  readonly byRow: Uint8Array;
  readonly binsN: Uint16Array;
  /** 0 or 1 for each row. */
  readonly labels: Uint8Array;
}

/** Nodes of more rows read column by column (a column stays in cache), smaller ones row by row. */
const ROW_MAJOR_LIMIT = 512;
const HISTOGRAM = 512;

/** Copies the given rows and columns out of the cohort's bins, in both orders. */
export function gatherRows(
  bins: Bins,
  rows: Int32Array,
  columns: Int32Array,
  labels: Uint8Array,
): TrainingSet {
  const n = rows.length;
  const p = columns.length;
  const byColumn = new Uint8Array(n * p);
  const byRow = new Uint8Array(n * p);
  const binsN = new Uint16Array(p);
  for (let f = 0; f < p; f++) {
    const from = columns[f]! * bins.rows;
    binsN[f] = bins.binsN[columns[f]!]!;
    for (let r = 0; r < n; r++) byColumn[f * n + r] = bins.byColumn[from + rows[r]!]!;
  }
  for (let r = 0; r < n; r++) {
    const from = rows[r]! * bins.columns;
    for (let f = 0; f < p; f++) byRow[r * p + f] = bins.byRow[from + columns[f]!]!;
  }
  return { rows: n, columns: p, byColumn, byRow, binsN, labels };
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

/** Buffers that all trees of a training set share. */
interface Scratch {
  readonly state: Int32Array;
  /** Rows of the tree and their weights: `weight << 1 | label`. Nodes are ranges of both. */
  readonly idx: Int32Array;
  readonly wy: Int32Array;
  readonly rightIdx: Int32Array;
  readonly rightWy: Int32Array;
  readonly stack: Int32Array;
  readonly perm: Int32Array;
  readonly hist: Int32Array;
  readonly bitmap: Int32Array;
  /** Best cut of the node so far: score, bin, left weight of label 0, of label 1. */
  readonly cut: Float64Array;
}

function createScratch(n: number, p: number): Scratch {
  return {
    state: new Int32Array(4),
    idx: new Int32Array(n),
    wy: new Int32Array(n),
    rightIdx: new Int32Array(n),
    rightWy: new Int32Array(n),
    stack: new Int32Array(4 * (n + 2)),
    perm: new Int32Array(p),
    hist: new Int32Array(HISTOGRAM),
    bitmap: new Int32Array(8),
    cut: new Float64Array(4),
  };
}

/** Grows the trees [from, to) and returns their importance vectors, one after the other; each sums to 1, or is 0. */
export function growTrees(set: TrainingSet, seed: number, from: number, to: number): Float64Array {
  const scratch = createScratch(set.rows, set.columns);
  const vectors = new Float64Array((to - from) * set.columns);
  for (let t = from; t < to; t++) {
    const start = (t - from) * set.columns;
    growTree(set, scratch, seed, t, vectors.subarray(start, start + set.columns));
  }
  return vectors;
}

function growTree(set: TrainingSet, s: Scratch, seed: number, t: number, importance: Float64Array): void {
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
    const l0 = s.cut[2]!;
    const l1 = s.cut[3]!;
    importance[f] = importance[f]! + decrease(l0, l1, w0 - l0, w1 - l1);
    const middle = partition(set, s, f, s.cut[1]!, start, end);
    top = push(s.stack, top, middle, end, w0 - l0, w1 - l1);
    top = push(s.stack, top, start, middle, l0, l1);
  }
  normalise(importance);
}

/** Bootstrap: n draws with replacement; rows drawn at least once stay, in ascending order, with their weight. */
function pushRoot(set: TrainingSet, s: Scratch): number {
  const { rows, labels } = set;
  const counts = s.rightWy.fill(0);
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
    s.wy[kept++] = (c << 1) | labels[r]!;
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
 * on only while none has offered a cut. The first column visited and the lowest cut win ties.
 */
function bestColumn(
  set: TrainingSet,
  s: Scratch,
  start: number,
  end: number,
  w0: number,
  w1: number,
): number {
  const { columns, binsN } = set;
  const { perm, cut } = s;
  const tries = Math.max(1, Math.floor(Math.sqrt(columns)));
  const isSmall = end - start <= ROW_MAJOR_LIMIT;
  let best = -1;
  cut[0] = -1;
  for (let v = 0; v < columns && (v < tries || best < 0); v++) {
    const other = v + below(s.state, columns - v);
    const f = perm[other]!;
    perm[other] = perm[v]!;
    perm[v] = f;
    if (binsN[f]! < 2) continue;
    const before = cut[0]!;
    if (isSmall) cutSmall(set, s, f, start, end, w0, w1);
    else cutLarge(set, s, f, start, end, w0, w1);
    if (cut[0]! > before) best = f;
    if (cut[0] === w0 + w1) break;
  }
  return best;
}

function cutLarge(
  set: TrainingSet,
  s: Scratch,
  f: number,
  start: number,
  end: number,
  w0: number,
  w1: number,
): void {
  const { hist, idx, wy, cut } = s;
  const { byColumn } = set;
  const base = f * set.rows;
  for (let i = start; i < end; i++) {
    const w = wy[i]!;
    const cell = (byColumn[base + idx[i]!]! << 1) | (w & 1);
    hist[cell] = hist[cell]! + (w >> 1);
  }
  const bins = set.binsN[f]!;
  let l0 = 0;
  let l1 = 0;
  for (let b = 0; b < bins; b++) {
    const c0 = hist[2 * b]!;
    const c1 = hist[2 * b + 1]!;
    if ((c0 | c1) === 0) continue;
    hist[2 * b] = 0;
    hist[2 * b + 1] = 0;
    l0 += c0;
    l1 += c1;
    if (l0 + l1 === w0 + w1) break;
    offer(cut, b, l0, l1, w0 - l0, w1 - l1);
  }
}

function cutSmall(
  set: TrainingSet,
  s: Scratch,
  f: number,
  start: number,
  end: number,
  w0: number,
  w1: number,
): void {
  const { hist, idx, wy, cut, bitmap } = s;
  const { byRow, columns } = set;
  for (let i = start; i < end; i++) {
    const w = wy[i]!;
    const bin = byRow[idx[i]! * columns + f]!;
    const cell = (bin << 1) | (w & 1);
    hist[cell] = hist[cell]! + (w >> 1);
    bitmap[bin >> 5] = bitmap[bin >> 5]! | (1 << (bin & 31));
  }
  let l0 = 0;
  let l1 = 0;
  for (let word = 0; word < 8; word++) {
    let bits = bitmap[word]!;
    bitmap[word] = 0;
    while (bits !== 0) {
      const b = (word << 5) | (31 - Math.clz32(bits & -bits));
      bits &= bits - 1;
      l0 += hist[2 * b]!;
      l1 += hist[2 * b + 1]!;
      hist[2 * b] = 0;
      hist[2 * b + 1] = 0;
      if (l0 + l1 < w0 + w1) offer(cut, b, l0, l1, w0 - l0, w1 - l1);
    }
  }
}

/** Keeps a cut when its score is strictly greater. The score rises as the Gini impurity of the children falls. */
function offer(cut: Float64Array, bin: number, l0: number, l1: number, r0: number, r1: number): void {
  const score = (l0 * l0 + l1 * l1) / (l0 + l1) + (r0 * r0 + r1 * r1) / (r0 + r1);
  if (score > cut[0]!) {
    cut[0] = score;
    cut[1] = bin;
    cut[2] = l0;
    cut[3] = l1;
  }
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

/** Stable: rows with bin <= `bin` move to the front of the node. Returns where the right child starts. */
function partition(set: TrainingSet, s: Scratch, f: number, bin: number, start: number, end: number): number {
  const { idx, wy, rightIdx, rightWy } = s;
  const base = f * set.rows;
  let left = start;
  let right = 0;
  for (let i = start; i < end; i++) {
    const r = idx[i]!;
    if (set.byColumn[base + r]! <= bin) {
      idx[left] = r;
      wy[left++] = wy[i]!;
    } else {
      rightIdx[right] = r;
      rightWy[right++] = wy[i]!;
    }
  }
  for (let i = 0; i < right; i++) {
    idx[left + i] = rightIdx[i]!;
    wy[left + i] = rightWy[i]!;
  }
  return left;
}
