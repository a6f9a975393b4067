// Pairs of positive stays: counts keys below two bands and emits those inside a band or beyond `top`.
// AssemblyScript; the same in TypeScript is stages/lib/within-pass.ts. Every key is a sum over the columns in rank
// order, one term after the other: lanes are pairs, never columns.

// Metric as a type, so that each gets a loop of its own: u8 gower, u16 euclidean.
type Gower = u8;
type Euclidean = u16;

/** sum + |x - y|, or sum + (x - y)^2. */
// @ts-ignore: decorator
@inline
function add<M>(sum: v128, x: v128, y: v128): v128 {
  const d = f64x2.sub(x, y);
  return f64x2.add(sum, sizeof<M>() == 1 ? f64x2.abs(d) : f64x2.mul(d, d));
}

/** Lanes of `key` inside [lo1, hi1], inside [lo2, hi2], or at least `top`. */
// @ts-ignore: decorator
@inline
function isWanted(key: v128, lo1: v128, hi1: v128, lo2: v128, hi2: v128, top: v128): v128 {
  return v128.or(
    v128.or(
      v128.andnot(f64x2.le(key, hi1), f64x2.lt(key, lo1)),
      v128.andnot(f64x2.le(key, hi2), f64x2.lt(key, lo2)),
    ),
    f64x2.ge(key, top),
  );
}

/** Per lane, minus the number of keys below the limit. */
// @ts-ignore: decorator
@inline
function sumBelow(
  limit: v128, s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128,
): v128 {
  return i64x2.add(
    i64x2.add(
      i64x2.add(f64x2.lt(s00, limit), f64x2.lt(s01, limit)),
      i64x2.add(f64x2.lt(s10, limit), f64x2.lt(s11, limit)),
    ),
    i64x2.add(
      i64x2.add(f64x2.lt(s20, limit), f64x2.lt(s21, limit)),
      i64x2.add(f64x2.lt(s30, limit), f64x2.lt(s31, limit)),
    ),
  );
}

/** Bytes of one emitted pair: key f64, i i32, j i32. */
const ENTRY: usize = 16;

// @ts-ignore: decorator
@inline
function emit(out: usize, key: f64, i: i32, j: i32): usize {
  store<f64>(out, key);
  store<i32>(out, i, 8);
  store<i32>(out, j, 12);
  return out + ENTRY;
}

// Where a call stopped, and what it found.
let counted1: i32 = 0;
let counted2: i32 = 0;
let emitted: usize = 0;

export function below1(): i32 {
  return counted1;
}
export function below2(): i32 {
  return counted2;
}
/** Offset behind the last emitted pair. */
export function end(): usize {
  return emitted;
}

/**
 * Rows of the tiles [iFrom, iTo) against rows of the tiles [tFrom, tTo) behind them, i < j. Tiles are [tile][k][4] f64,
 * NaN behind the last row: NaN is below nothing and inside nothing. Starts no row of tiles without room for all of its
 * pairs; returns the tile to go on with. `limits`: lo1, hi1, lo2, hi2, top; `scratch`: 128 bytes.
 */
export function gower(
  tiles: usize, k: i32, iFrom: i32, iTo: i32, tFrom: i32, tTo: i32, limits: usize, scratch: usize, out: usize, outEnd: usize,
): i32 {
  return scan<Gower>(tiles, k, iFrom, iTo, tFrom, tTo, limits, scratch, out, outEnd);
}

export function euclidean(
  tiles: usize, k: i32, iFrom: i32, iTo: i32, tFrom: i32, tTo: i32, limits: usize, scratch: usize, out: usize, outEnd: usize,
): i32 {
  return scan<Euclidean>(tiles, k, iFrom, iTo, tFrom, tTo, limits, scratch, out, outEnd);
}

function scan<M>(
  tiles: usize, k: i32, iFrom: i32, iTo: i32, tFrom: i32, tTo: i32, limits: usize, scratch: usize, out: usize, outEnd: usize,
): i32 {
  const size: usize = <usize>k * 32;
  const lo1 = v128.load64_splat(limits);
  const hi1 = v128.load64_splat(limits, 8);
  const lo2 = v128.load64_splat(limits, 16);
  const hi2 = v128.load64_splat(limits, 24);
  const top = v128.load64_splat(limits, 32);
  let c1 = i64x2.splat(0);
  let c2 = i64x2.splat(0);
  let i = iFrom;
  for (; i < iTo; i++) {
    if (out + <usize>(tTo - tFrom) * 16 * ENTRY > outEnd) break;
    const a = tiles + <usize>i * size;
    let t = tFrom > i ? tFrom : i;
    for (; t < tTo; t++) {
      const b = tiles + <usize>t * size;
      let s00 = f64x2.splat(0), s01 = f64x2.splat(0);
      let s10 = f64x2.splat(0), s11 = f64x2.splat(0);
      let s20 = f64x2.splat(0), s21 = f64x2.splat(0);
      let s30 = f64x2.splat(0), s31 = f64x2.splat(0);
      for (let o: usize = 0; o < size; o += 32) {
        const y0 = v128.load(b + o);
        const y1 = v128.load(b + o, 16);
        let x = v128.load64_splat(a + o);
        s00 = add<M>(s00, x, y0);
        s01 = add<M>(s01, x, y1);
        x = v128.load64_splat(a + o, 8);
        s10 = add<M>(s10, x, y0);
        s11 = add<M>(s11, x, y1);
        x = v128.load64_splat(a + o, 16);
        s20 = add<M>(s20, x, y0);
        s21 = add<M>(s21, x, y1);
        x = v128.load64_splat(a + o, 24);
        s30 = add<M>(s30, x, y0);
        s31 = add<M>(s31, x, y1);
      }
      if (t == i) {
        // A tile against itself: pairs above the diagonal only.
        store128(scratch, s00, s01, s10, s11, s20, s21, s30, s31);
        for (let p = 0; p < 4; p++) {
          for (let q = p + 1; q < 4; q++) {
            const key = load<f64>(scratch + (<usize>(p * 4 + q) << 3));
            if (key < load<f64>(limits)) c1 = i64x2.add(c1, i64x2(1, 0));
            if (key < load<f64>(limits, 16)) c2 = i64x2.add(c2, i64x2(1, 0));
            if (isInside(key, limits)) out = emit(out, key, i * 4 + p, t * 4 + q);
          }
        }
        continue;
      }
      // True lanes are -1.
      c1 = i64x2.sub(c1, sumBelow(lo1, s00, s01, s10, s11, s20, s21, s30, s31));
      c2 = i64x2.sub(c2, sumBelow(lo2, s00, s01, s10, s11, s20, s21, s30, s31));
      const any = v128.or(
        v128.or(
          v128.or(isWanted(s00, lo1, hi1, lo2, hi2, top), isWanted(s01, lo1, hi1, lo2, hi2, top)),
          v128.or(isWanted(s10, lo1, hi1, lo2, hi2, top), isWanted(s11, lo1, hi1, lo2, hi2, top)),
        ),
        v128.or(
          v128.or(isWanted(s20, lo1, hi1, lo2, hi2, top), isWanted(s21, lo1, hi1, lo2, hi2, top)),
          v128.or(isWanted(s30, lo1, hi1, lo2, hi2, top), isWanted(s31, lo1, hi1, lo2, hi2, top)),
        ),
      );
      if (v128.any_true(any)) {
        store128(scratch, s00, s01, s10, s11, s20, s21, s30, s31);
        for (let p = 0; p < 16; p++) {
          const key = load<f64>(scratch + (<usize>p << 3));
          if (isInside(key, limits)) out = emit(out, key, i * 4 + (p >> 2), t * 4 + (p & 3));
        }
      }
    }
  }
  counted1 = <i32>(i64x2.extract_lane(c1, 0) + i64x2.extract_lane(c1, 1));
  counted2 = <i32>(i64x2.extract_lane(c2, 0) + i64x2.extract_lane(c2, 1));
  emitted = out;
  return i;
}

// @ts-ignore: decorator
@inline
function store128(at: usize, s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128): void {
  v128.store(at, s00);
  v128.store(at, s01, 16);
  v128.store(at, s10, 32);
  v128.store(at, s11, 48);
  v128.store(at, s20, 64);
  v128.store(at, s21, 80);
  v128.store(at, s30, 96);
  v128.store(at, s31, 112);
}

// @ts-ignore: decorator
@inline
function isInside(key: f64, limits: usize): bool {
  return (
    (key >= load<f64>(limits) && key <= load<f64>(limits, 8)) ||
    (key >= load<f64>(limits, 16) && key <= load<f64>(limits, 24)) ||
    key >= load<f64>(limits, 32)
  );
}
