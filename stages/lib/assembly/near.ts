// Near pairs between two sets of rows: linear coordinates, and a scan that skips what cannot be near.
// AssemblyScript; the same in TypeScript is stages/lib/near-scan.ts. Float32 only rejects here, with a bound that is
// wide enough for its rounding; the host computes the key of every pair that is left.

type Gower = u8;
type Euclidean = u16;

/**
 * Coordinates of `n` rows (a multiple of 4). `x`: [k][n] f64, column-wise; `matrix`: [rows][k] f64 with `rows` a
 * multiple of 4; `y`: [n][width] f32: `rows` sums over k in order, the first `copied` columns as they are, zeros.
 * Raises `largest`: [k] f64, the largest absolute value of every column.
 */
export function transform(
  x: usize, n: i32, k: i32, matrix: usize, rows: i32, y: usize, width: i32, copied: i32, largest: usize,
): void {
  raise(x, n, k, largest);
  copy(x, n, y + (<usize>rows << 2), width, copied, width - rows);
  const step = <usize>n << 3;
  const wide = <usize>width << 2;
  const long = <usize>k << 3;
  for (let i = 0; i < n; i += 4) {
    for (let c = 0; c < rows; c += 4) {
      let a = f64x2.splat(0), a2 = f64x2.splat(0);
      let b = f64x2.splat(0), b2 = f64x2.splat(0);
      let d = f64x2.splat(0), d2 = f64x2.splat(0);
      let e = f64x2.splat(0), e2 = f64x2.splat(0);
      let at = x + (<usize>i << 3);
      let m = matrix + <usize>c * long;
      for (let j = 0; j < k; j++, at += step, m += 8) {
        const p = v128.load(at);
        const q = v128.load(at, 16);
        let f = v128.load64_splat(m);
        a = f64x2.add(a, f64x2.mul(f, p));
        a2 = f64x2.add(a2, f64x2.mul(f, q));
        f = v128.load64_splat(m + long);
        b = f64x2.add(b, f64x2.mul(f, p));
        b2 = f64x2.add(b2, f64x2.mul(f, q));
        f = v128.load64_splat(m + 2 * long);
        d = f64x2.add(d, f64x2.mul(f, p));
        d2 = f64x2.add(d2, f64x2.mul(f, q));
        f = v128.load64_splat(m + 3 * long);
        e = f64x2.add(e, f64x2.mul(f, p));
        e2 = f64x2.add(e2, f64x2.mul(f, q));
      }
      const o = y + <usize>i * wide + (<usize>c << 2);
      storePair(o, wide, a, b, d, e);
      storePair(o + 2 * wide, wide, a2, b2, d2, e2);
    }
  }
}

function raise(x: usize, n: i32, k: i32, largest: usize): void {
  for (let c = 0; c < k; c++, largest += 8) {
    let most = v128.load64_splat(largest);
    for (let i = 0; i < n; i += 2, x += 16) most = f64x2.max(most, f64x2.abs(v128.load(x)));
    store<f64>(largest, max<f64>(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)));
  }
}

function copy(x: usize, n: i32, y: usize, width: i32, copied: i32, room: i32): void {
  const wide = <usize>width << 2;
  for (let c = 0; c < room; c++, y += 4) {
    let o = y;
    for (let i = 0; i < n; i++, o += wide) {
      store<f32>(o, c < copied ? <f32>load<f64>(x) : 0);
      x += 8;
    }
  }
}

/**
 * Packs rows in the order of `order` (i32), `lanes` (4 or 8) a group, behind their first four coordinates: `target`:
 * [group][coordinate][lane] f32; lanes behind the last row repeat it. `ranges`: per group the least, then the largest of
 * the first four coordinates.
 */
export function pack(
  order: usize, n: i32, lanes: i32, y: usize, width: i32, target: usize, ranges: usize,
): void {
  const wide = <usize>width << 2;
  for (let g = 0; g < n; g += lanes, ranges += 32) {
    let least = f32x4.splat(Infinity);
    let most = f32x4.splat(-Infinity);
    for (let half = 0; half < lanes; half += 4) {
      const a = row(order, g + half, n, y, wide);
      const b = row(order, g + half + 1, n, y, wide);
      const c = row(order, g + half + 2, n, y, wide);
      const d = row(order, g + half + 3, n, y, wide);
      least = f32x4.min(least, f32x4.min(f32x4.min(v128.load(a), v128.load(b)), f32x4.min(v128.load(c), v128.load(d))));
      most = f32x4.max(most, f32x4.max(f32x4.max(v128.load(a), v128.load(b)), f32x4.max(v128.load(c), v128.load(d))));
      let to = target + (<usize>half << 2);
      const step = <usize>lanes << 2;
      for (let o: usize = 16; o < wide; o += 16) {
        const p = v128.load(a + o), q = v128.load(b + o), r = v128.load(c + o), s = v128.load(d + o);
        // Four rows of four become four columns of four.
        const pq = v128.shuffle<f32>(p, q, 0, 4, 1, 5);
        const rs = v128.shuffle<f32>(r, s, 0, 4, 1, 5);
        const pq2 = v128.shuffle<f32>(p, q, 2, 6, 3, 7);
        const rs2 = v128.shuffle<f32>(r, s, 2, 6, 3, 7);
        v128.store(to, v128.shuffle<f64>(pq, rs, 0, 2));
        v128.store(to + step, v128.shuffle<f64>(pq, rs, 1, 3));
        v128.store(to + 2 * step, v128.shuffle<f64>(pq2, rs2, 0, 2));
        v128.store(to + 3 * step, v128.shuffle<f64>(pq2, rs2, 1, 3));
        to += 4 * step;
      }
    }
    target += <usize>(width - 4) * <usize>lanes * 4;
    v128.store(ranges, least);
    v128.store(ranges, most, 16);
  }
}

// @ts-ignore: decorator
@inline
function row(order: usize, i: i32, n: i32, y: usize, wide: usize): usize {
  return y + <usize>load<i32>(order + (<usize>min<i32>(i, n - 1) << 2)) * wide;
}

/** Four coordinates of two rows. */
// @ts-ignore: decorator
@inline
function storePair(o: usize, wide: usize, a: v128, b: v128, d: v128, e: v128): void {
  store<f32>(o, <f32>f64x2.extract_lane(a, 0));
  store<f32>(o, <f32>f64x2.extract_lane(b, 0), 4);
  store<f32>(o, <f32>f64x2.extract_lane(d, 0), 8);
  store<f32>(o, <f32>f64x2.extract_lane(e, 0), 12);
  store<f32>(o + wide, <f32>f64x2.extract_lane(a, 1));
  store<f32>(o + wide, <f32>f64x2.extract_lane(b, 1), 4);
  store<f32>(o + wide, <f32>f64x2.extract_lane(d, 1), 8);
  store<f32>(o + wide, <f32>f64x2.extract_lane(e, 1), 12);
}

// @ts-ignore: decorator
@inline
function add<M>(sum: v128, x: v128, y: v128): v128 {
  const d = f32x4.sub(x, y);
  return f32x4.add(sum, sizeof<M>() == 1 ? f32x4.abs(d) : f32x4.mul(d, d));
}

// Where a scan stopped for lack of room.
let stoppedStrip: i32 = 0;
let stoppedTile: i32 = 0;

export function nextStrip(): i32 {
  return stoppedStrip;
}
export function nextTile(): i32 {
  return stoppedTile;
}

/**
 * Rows of one block against the strips from `strip` on (of that one, tiles from `tile` on). Writes [a row in block,
 * position of b] i32 for every pair that may be near to `out`; returns the offset behind the last. Ends with
 * nextStrip() = stripsN, or where `out` was full.
 *
 * a: [coordinate][4] f32; range: least, then largest of the window coordinates 1, 2, 3 and one more, f32; tileRange: the
 * same for every tile, both ends of coordinate 3 rising inside a cell. strips: first cell, end, least and largest of
 * window coordinate 1, f64; cells: first tile, end, least and largest of window coordinate 2. tiles:
 * [tile][coordinate][8] f32, NaN behind the last row. The first `head` of `all` coordinates are tested against
 * `headBound`, then all (euclidean) or the others alone (gower) against `bound`. scratch: 128 bytes.
 */
export function gower(
  a: usize, range: usize, tiles: usize, tileRange: usize, cells: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  return scan<Gower>(a, range, tiles, tileRange, cells, strips, stripsN, strip, tile, head, all, radius, headBound, bound, scratch, out, outEnd);
}

export function euclidean(
  a: usize, range: usize, tiles: usize, tileRange: usize, cells: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  return scan<Euclidean>(a, range, tiles, tileRange, cells, strips, stripsN, strip, tile, head, all, radius, headBound, bound, scratch, out, outEnd);
}

function scan<M>(
  a: usize, range: usize, tiles: usize, tileRange: usize, cells: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  const headSize: usize = <usize>head << 5;
  const size: usize = <usize>all << 5;
  const hb = f32x4.splat(headBound);
  const fb = f32x4.splat(bound);
  for (let s = strip; s < stripsN; s++) {
    const at = strips + (<usize>s << 5);
    const left = rest<M>(radius, apart(load<f64>(at, 16), load<f64>(at, 24), load<f32>(range), load<f32>(range, 16)));
    if (!(left >= 0)) continue;
    const endCell = <i32>load<f64>(at, 8);
    for (let c = <i32>load<f64>(at); c < endCell; c++) {
      const cell = cells + (<usize>c << 5);
      const last = <i32>load<f64>(cell, 8);
      if (s == strip && last <= tile) continue;
      const half = rest<M>(left, apart(load<f64>(cell, 16), load<f64>(cell, 24), load<f32>(range, 4), load<f32>(range, 20)));
      if (!(half >= 0)) continue;
      const most = <f64>load<f32>(range, 24) + half;
      let t = firstTile(tileRange, <i32>load<f64>(cell), last, <f64>load<f32>(range, 8) - half);
      if (s == strip && tile > t) t = tile;
      for (; t < last && <f64>load<f32>(tileRange + (<usize>t << 5), 8) <= most; t++) {
        if (out + 256 > outEnd) {
          stoppedStrip = s;
          stoppedTile = t;
          return out;
        }
        out = test<M>(a, tiles + <usize>t * size, headSize, size, hb, fb, scratch, out, t);
      }
    }
  }
  stoppedStrip = stripsN;
  stoppedTile = 0;
  return out;
}

/** How far two ranges are apart; 0 when they meet. */
// @ts-ignore: decorator
@inline
function apart(low: f64, high: f64, least: f64, most: f64): f64 {
  return max<f64>(max<f64>(0, low - most), least - high);
}

/** What is left of a radius for the other coordinates; NaN or negative when nothing is. */
// @ts-ignore: decorator
@inline
function rest<M>(radius: f64, gap: f64): f64 {
  return sizeof<M>() == 1 ? radius - gap : sqrt<f64>(radius * radius - gap * gap);
}

/** Bytes of the coordinates of a tile that are looked at first. */
const GLANCE: usize = 5 * 32;

/** A block against a tile. */
// @ts-ignore: decorator
@inline
function test<M>(
  a: usize, b: usize, headSize: usize, size: usize, hb: v128, fb: v128, scratch: usize, out: usize, t: i32,
): usize {
  let s00 = f32x4.splat(0), s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0), s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0), s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0), s31 = f32x4.splat(0);
  // Principal axes come widest first: most tiles are out after a few of the head. Then the head, then all.
  let end: usize = sizeof<M>() == 1 || headSize < GLANCE ? headSize : GLANCE;
  let limit = hb;
  let o: usize = 0;
  while (true) {
    for (; o < end; o += 32) {
      const y0 = v128.load(b + o);
      const y1 = v128.load(b + o, 16);
      let x = v128.load32_splat(a + (o >> 1));
      s00 = add<M>(s00, x, y0);
      s01 = add<M>(s01, x, y1);
      x = v128.load32_splat(a + (o >> 1), 4);
      s10 = add<M>(s10, x, y0);
      s11 = add<M>(s11, x, y1);
      x = v128.load32_splat(a + (o >> 1), 8);
      s20 = add<M>(s20, x, y0);
      s21 = add<M>(s21, x, y1);
      x = v128.load32_splat(a + (o >> 1), 12);
      s30 = add<M>(s30, x, y0);
      s31 = add<M>(s31, x, y1);
    }
    const nearest = f32x4.pmin(
      f32x4.pmin(f32x4.pmin(s00, s01), f32x4.pmin(s10, s11)),
      f32x4.pmin(f32x4.pmin(s20, s21), f32x4.pmin(s30, s31)),
    );
    // Not above, so that NaN behind the last row goes on.
    if (i32x4.all_true(f32x4.gt(nearest, limit))) return out;
    if (end == size) break;
    if (end < headSize) {
      end = headSize;
      continue;
    }
    if (sizeof<M>() == 1) {
      s00 = f32x4.splat(0); s01 = f32x4.splat(0);
      s10 = f32x4.splat(0); s11 = f32x4.splat(0);
      s20 = f32x4.splat(0); s21 = f32x4.splat(0);
      s30 = f32x4.splat(0); s31 = f32x4.splat(0);
    }
    end = size;
    limit = fb;
  }
  v128.store(scratch, f32x4.le(s00, limit));
  v128.store(scratch, f32x4.le(s01, limit), 16);
  v128.store(scratch, f32x4.le(s10, limit), 32);
  v128.store(scratch, f32x4.le(s11, limit), 48);
  v128.store(scratch, f32x4.le(s20, limit), 64);
  v128.store(scratch, f32x4.le(s21, limit), 80);
  v128.store(scratch, f32x4.le(s30, limit), 96);
  v128.store(scratch, f32x4.le(s31, limit), 112);
  for (let p = 0; p < 32; p++) {
    if (load<i32>(scratch + (<usize>p << 2)) == 0) continue;
    store<i32>(out, p >> 3);
    store<i32>(out, t * 8 + (p & 7), 4);
    out += 8;
  }
  return out;
}

/** The first tile of [from, to) that reaches up to `least` in window coordinate 3. */
function firstTile(tileRange: usize, from: i32, to: i32, least: f64): i32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (<f64>load<f32>(tileRange + (<usize>middle << 5), 24) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
