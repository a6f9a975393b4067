/** All pairs of packed rows once: counts keys below two bands, and hands over those in a band or beyond `top`. */
import type { Metric } from './distance.js';
import { instantiate, type Kernel, layOut } from './kernel.js';
import { keysOfRow, LANES, tilesLength } from './tiles.js';

/** What a pass looks for. Bands are closed: [lo, hi]; a key may lie in both. */
export interface Limits {
  readonly lo1: number;
  readonly hi1: number;
  readonly lo2: number;
  readonly hi2: number;
  readonly top: number;
}

/** Called for every pair i < j whose key lies in a band or is at least `top`; in no particular order. */
export type Emit = (key: number, i: number, j: number) => void;

export interface WithinPass {
  /** [tile][k][4], to be filled before the first scan. */
  readonly tiles: Float64Array;
  /**
   * Rows of the tiles [iFrom, iTo) against rows behind them of the tiles [tFrom, tTo). Adds what lies below lo1 and lo2
   * to `below`. The limits may be those of an earlier call: they decide what is handed over, never what is counted.
   */
  scan(
    iFrom: number,
    iTo: number,
    tFrom: number,
    tTo: number,
    limits: Limits,
    below: [number, number],
    emit: Emit,
  ): void;
}

/** A share of the pairs: parts 0 to of - 1 together are all of them. */
export interface Part {
  readonly part: number;
  readonly of: number;
}
export const WHOLE: Part = { part: 0, of: 1 };

/** 64 tiles of 20 columns are 40 KB and stay in the first cache while all rows pass. */
export const BLOCK_TILES = 64;

/** Blocks of tiles on and right of the diagonal; block rows are dealt to the parts in turn. */
export function forBlocks(
  tilesN: number,
  { part, of }: Part,
  scan: (iFrom: number, iTo: number, tFrom: number, tTo: number) => void,
): void {
  const end = (block: number): number => Math.min((block + 1) * BLOCK_TILES, tilesN);
  for (let t = 0; t * BLOCK_TILES < tilesN; t++) {
    for (let i = part; i <= t; i += of) scan(i * BLOCK_TILES, end(i), t * BLOCK_TILES, end(t));
  }
}

/** A pass over `n` rows of `k` columns; compiled when a kernel is given. */
export function withinPass(
  metric: Metric,
  n: number,
  k: number,
  module: WebAssembly.Module | null,
): WithinPass {
  return module ? compiledPass(metric, n, k, module) : plainPass(metric, n, k);
}

function plainPass(metric: Metric, n: number, k: number): WithinPass {
  const tiles = new Float64Array(tilesLength(n, k));
  const row = new Float64Array(k);
  const keys = new Float64Array(BLOCK_TILES * LANES);
  return {
    tiles,
    scan(iFrom, iTo, tFrom, tTo, { lo1, hi1, lo2, hi2, top }, below, emit) {
      let below1 = 0;
      let below2 = 0;
      for (let i = iFrom * LANES; i < iTo * LANES; i++) {
        const t0 = Math.max(tFrom, i >> 2);
        for (let c = 0; c < k; c++) row[c] = tiles[((i >> 2) * k + c) * LANES + (i & 3)]!;
        keysOfRow(metric, tiles, row, t0, tTo, keys);
        const j0 = t0 * LANES;
        for (let j = Math.max(j0, i + 1); j < tTo * LANES; j++) {
          const key = keys[j - j0]!;
          if (key < lo1) below1++;
          if (key < lo2) below2++;
          if ((key >= lo1 && key <= hi1) || (key >= lo2 && key <= hi2) || key >= top) emit(key, i, j);
        }
      }
      below[0] += below1;
      below[1] += below2;
    },
  };
}

interface WithinExports {
  gower(...args: number[]): number;
  euclidean(...args: number[]): number;
  below1(): number;
  below2(): number;
  end(): number;
}

/** Room for 8 rows of a block of tiles. */
const OUT_ENTRIES = 8 * LANES * LANES * BLOCK_TILES;

function compiledPass(metric: Metric, n: number, k: number, module: WebAssembly.Module): WithinPass {
  const kernel: Kernel<WithinExports> = instantiate('within', module);
  const at = layOut(kernel.memory, {
    tiles: tilesLength(n, k) * 8,
    limits: 40,
    scratch: 128,
    out: OUT_ENTRIES * 16,
  });
  const { buffer } = kernel.memory;
  const limit = new Float64Array(buffer, at.limits, 5);
  const keys = new Float64Array(buffer, at.out, OUT_ENTRIES * 2);
  const rows = new Int32Array(buffer, at.out, OUT_ENTRIES * 4);
  const outEnd = at.out + OUT_ENTRIES * 16;
  return {
    tiles: new Float64Array(buffer, at.tiles, tilesLength(n, k)),
    scan(iFrom, iTo, tFrom, tTo, { lo1, hi1, lo2, hi2, top }, below, emit) {
      limit.set([lo1, hi1, lo2, hi2, top]);
      for (let i = iFrom; i < iTo; ) {
        i = kernel.run[metric](at.tiles, k, i, iTo, tFrom, tTo, at.limits, at.scratch, at.out, outEnd);
        below[0] += kernel.run.below1();
        below[1] += kernel.run.below2();
        const entries = (kernel.run.end() - at.out) / 16;
        for (let e = 0; e < entries; e++) emit(keys[2 * e]!, rows[4 * e + 2]!, rows[4 * e + 3]!);
      }
    },
  };
}
