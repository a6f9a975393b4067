// Near pairs between two sets of rows: linear coordinates, and a scan that skips what cannot be near.
// AssemblyScript; the same in TypeScript is stages/lib/near-scan.ts. Float32 only rejects here, with a bound that is
// wide enough for its rounding; the host computes the key of every pair that is left.

type Gower = u8;
type Euclidean = u16;

/**
 * Coordinates of `n` rows (a multiple of 4). `x`: [k][stride] f64, column-wise; `matrix`: [rows][k] f64 with `rows` a
 * multiple of 4; `y`: [n][width] f32, of which the first `rows` of every row are written. Sums run over k in order.
 */
export function transform(x: usize, stride: i32, k: i32, matrix: usize, rows: i32, y: usize, width: i32, n: i32): void {
  const step = <usize>stride << 3;
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
 * Rows of one block against the strips from `strip` on (its tiles from `tile` on). Writes [a row in block, position of
 * b] i32 for every pair that may be near to `out`; returns the offset behind the last. Ends with nextStrip() = stripsN,
 * or where `out` was full.
 *
 * a: [coordinate][4] f32; range: min and max of window coordinate 1, of 2, f64. tiles: [tile][coordinate][8] f32, NaN
 * behind the last row; tileRange: min, max of window coordinate 2 per tile, f64; strips: first tile, end, min and max of
 * window coordinate 1, f64. The first `head` of `all` coordinates are tested against `headBound`, then all (euclidean)
 * or the others alone (gower) against `bound`. scratch: 128 bytes.
 */
export function gower(
  a: usize, range: usize, tiles: usize, tileRange: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  return scan<Gower>(a, range, tiles, tileRange, strips, stripsN, strip, tile, head, all, radius, headBound, bound, scratch, out, outEnd);
}

export function euclidean(
  a: usize, range: usize, tiles: usize, tileRange: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  return scan<Euclidean>(a, range, tiles, tileRange, strips, stripsN, strip, tile, head, all, radius, headBound, bound, scratch, out, outEnd);
}

function scan<M>(
  a: usize, range: usize, tiles: usize, tileRange: usize, strips: usize, stripsN: i32, strip: i32, tile: i32,
  head: i32, all: i32, radius: f64, headBound: f32, bound: f32, scratch: usize, out: usize, outEnd: usize,
): usize {
  const headSize: usize = <usize>head << 5;
  const size: usize = <usize>all << 5;
  const hb = f32x4.splat(headBound);
  const fb = f32x4.splat(bound);
  for (let s = strip; s < stripsN; s++) {
    const at = strips + (<usize>s << 5);
    const gap = max<f64>(max<f64>(0, load<f64>(at, 16) - load<f64>(range, 8)), load<f64>(range) - load<f64>(at, 24));
    if (gap > radius) continue;
    const half = sizeof<M>() == 1 ? radius - gap : sqrt<f64>(radius * radius - gap * gap);
    const least = load<f64>(range, 16) - half;
    const most = load<f64>(range, 24) + half;
    const last = <i32>load<f64>(at, 8);
    let t = firstTile(tileRange, <i32>load<f64>(at), last, least);
    if (s == strip && tile > t) t = tile;
    for (; t < last && load<f64>(tileRange + (<usize>t << 4)) <= most; t++) {
      if (out + 256 > outEnd) {
        stoppedStrip = s;
        stoppedTile = t;
        return out;
      }
      const b = tiles + <usize>t * size;
      let s00 = f32x4.splat(0), s01 = f32x4.splat(0);
      let s10 = f32x4.splat(0), s11 = f32x4.splat(0);
      let s20 = f32x4.splat(0), s21 = f32x4.splat(0);
      let s30 = f32x4.splat(0), s31 = f32x4.splat(0);
      for (let o: usize = 0; o < headSize; o += 32) {
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
      const m00 = f32x4.le(s00, hb), m01 = f32x4.le(s01, hb);
      const m10 = f32x4.le(s10, hb), m11 = f32x4.le(s11, hb);
      const m20 = f32x4.le(s20, hb), m21 = f32x4.le(s21, hb);
      const m30 = f32x4.le(s30, hb), m31 = f32x4.le(s31, hb);
      if (
        !v128.any_true(
          v128.or(v128.or(v128.or(m00, m01), v128.or(m10, m11)), v128.or(v128.or(m20, m21), v128.or(m30, m31))),
        )
      ) {
        continue;
      }
      if (headSize < size) {
        if (sizeof<M>() == 1) {
          s00 = f32x4.splat(0); s01 = f32x4.splat(0);
          s10 = f32x4.splat(0); s11 = f32x4.splat(0);
          s20 = f32x4.splat(0); s21 = f32x4.splat(0);
          s30 = f32x4.splat(0); s31 = f32x4.splat(0);
        }
        for (let o: usize = headSize; o < size; o += 32) {
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
      }
      const r00 = v128.and(m00, f32x4.le(s00, fb)), r01 = v128.and(m01, f32x4.le(s01, fb));
      const r10 = v128.and(m10, f32x4.le(s10, fb)), r11 = v128.and(m11, f32x4.le(s11, fb));
      const r20 = v128.and(m20, f32x4.le(s20, fb)), r21 = v128.and(m21, f32x4.le(s21, fb));
      const r30 = v128.and(m30, f32x4.le(s30, fb)), r31 = v128.and(m31, f32x4.le(s31, fb));
      if (
        !v128.any_true(
          v128.or(v128.or(v128.or(r00, r01), v128.or(r10, r11)), v128.or(v128.or(r20, r21), v128.or(r30, r31))),
        )
      ) {
        continue;
      }
      v128.store(scratch, r00);
      v128.store(scratch, r01, 16);
      v128.store(scratch, r10, 32);
      v128.store(scratch, r11, 48);
      v128.store(scratch, r20, 64);
      v128.store(scratch, r21, 80);
      v128.store(scratch, r30, 96);
      v128.store(scratch, r31, 112);
      for (let p = 0; p < 32; p++) {
        if (load<i32>(scratch + (<usize>p << 2)) == 0) continue;
        store<i32>(out, p >> 3);
        store<i32>(out, t * 8 + (p & 7), 4);
        out += 8;
      }
    }
  }
  stoppedStrip = stripsN;
  stoppedTile = 0;
  return out;
}

/** The first tile of [from, to) that reaches up to `least` in window coordinate 2. */
function firstTile(tileRange: usize, from: i32, to: i32, least: f64): i32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<f64>(tileRange + (<usize>middle << 4), 8) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
