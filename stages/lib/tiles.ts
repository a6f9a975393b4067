/** Rows packed four by four, column-wise, so that one pass over K columns gives four distances at a time. */
import type { Metric } from './distance.js';

const LANES = 4;
/** Columns summed before a tile may be given up. */
const HEAD = 8;

/** `rows` vectors of `k` values, twice: `flat` row by row, `tiles` as [tile][k][4] with NaN after the last row. */
export interface PackedRows {
  readonly rows: number;
  readonly k: number;
  readonly flat: Float64Array;
  readonly tiles: Float64Array;
}

/** Copies the given rows and columns of a column-major matrix. */
export function packRows(
  data: Float64Array,
  matrixRows: number,
  rows: Int32Array,
  columns: ArrayLike<number>,
): PackedRows {
  const n = rows.length;
  const k = columns.length;
  const flat = new Float64Array(n * k);
  const tiles = new Float64Array(Math.ceil(n / LANES) * LANES * k).fill(Number.NaN);
  for (let c = 0; c < k; c++) {
    const from = columns[c]! * matrixRows;
    for (let i = 0; i < n; i++) {
      const x = data[from + rows[i]!]!;
      flat[i * k + c] = x;
      tiles[((i >> 2) * k + c) * LANES + (i & 3)] = x;
    }
  }
  return { rows: n, k, flat, tiles };
}

/** Writes the keys of one row against four rows of each tile in [from, to) to `out`. */
export type TileKernel = (
  row: Float64Array,
  tiles: Float64Array,
  from: number,
  to: number,
  /** A tile whose four keys all exceed this may be reported as Infinity. */
  bound: number,
  out: Float64Array,
) => void;

/** The kernel of a metric. NaN lanes (behind the last row) stay NaN. */
export function tileKernel(metric: Metric): TileKernel {
  return metric === 'gower' ? gowerTiles : euclideanTiles;
}

function gowerTiles(
  row: Float64Array,
  tiles: Float64Array,
  from: number,
  to: number,
  bound: number,
  out: Float64Array,
): void {
  const k = row.length;
  const head = Math.min(HEAD, k);
  for (let t = from, w = 0; t < to; t++, w += LANES) {
    let o = t * k * LANES;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let c = 0;
    for (; c < head; c++, o += LANES) {
      const x = row[c]!;
      s0 += Math.abs(x - tiles[o]!);
      s1 += Math.abs(x - tiles[o + 1]!);
      s2 += Math.abs(x - tiles[o + 2]!);
      s3 += Math.abs(x - tiles[o + 3]!);
    }
    if (s0 > bound && s1 > bound && s2 > bound && s3 > bound) {
      out[w] = out[w + 1] = out[w + 2] = out[w + 3] = Number.POSITIVE_INFINITY;
      continue;
    }
    for (; c < k; c++, o += LANES) {
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

function euclideanTiles(
  row: Float64Array,
  tiles: Float64Array,
  from: number,
  to: number,
  bound: number,
  out: Float64Array,
): void {
  const k = row.length;
  const head = Math.min(HEAD, k);
  for (let t = from, w = 0; t < to; t++, w += LANES) {
    let o = t * k * LANES;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let c = 0;
    for (; c < head; c++, o += LANES) {
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
    if (s0 > bound && s1 > bound && s2 > bound && s3 > bound) {
      out[w] = out[w + 1] = out[w + 2] = out[w + 3] = Number.POSITIVE_INFINITY;
      continue;
    }
    for (; c < k; c++, o += LANES) {
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

/** Tiles per block: 64 tiles of 20 columns are 40 KB and stay in the first cache while all rows pass. */
export const BLOCK_TILES = 64;

/** Receives the keys of row `i` against the packed rows `j0`, `j0 + 1`, ...; `lanes` of them are real. */
export type BlockVisitor = (i: number, j0: number, lanes: number, keys: Float64Array) => void;

/** Every unordered pair of packed rows at least once, in blocks: the visitor must skip j <= i. */
export function scanWithin(packed: PackedRows, kernel: TileKernel, visit: BlockVisitor): void {
  const { rows, k, flat, tiles } = packed;
  const out = new Float64Array(BLOCK_TILES * LANES);
  const tilesN = Math.ceil(rows / LANES);
  for (let t0 = 0; t0 < tilesN; t0 += BLOCK_TILES) {
    const t1 = Math.min(t0 + BLOCK_TILES, tilesN);
    const end = Math.min(t1 * LANES, rows);
    for (let i = 0; i < end; i++) {
      const from = Math.max(t0, i >> 2);
      kernel(flat.subarray(i * k, (i + 1) * k), tiles, from, t1, Number.POSITIVE_INFINITY, out);
      visit(i, from * LANES, end - from * LANES, out);
    }
  }
}

/** Every pair (row of `a`, row of `b`), in blocks. `bound()` is asked before each row of a block. */
export function scanCross(
  a: PackedRows,
  b: PackedRows,
  kernel: TileKernel,
  bound: () => number,
  visit: BlockVisitor,
): void {
  const out = new Float64Array(BLOCK_TILES * LANES);
  const tilesN = Math.ceil(b.rows / LANES);
  for (let t0 = 0; t0 < tilesN; t0 += BLOCK_TILES) {
    const t1 = Math.min(t0 + BLOCK_TILES, tilesN);
    const lanes = Math.min(t1 * LANES, b.rows) - t0 * LANES;
    for (let i = 0; i < a.rows; i++) {
      kernel(a.flat.subarray(i * a.k, (i + 1) * a.k), b.tiles, t0, t1, bound(), out);
      visit(i, t0 * LANES, lanes, out);
    }
  }
}
