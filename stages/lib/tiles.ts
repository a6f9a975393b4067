/** Rows packed four by four, column-wise, so that one pass over K columns gives several distances at a time. */
import type { Metric } from './distance.js';

/** Rows of a tile. */
export const LANES = 4;

/** Float64 values that `n` rows of `k` columns take as tiles. */
export const tilesLength = (n: number, k: number): number => Math.ceil(n / LANES) * LANES * k;

/** Copies rows and columns of a column-major matrix to `tiles`: [tile][k][4], NaN behind the last row. */
export function packTiles(
  tiles: Float64Array,
  data: Float64Array,
  matrixRows: number,
  rows: Int32Array,
  columns: ArrayLike<number>,
): void {
  const n = rows.length;
  const k = columns.length;
  tiles.fill(Number.NaN, (n >> 2) * LANES * k);
  for (let c = 0; c < k; c++) {
    const from = columns[c]! * matrixRows;
    for (let i = 0; i < n; i++) tiles[((i >> 2) * k + c) * LANES + (i & 3)] = data[from + rows[i]!]!;
  }
}

/** Key of rows i and j of the same tiles: the plain form of what the passes compute. */
export function tileKey(metric: Metric, tiles: Float64Array, k: number, i: number, j: number): number {
  let a = (i >> 2) * k * LANES + (i & 3);
  let b = (j >> 2) * k * LANES + (j & 3);
  let key = 0;
  for (let c = 0; c < k; c++, a += LANES, b += LANES) {
    const d = tiles[a]! - tiles[b]!;
    key += metric === 'gower' ? Math.abs(d) : d * d;
  }
  return key;
}

/** Keys of row `i` against the rows of the tiles [from, to), four a tile; NaN behind the last row. */
export function keysOfRow(
  metric: Metric,
  tiles: Float64Array,
  row: Float64Array,
  from: number,
  to: number,
  out: Float64Array,
): void {
  if (metric === 'gower') gowerKeys(tiles, row, from, to, out);
  else euclideanKeys(tiles, row, from, to, out);
}

function gowerKeys(
  tiles: Float64Array,
  row: Float64Array,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const k = row.length;
  let o = from * k * LANES;
  for (let t = from, w = 0; t < to; t++, w += LANES) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let c = 0; c < k; c++, o += LANES) {
      const x = row[c]!;
      s0 += Math.abs(x - tiles[o]!);
      s1 += Math.abs(x - tiles[o + 1]!);
      s2 += Math.abs(x - tiles[o + 2]!);
      s3 += Math.abs(x - tiles[o + 3]!);
    }
    out[w] = s0;
    out[w + 1] = s1;
    out[w + 2] = s2;
    out[w + 3] = s3;
  }
}

function euclideanKeys(
  tiles: Float64Array,
  row: Float64Array,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const k = row.length;
  let o = from * k * LANES;
  for (let t = from, w = 0; t < to; t++, w += LANES) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let c = 0; c < k; c++, o += LANES) {
      const x = row[c]!;
      const d0 = x - tiles[o]!;
      const d1 = x - tiles[o + 1]!;
      const d2 = x - tiles[o + 2]!;
      const d3 = x - tiles[o + 3]!;
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    out[w] = s0;
    out[w + 1] = s1;
    out[w + 2] = s2;
    out[w + 3] = s3;
  }
}
