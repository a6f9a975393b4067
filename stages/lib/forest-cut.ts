/** Counts the columns of a node and finds their best cut: the TypeScript form. */
import type { TrainingSet } from './forest.js';
import { BINS, type Cut, GROUP, ROW_MAJOR_LIMIT, type Scratch } from './forest-scratch.js';

/** Nodes of fewer rows note which blocks of 8 bins they touch, and visit only these. */
const SPARSE_LIMIT = 96;

/** Counts the group's columns over the rows of a node. */
export function countGroup(set: TrainingSet, s: Scratch, start: number, end: number): void {
  const { column, n } = s.draws;
  const isLarge = end - start > ROW_MAJOR_LIMIT;
  const data = isLarge ? set.byColumn : set.byRow;
  const step = isLarge ? 1 : set.columns;
  const at = (c: number): number => (isLarge ? column[c]! * set.rows : column[c]!);
  if (n === GROUP) {
    if (end - start < SPARSE_LIMIT) countSparse(s, data, step, start, end);
    else countFour(s, data, step, start, end, at(0), at(1), at(2), at(3));
  } else {
    for (let c = 0; c < n; c++) countOne(s, data, step, start, end, at(c), c);
  }
}

function countFour(
  s: Scratch,
  data: Uint8Array,
  step: number,
  start: number,
  end: number,
  f0: number,
  f1: number,
  f2: number,
  f3: number,
): void {
  const { hist, idx, weights } = s;
  for (let i = start; i < end; i++) {
    const r = idx[i]! * step;
    const w = weights[i]!;
    const b0 = data[r + f0]!;
    const b1 = data[r + f1]! + 256;
    const b2 = data[r + f2]! + 512;
    const b3 = data[r + f3]! + 768;
    hist[b0] = hist[b0]! + w;
    hist[b1] = hist[b1]! + w;
    hist[b2] = hist[b2]! + w;
    hist[b3] = hist[b3]! + w;
  }
}

/** The same for few rows, with the blocks of 8 bins that they touch. */
function countSparse(s: Scratch, data: Uint8Array, step: number, start: number, end: number): void {
  const { hist, idx, weights } = s;
  const { column, blocks } = s.draws;
  const [f0, f1, f2, f3] = [column[0]!, column[1]!, column[2]!, column[3]!];
  let m0 = 0;
  let m1 = 0;
  let m2 = 0;
  let m3 = 0;
  for (let i = start; i < end; i++) {
    const r = idx[i]! * step;
    const w = weights[i]!;
    const b0 = data[r + f0]!;
    const b1 = data[r + f1]!;
    const b2 = data[r + f2]!;
    const b3 = data[r + f3]!;
    m0 |= 1 << (b0 >> 3);
    m1 |= 1 << (b1 >> 3);
    m2 |= 1 << (b2 >> 3);
    m3 |= 1 << (b3 >> 3);
    hist[b0] = hist[b0]! + w;
    hist[b1 + 256] = hist[b1 + 256]! + w;
    hist[b2 + 512] = hist[b2 + 512]! + w;
    hist[b3 + 768] = hist[b3 + 768]! + w;
  }
  blocks[0] = m0;
  blocks[1] = m1;
  blocks[2] = m2;
  blocks[3] = m3;
}

/** One column, for a group that is not full. */
function countOne(
  s: Scratch,
  data: Uint8Array,
  step: number,
  start: number,
  end: number,
  from: number,
  c: number,
): void {
  const { hist, idx, weights } = s;
  const base = c * BINS;
  let touched = 0;
  for (let i = start; i < end; i++) {
    const b = data[idx[i]! * step + from]!;
    touched |= 1 << (b >> 3);
    hist[base + b] = hist[base + b]! + weights[i]!;
  }
  s.draws.blocks[c] = touched;
}

/** Offers the cuts of member `c` of the group, in ascending order, and clears its counts. */
export function cutPacked(set: TrainingSet, s: Scratch, c: number, rowsN: number): void {
  const base = c * BINS;
  if (rowsN >= SPARSE_LIMIT) {
    walkBins(s, base, base, base + set.binsN[s.draws.column[c]!]!, 0);
    return;
  }
  let left = 0;
  for (let blocks = s.draws.blocks[c]!; blocks !== 0; blocks &= blocks - 1) {
    const from = base + ((31 - Math.clz32(blocks & -blocks)) << 3);
    left = walkBins(s, base, from, from + 8, left);
  }
}

/** Offers the cuts after the bins [from, to) of a histogram and clears these; `left` is the packed weight before them. */
function walkBins(s: Scratch, base: number, from: number, to: number, left: number): number {
  const { hist, cut } = s;
  const { w0, w1 } = cut;
  const whole = w0 + w1;
  let { bound } = cut;
  for (let b = from; b < to; b++) {
    left = (left + hist[b]!) | 0;
    hist[b] = 0;
    const l0 = left & 0xffff;
    const l1 = left >> 16;
    const l = l0 + l1;
    const d = (Math.imul(l1, w0) - Math.imul(l0, w1)) | 0;
    if (d * d > bound * Math.imul(l, whole - l)) {
      offer(cut, b - base, l0, l1);
      bound = cut.bound;
    }
  }
  return left;
}

/** Keeps a cut when its score is strictly greater. The score rises as the Gini impurity of the children falls. */
function offer(cut: Cut, bin: number, l0: number, l1: number): void {
  const { w0, w1 } = cut;
  const [r0, r1] = [w0 - l0, w1 - l1];
  const score = (l0 * l0 + l1 * l1) / (l0 + l1) + (r0 * r0 + r1 * r1) / (r0 + r1);
  if (score <= cut.score) return;
  cut.score = score;
  cut.bin = bin;
  cut.l0 = l0;
  cut.l1 = l1;
  // score = (w0^2 + w1^2) / w + 2 d^2 / (l r w) up to 2^-51 w of rounding; the bound allows for eight times that.
  const whole = w0 + w1;
  const gain = score - (w0 * w0 + w1 * w1) / whole - whole * 2 ** -48;
  cut.bound = gain > 0 ? gain * whole * (0.5 - 2 ** -40) : -1;
}

/** Offers the cuts of one column of a node that is too heavy for packed counts. */
export function cutWide(set: TrainingSet, s: Scratch, f: number, start: number, end: number): void {
  const { idx, weights, cut } = s;
  const counts = [new Int32Array(BINS), new Int32Array(BINS)] as const;
  for (let i = start; i < end; i++) {
    const b = set.byColumn[f * set.rows + idx[i]!]!;
    const w = weights[i]!;
    const ofLabel = counts[w > 0xffff ? 1 : 0];
    ofLabel[b] = ofLabel[b]! + (w > 0xffff ? w >>> 16 : w);
  }
  let l0 = 0;
  let l1 = 0;
  for (let b = 0; b < set.binsN[f]!; b++) {
    if ((counts[0][b]! | counts[1][b]!) === 0) continue;
    l0 += counts[0][b]!;
    l1 += counts[1][b]!;
    if (l0 + l1 < cut.w0 + cut.w1) offer(cut, b, l0, l1);
  }
}
