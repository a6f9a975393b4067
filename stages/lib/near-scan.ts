/**
 * The kernel of the near pass in TypeScript, over the same memory as stages/lib/assembly/near.ts, which documents the
 * layout. Float32 steps are rounded one by one, so both find the same pairs.
 */

/** What both forms offer; arguments are byte offsets, counts and bounds. */
export interface NearKernel {
  transform(
    x: number,
    n: number,
    k: number,
    matrix: number,
    rows: number,
    y: number,
    width: number,
    copied: number,
    largest: number,
  ): void;
  pack(
    order: number,
    n: number,
    lanes: number,
    y: number,
    width: number,
    target: number,
    ranges: number,
  ): void;
  gower: NearScan;
  euclidean: NearScan;
  /** Where the last scan stopped for lack of room. */
  nextStrip(): number;
  nextTile(): number;
}

/** Returns the offset behind the last pair that it wrote. */
export type NearScan = (
  a: number,
  range: number,
  tiles: number,
  tileRange: number,
  cells: number,
  strips: number,
  stripsN: number,
  strip: number,
  tile: number,
  head: number,
  all: number,
  radius: number,
  headBound: number,
  bound: number,
  scratch: number,
  out: number,
  outEnd: number,
) => number;

/** Bytes of 32 pairs: what a tile may add. */
const TILE_OUT = 256;

/** The kernel over a memory that will not be moved. */
export function plainNear(buffer: ArrayBuffer): NearKernel {
  const f64 = new Float64Array(buffer);
  const f32 = new Float32Array(buffer);
  const i32 = new Int32Array(buffer);
  const sums = new Float32Array(32);
  let stoppedStrip = 0;
  let stoppedTile = 0;

  const scanWith =
    (addRows: AddRows, rest: (radius: number, gap: number) => number, isGower: boolean): NearScan =>
    (
      a,
      range,
      tiles,
      tileRange,
      cells,
      strips,
      stripsN,
      strip,
      tile,
      head,
      all,
      radius,
      headBound,
      bound,
      _,
      out,
      outEnd,
    ) => {
      const r = range >> 2;
      let o = out;
      for (let s = strip; s < stripsN; s++) {
        const at = (strips >> 3) + s * 4;
        const left = rest(radius, apart(f64[at + 2]!, f64[at + 3]!, f32[r]!, f32[r + 4]!));
        if (!(left >= 0)) continue;
        for (let c = f64[at]!; c < f64[at + 1]!; c++) {
          const cell = (cells >> 3) + c * 4;
          const last = f64[cell + 1]!;
          if (s === strip && last <= tile) continue;
          const half = rest(left, apart(f64[cell + 2]!, f64[cell + 3]!, f32[r + 1]!, f32[r + 5]!));
          if (!(half >= 0)) continue;
          const most = f32[r + 6]! + half;
          let t = firstTile(f32, tileRange >> 2, f64[cell]!, last, f32[r + 2]! - half);
          if (s === strip && tile > t) t = tile;
          for (; t < last && f32[(tileRange >> 2) + 8 * t + 2]! <= most; t++) {
            if (o + TILE_OUT > outEnd) {
              stoppedStrip = s;
              stoppedTile = t;
              return o;
            }
            const b = (tiles >> 2) + t * all * 8;
            sums.fill(0);
            addRows(f32, a >> 2, b, 0, head, sums);
            if (!isAnyNear(sums, headBound)) continue;
            if (isGower && head < all) sums.fill(0);
            addRows(f32, a >> 2, b, head, all, sums);
            for (let p = 0; p < 32; p++) {
              if (!(sums[p]! <= bound)) continue;
              i32[o >> 2] = p >> 3;
              i32[(o >> 2) + 1] = t * 8 + (p & 7);
              o += 8;
            }
          }
        }
      }
      stoppedStrip = stripsN;
      stoppedTile = 0;
      return o;
    };

  return {
    transform(x, n, k, matrix, rows, y, width, copied, largest) {
      raise(f64, x >> 3, n, k, largest >> 3);
      for (let i = 0; i < n; i++) {
        const to = (y >> 2) + i * width;
        for (let c = 0; c < rows; c++) {
          let sum = 0;
          for (let j = 0; j < k; j++) sum += f64[(matrix >> 3) + c * k + j]! * f64[(x >> 3) + j * n + i]!;
          f32[to + c] = sum;
        }
        for (let c = 0; c < width - rows; c++) {
          f32[to + rows + c] = c < copied ? f64[(x >> 3) + c * n + i]! : 0;
        }
      }
    },
    pack(order, n, lanes, y, width, target, ranges) {
      for (let g = 0, at = ranges >> 2; g < n; g += lanes, at += 8) {
        f32.fill(Number.POSITIVE_INFINITY, at, at + 4);
        f32.fill(Number.NEGATIVE_INFINITY, at + 4, at + 8);
        for (let lane = 0; lane < lanes; lane++) {
          const from = (y >> 2) + i32[(order >> 2) + Math.min(g + lane, n - 1)]! * width;
          for (let w = 0; w < 4; w++) {
            f32[at + w] = Math.min(f32[at + w]!, f32[from + w]!);
            f32[at + 4 + w] = Math.max(f32[at + 4 + w]!, f32[from + w]!);
          }
          const to = (target >> 2) + g * (width - 4) + lane;
          for (let c = 4; c < width; c++) f32[to + (c - 4) * lanes] = f32[from + c]!;
        }
      }
    },
    gower: scanWith(addAbsolute, (radius, gap) => radius - gap, true),
    euclidean: scanWith(addSquares, (radius, gap) => Math.sqrt(radius * radius - gap * gap), false),
    nextStrip: () => stoppedStrip,
    nextTile: () => stoppedTile,
  };
}

function raise(f64: Float64Array, x: number, n: number, k: number, largest: number): void {
  for (let c = 0; c < k; c++) {
    let most = f64[largest + c]!;
    for (let i = 0; i < n; i++) most = Math.max(most, Math.abs(f64[x + c * n + i]!));
    f64[largest + c] = most;
  }
}

/** How far two ranges are apart; 0 when they meet. */
const apart = (low: number, high: number, least: number, most: number): number =>
  Math.max(0, low - most, least - high);

/** The first tile of [from, to) that reaches up to `least` in window coordinate 3. */
function firstTile(f32: Float32Array, range: number, from: number, to: number, least: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (f32[range + 8 * middle + 6]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isAnyNear(sums: Float32Array, bound: number): boolean {
  for (let p = 0; p < 32; p++) if (sums[p]! <= bound) return true;
  return false;
}

/** Adds the coordinates [from, to) of 4 rows at `a` against 8 rows at `b` to 32 sums. */
type AddRows = (
  f32: Float32Array,
  a: number,
  b: number,
  from: number,
  to: number,
  sums: Float32Array,
) => void;

const f = Math.fround;

function addAbsolute(
  f32: Float32Array,
  a: number,
  b: number,
  from: number,
  to: number,
  sums: Float32Array,
): void {
  for (let p = 0; p < 32; p += 4) {
    let s0 = sums[p]!;
    let s1 = sums[p + 1]!;
    let s2 = sums[p + 2]!;
    let s3 = sums[p + 3]!;
    let x = a + from * 4 + (p >> 3);
    let y = b + from * 8 + (p & 7);
    for (let c = from; c < to; c++, x += 4, y += 8) {
      const v = f32[x]!;
      s0 = f(s0 + Math.abs(f(v - f32[y]!)));
      s1 = f(s1 + Math.abs(f(v - f32[y + 1]!)));
      s2 = f(s2 + Math.abs(f(v - f32[y + 2]!)));
      s3 = f(s3 + Math.abs(f(v - f32[y + 3]!)));
    }
    sums[p] = s0;
    sums[p + 1] = s1;
    sums[p + 2] = s2;
    sums[p + 3] = s3;
  }
}

function addSquares(
  f32: Float32Array,
  a: number,
  b: number,
  from: number,
  to: number,
  sums: Float32Array,
): void {
  for (let p = 0; p < 32; p += 4) {
    let s0 = sums[p]!;
    let s1 = sums[p + 1]!;
    let s2 = sums[p + 2]!;
    let s3 = sums[p + 3]!;
    let x = a + from * 4 + (p >> 3);
    let y = b + from * 8 + (p & 7);
    for (let c = from; c < to; c++, x += 4, y += 8) {
      const v = f32[x]!;
      const d0 = f(v - f32[y]!);
      const d1 = f(v - f32[y + 1]!);
      const d2 = f(v - f32[y + 2]!);
      const d3 = f(v - f32[y + 3]!);
      s0 = f(s0 + f(d0 * d0));
      s1 = f(s1 + f(d1 * d1));
      s2 = f(s2 + f(d2 * d2));
      s3 = f(s3 + f(d3 * d3));
    }
    sums[p] = s0;
    sums[p + 1] = s1;
    sums[p + 2] = s2;
    sums[p + 3] = s3;
  }
}
