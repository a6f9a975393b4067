/**
 * Grows trees of the random forest, bit for bit as `stages/lib/forest-tree.ts` does: see there for what a tree is.
 *
 * Rows with their weights are 8-byte records (row number, weight); a weight is a packed pair of 16-bit counts, label 0
 * low and label 1 high, so one 32-bit addition counts a row of either label and no sum of a node may pass 65,535.
 * Four columns are counted in one pass over the rows, so that additions to the same bin do not wait for each other.
 * Cuts are judged four at a time by an exact integer form of the gain and a bound in float32 that errs on the side of
 * keeping; only those that may beat the best so far get the float64 score, in order, which alone decides.
 */

/** Columns counted in one pass. */
const GROUP: i32 = 4;
/** Bytes of one histogram: 256 bins of two 16-bit counts. */
const HIST: i32 = 1024;
/** Nodes of fewer rows note which blocks of four bins they touched. */
const SPARSE_LIMIT: i32 = 96;
/** Dot products of 16-bit counts are signed. */
const PACKED_LIMIT: i32 = 32767;

let rows: i32 = 0, columns: i32 = 0;
/** Nodes of more rows read column by column, smaller ones row by row: whichever touches fewer cache lines. */
let rowMajorLimit: i32 = 0;
let byColumn: usize = 0, byRow: usize = 0, binsN: usize = 0, labels: usize = 0;

/** Work area: histograms of a group, all 0 between uses; four cuts; state of the draws; columns drawn. */
let hist: usize = 0, lanes: usize = 0, state: usize = 0, drawn: usize = 0;
/** Permutation of the columns, and where the swap of each place was with. */
let perm: usize = 0, others: usize = 0;
/** Nodes to come (start, end, weights); rows of the tree, of which nodes are ranges; room for those of a right child. */
let stack: usize = 0, records: usize = 0, right: usize = 0;

/** Place of the permutation that `drawGroup` came to. */
let reached: i32 = 0;

/** Best cut of the node so far. */
let bestScore: f64 = -1, bestBin: i32 = 0, best0: i32 = 0, best1: i32 = 0;
/** A cut with gain d can only be better when d * d > bound * l * r. */
let bound: f32 = -1;
/** Of the node: (w0^2 + w1^2) / (w0 + w1), and the weights. */
let ground: f64 = 0, w0: i32 = 0, w1: i32 = 0;

/** Bytes of work area that `setUp` wants for a training set. */
export function workBytes(n: i32, p: i32): i32 {
  return GROUP * HIST + 80 + 128 + 2 * ((p * 4 + 15) & ~15) + 16 * (n / 2 + 2) + 16 * n;
}

/** Takes a training set: bins in both orders, bins per column (16 bit), labels; and a work area, 16-byte aligned. */
export function setUp(n: i32, p: i32, columnMajor: usize, rowMajor: usize, bins: usize, y: usize, work: usize): void {
  rows = n;
  columns = p;
  rowMajorLimit = max<i32>(48, n >> 5);
  byColumn = columnMajor;
  byRow = rowMajor;
  binsN = bins;
  labels = y;
  hist = work;
  lanes = hist + GROUP * HIST;
  state = lanes + 64;
  drawn = state + 16;
  perm = drawn + 128;
  others = perm + ((p * 4 + 15) & ~15);
  stack = others + ((p * 4 + 15) & ~15);
  records = stack + 16 * (n / 2 + 2);
  right = records + 8 * n;
  memory.fill(hist, 0, GROUP * HIST);
}

/** State of tree `t`: xoshiro128** seeded by splitmix32. */
function seedTree(seed: i32, t: i32): void {
  let x: u32 = (<u32>seed * 0x9e3779b1) ^ (<u32>(t + 1) * 0x85ebca77);
  for (let w = 0; w < 4; w++) {
    x += 0x9e3779b9;
    const y: u32 = (x ^ (x >> 16)) * 0x21f0aaad;
    const z: u32 = (y ^ (y >> 15)) * 0x735a2d97;
    store<u32>(state + (w << 2), z ^ (z >> 15));
  }
}

/** Uniform integer in [0, n). */
@inline
function below(n: u32): u32 {
  const b = load<u32>(state, 4);
  const u = rotl<u32>(b * 5, 7) * 9;
  const c = load<u32>(state, 8) ^ load<u32>(state);
  const d = load<u32>(state, 12) ^ b;
  store<u32>(state, load<u32>(state) ^ d);
  store<u32>(state, b ^ c, 4);
  store<u32>(state, c ^ (b << 9), 8);
  store<u32>(state, rotl<u32>(d, 11), 12);
  return <u32>((<u64>u * <u64>n) >> 32);
}

/** Grows tree `t` and adds the decreases of its nodes to `importance` (float64, one per column, zeroed by the host). */
export function growTree(seed: i32, t: i32, importance: usize): void {
  seedTree(seed, t);
  for (let f = 0; f < columns; f++) store<i32>(perm + (f << 2), f);
  let top = pushRoot();
  while (top > stack) {
    top -= 16;
    const start = load<i32>(top);
    const end = load<i32>(top, 4);
    w0 = load<i32>(top, 8);
    w1 = load<i32>(top, 12);
    const f = bestColumn(start, end);
    if (f < 0) continue;
    const cell = importance + (<usize>f << 3);
    store<f64>(cell, load<f64>(cell) + decrease(best0, best1, w0 - best0, w1 - best1));
    const middle = partition(f, bestBin, start, end);
    top = push(top, middle, end, w0 - best0, w1 - best1);
    top = push(top, start, middle, best0, best1);
  }
}

/** Bootstrap: n draws with replacement; rows drawn at least once stay, in ascending order, with their weight. */
function pushRoot(): usize {
  memory.fill(right, 0, rows << 2);
  for (let i = 0; i < rows; i++) {
    const cell = right + (<usize>below(rows) << 2);
    store<i32>(cell, load<i32>(cell) + 1);
  }
  let kept = 0, ones = 0;
  for (let r = 0; r < rows; r++) {
    const c = load<i32>(right + (r << 2));
    if (c == 0) continue;
    const y: i32 = load<u8>(labels + r);
    const record = records + (kept++ << 3);
    store<i32>(record, r);
    store<i32>(record, c << (y << 4), 4);
    ones += c * y;
  }
  return push(stack, 0, kept, rows - ones, ones);
}

/** Pushes a node unless nothing is left to part: pure nodes and nodes of one row are leaves. */
function push(top: usize, start: i32, end: i32, c0: i32, c1: i32): usize {
  if (c0 == 0 || c1 == 0 || end - start < 2) return top;
  store<i64>(top, <i64>start | (<i64>end << 32));
  store<i64>(top, <i64>c0 | (<i64>c1 << 32), 8);
  return top + 16;
}

/** Closed form of the decrease in impurity, as `decrease` of the host has it. */
function decrease(l0: f64, l1: f64, r0: f64, r1: f64): f64 {
  const d = l1 * r0 - r1 * l0;
  const l = l0 + l1, r = r0 + r1;
  return (2 * (d / l) * (d / r)) / (l + r);
}

/**
 * Draws columns without replacement and keeps the best cut; -1 when no column offers one. Columns are drawn a group
 * ahead; when one of a group parts the labels fully, the draws after it are taken back.
 */
function bestColumn(start: i32, end: i32): i32 {
  const tries = max<i32>(1, <i32>Math.sqrt(<f64>columns));
  const isPacked = w0 <= PACKED_LIMIT && w1 <= PACKED_LIMIT;
  const whole = <f64>(w0 + w1);
  const ahead = isPacked && end - start > 4 ? GROUP : 1;
  let best = -1;
  bestScore = -1;
  bound = -1;
  ground = (<f64>w0 * <f64>w0 + <f64>w1 * <f64>w1) / whole;
  // The loop in `cut` reads these from memory: the compiler would make them anew for every block.
  v128.store(lanes, i32x4.splat((w0 << 16) | (-w1 & 0xffff)), 16);
  v128.store(lanes, f32x4.splat(<f32>(w0 + w1)), 32);
  v128.store(lanes, i16x8.splat(1), 48);
  let v = 0;
  while (v < columns && (v < tries || best < 0)) {
    const g = v < tries ? drawGroup(v, tries, ahead) : drawGroup(v, columns, 1);
    v = reached;
    if (isPacked) countGroup(g, start, end);
    for (let c = 0; c < g; c++) {
      const cell = drawn + (c << 5);
      const before = bestScore;
      if (isPacked) cut(hist + c * HIST, load<u64>(cell, 24));
      else cutWide(load<i32>(cell), start, end);
      if (bestScore > before) best = load<i32>(cell);
      if (bestScore == whole) {
        memory.fill(hist + (c + 1) * HIST, 0, (g - c - 1) * HIST);
        takeBack(cell, v);
        return best;
      }
    }
  }
  return best;
}

@inline
function swap(place: usize, other: usize): i32 {
  const f = load<i32>(other);
  store<i32>(other, load<i32>(place));
  store<i32>(place, f);
  return f;
}

/** Draws at most `most` columns of more than one bin, visiting places `v` to `last` - 1; returns how many. */
function drawGroup(v: i32, last: i32, most: i32): i32 {
  let g = 0;
  while (v < last && g < most) {
    const other = perm + ((v + below(columns - v)) << 2);
    const f = swap(perm + (v << 2), other);
    store<usize>(others + (v++ << 2), other);
    if (load<u16>(binsN + (f << 1)) < 2) continue;
    const cell = drawn + (g++ << 5);
    store<i32>(cell, f);
    store<i32>(cell, v, 4);
    v128.store(cell, v128.load(state), 8);
  }
  reached = v;
  return g;
}

/** Undoes the draws after those of the column in `cell`, place `v` having been reached. */
function takeBack(cell: usize, v: i32): void {
  for (let u = v - 1; u >= load<i32>(cell, 4); u--) {
    swap(perm + (u << 2), load<usize>(others + (u << 2)));
  }
  v128.store(state, v128.load(cell, 8));
}

/** Counts the `g` columns drawn over the rows of a node; notes the blocks of four bins that hold rows. */
function countGroup(g: i32, start: i32, end: i32): void {
  const from = records + (start << 3);
  const to = records + (end << 3);
  const isLarge = end - start > rowMajorLimit;
  const base = isLarge ? byColumn : byRow;
  const ofColumn: i32 = isLarge ? rows : 1;
  const step: usize = isLarge ? 1 : columns;
  const f0 = base + load<i32>(drawn) * ofColumn;
  if (g < GROUP) {
    for (let c = 0; c < g; c++) {
      const cell = drawn + (c << 5);
      countOne(from, to, base + load<i32>(cell) * ofColumn, step, hist + c * HIST, cell);
    }
    return;
  }
  const f1 = base + load<i32>(drawn, 32) * ofColumn;
  const f2 = base + load<i32>(drawn, 64) * ofColumn;
  const f3 = base + load<i32>(drawn, 96) * ofColumn;
  if (end - start < SPARSE_LIMIT) countSparse(from, to, step, f0, f1, f2, f3);
  else countDense(from, to, step, f0, f1, f2, f3);
}

@inline
function add(h: usize, w: i32): void {
  store<i32>(h, load<i32>(h) + w);
}

/** Four columns over many rows; every block counts as held. */
function countDense(from: usize, to: usize, step: usize, f0: usize, f1: usize, f2: usize, f3: usize): void {
  const h0 = hist, h1 = h0 + HIST, h2 = h1 + HIST, h3 = h2 + HIST;
  for (let at = from; at < to; at += 8) {
    const row = load<usize>(at) * step;
    const w = load<i32>(at, 4);
    add(h0 + (<usize>load<u8>(row + f0) << 2), w);
    add(h1 + (<usize>load<u8>(row + f1) << 2), w);
    add(h2 + (<usize>load<u8>(row + f2) << 2), w);
    add(h3 + (<usize>load<u8>(row + f3) << 2), w);
  }
  for (let cell = drawn; cell < drawn + 128; cell += 32) {
    const bins = <i32>load<u16>(binsN + (load<i32>(cell) << 1));
    store<u64>(cell, u64.MAX_VALUE >> (63 - ((bins - 1) >> 2)), 24);
  }
}

/** Four columns over few rows. */
function countSparse(from: usize, to: usize, step: usize, f0: usize, f1: usize, f2: usize, f3: usize): void {
  const h0 = hist, h1 = h0 + HIST, h2 = h1 + HIST, h3 = h2 + HIST;
  let m0: u64 = 0, m1: u64 = 0, m2: u64 = 0, m3: u64 = 0;
  for (let at = from; at < to; at += 8) {
    const row = load<usize>(at) * step;
    const w = load<i32>(at, 4);
    const b0 = <usize>load<u8>(row + f0);
    const b1 = <usize>load<u8>(row + f1);
    const b2 = <usize>load<u8>(row + f2);
    const b3 = <usize>load<u8>(row + f3);
    m0 |= (<u64>1) << (b0 >> 2);
    m1 |= (<u64>1) << (b1 >> 2);
    m2 |= (<u64>1) << (b2 >> 2);
    m3 |= (<u64>1) << (b3 >> 2);
    add(h0 + (b0 << 2), w);
    add(h1 + (b1 << 2), w);
    add(h2 + (b2 << 2), w);
    add(h3 + (b3 << 2), w);
  }
  store<u64>(drawn, m0, 24);
  store<u64>(drawn, m1, 56);
  store<u64>(drawn, m2, 88);
  store<u64>(drawn, m3, 120);
}

/** One column, for a group that is not full. */
function countOne(from: usize, to: usize, f: usize, step: usize, h: usize, cell: usize): void {
  let m: u64 = 0;
  for (let at = from; at < to; at += 8) {
    const b = <usize>load<u8>(load<usize>(at) * step + f);
    m |= (<u64>1) << (b >> 2);
    add(h + (b << 2), load<i32>(at, 4));
  }
  store<u64>(cell, m, 24);
}

/** Offers the cuts of a histogram, ascending, and clears it; only the blocks of four bins in `blocks` hold rows. */
function cut(h: usize, blocks: u64): void {
  const byLabel = v128.load(lanes, 16);
  const whole = v128.load(lanes, 32);
  const one = v128.load(lanes, 48);
  const zero = i32x4.splat(0);
  let limit = f32x4.splat(bound);
  let carry = zero;
  for (; blocks != 0; blocks &= blocks - 1) {
    const block = <usize>ctz<u64>(blocks);
    const at = h + (block << 4);
    // Packed weights left of each cut: sums over the lanes before, and over the blocks before.
    let v = v128.load(at);
    v128.store(at, zero);
    v = i32x4.add(v, v128.shuffle<i32>(zero, v, 3, 4, 5, 6));
    v = i32x4.add(v, v128.shuffle<i32>(zero, v, 2, 3, 4, 5));
    v = i32x4.add(v, carry);
    carry = v128.shuffle<i32>(v, v, 3, 3, 3, 3);
    const d = f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(v, byLabel));
    const l = f32x4.convert_i32x4_s(i32x4.dot_i16x8_s(v, one));
    const worst = f32x4.mul(limit, f32x4.mul(l, f32x4.sub(whole, l)));
    const marks = i32x4.bitmask(f32x4.gt(f32x4.mul(d, d), worst));
    if (marks != 0) {
      offer(marks, v, <i32>block << 2);
      limit = f32x4.splat(bound);
    }
  }
}

/** Scores the marked cuts after the bins `bin`, `bin + 1` ... in order; `left` holds their packed left weights. */
function offer(marks: i32, left: v128, bin: i32): void {
  v128.store(lanes, left);
  for (; marks != 0; marks &= marks - 1) {
    const lane = ctz<i32>(marks);
    const packed = load<i32>(lanes + (lane << 2));
    score(bin + lane, packed & 0xffff, packed >> 16);
  }
}

/** Keeps a cut when its score is strictly greater. */
@inline
function score(bin: i32, left0: i32, left1: i32): void {
  const l0 = <f64>left0, l1 = <f64>left1;
  const r0 = <f64>(w0 - left0), r1 = <f64>(w1 - left1);
  const value = (l0 * l0 + l1 * l1) / (l0 + l1) + (r0 * r0 + r1 * r1) / (r0 + r1);
  if (value <= bestScore) return;
  bestScore = value;
  bestBin = bin;
  best0 = left0;
  best1 = left1;
  const whole = <f64>(w0 + w1);
  // Scores are off by at most 2^-51 of the weight, products in float32 by 2^-21 of themselves.
  const gain = value - ground - whole * 3.5527136788005009e-15;
  bound = gain > 0 ? <f32>(gain * whole * 0.5 * (1 - 9.5367431640625e-7)) : -1;
}

/** One column of a node too heavy for packed counts. */
function cutWide(f: i32, start: i32, end: i32): void {
  const column = byColumn + f * rows;
  for (let i = start; i < end; i++) {
    const record = records + (i << 3);
    const w = load<u32>(record, 4);
    const label: u32 = w > 0xffff ? 1 : 0;
    add(hist + (((<usize>load<u8>(column + load<usize>(record)) << 1) | label) << 2), w >> (label << 4));
  }
  const bins = <i32>load<u16>(binsN + (f << 1));
  let l0 = 0, l1 = 0;
  for (let b = 0; b < bins; b++) {
    const cell = hist + (b << 3);
    const c0 = load<i32>(cell), c1 = load<i32>(cell, 4);
    if ((c0 | c1) == 0) continue;
    store<i64>(cell, 0);
    l0 += c0;
    l1 += c1;
    if (l0 + l1 < w0 + w1) score(b, l0, l1);
  }
}

/** Stable: rows with bin <= `bin` move to the front of the node. Returns where the right child starts. */
function partition(f: i32, bin: i32, start: i32, end: i32): i32 {
  const isLarge = end - start > rowMajorLimit;
  const base = isLarge ? byColumn + f * rows : byRow + f;
  const stride: usize = isLarge ? 1 : columns;
  let left = records + (start << 3);
  let aside = right;
  const to = records + (end << 3);
  for (let at = left; at < to; at += 8) {
    const record = load<u64>(at);
    const goesLeft = <usize>(<i32>load<u8>(base + <usize>record * stride) <= bin);
    store<u64>(left, record);
    store<u64>(aside, record);
    left += goesLeft << 3;
    aside += (1 - goesLeft) << 3;
  }
  memory.copy(left, right, aside - right);
  return <i32>(left - records) >> 3;
}
