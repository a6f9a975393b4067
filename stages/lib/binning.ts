/** Columns cut into at most 256 bins once for a cohort, kept in the two orders that the forest reads. */
import { sortRows } from './sort-rows.js';

/** Bin numbers of every value. `byColumn[f * rows + r]` and `byRow[r * columns + f]` hold the same bytes. */
export interface Bins {
  readonly rows: number;
  readonly columns: number;
  /** Number of bins of each column, 1 to 256. */
  readonly binsN: Uint16Array;
  readonly byColumn: Uint8Array;
  readonly byRow: Uint8Array;
}

/** Empty bins in shared memory, to be filled by any number of workers, a range of columns each. */
export function sharedBins(rows: number, columns: number): Bins {
  return {
    rows,
    columns,
    binsN: new Uint16Array(new SharedArrayBuffer(columns * 2)),
    byColumn: new Uint8Array(new SharedArrayBuffer(rows * columns)),
    byRow: new Uint8Array(new SharedArrayBuffer(rows * columns)),
  };
}

/**
 * Inclusive upper edges of the bins of a column, ascending. With few distinct values every value has its own bin;
 * otherwise a bin is closed as soon as it holds its fair share of the rows that are left.
 */
export function binEdges(values: Float64Array, limit: number): Float64Array {
  return edgesOf(inOrder(values, sortRows(values)), limit);
}

function inOrder(values: Float64Array, order: Int32Array): Float64Array {
  const sorted = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = values[order[i]!]!;
  return sorted;
}

function edgesOf(sorted: Float64Array, limit: number): Float64Array {
  const distinct = countDistinct(sorted);
  const edges: number[] = [];
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    count++;
    if (i + 1 < sorted.length && sorted[i + 1] === sorted[i]) continue;
    const rowsLeft = sorted.length - (i + 1 - count);
    if (distinct <= limit || count >= rowsLeft / (limit - edges.length) || i + 1 === sorted.length) {
      edges.push(sorted[i]!);
      count = 0;
    }
  }
  return Float64Array.from(edges);
}

function countDistinct(sorted: Float64Array): number {
  let n = sorted.length > 0 ? 1 : 0;
  for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) n++;
  return n;
}

/** Bins the columns [from, to) of a column-major matrix into `bins`. */
export function fillBins(data: Float64Array, bins: Bins, from: number, to: number, limit: number): void {
  const { rows } = bins;
  for (let f = from; f < to; f++) {
    const column = data.subarray(f * rows, (f + 1) * rows);
    const order = sortRows(column);
    const sorted = inOrder(column, order);
    const edges = edgesOf(sorted, limit);
    bins.binsN[f] = edges.length;
    numberBins(sorted, order, edges, bins.byColumn.subarray(f * rows, (f + 1) * rows));
  }
  copyToRows(bins, from, to);
}

/** Bin of every row: the first whose edge is not below its value. */
function numberBins(sorted: Float64Array, order: Int32Array, edges: Float64Array, binOf: Uint8Array): void {
  let bin = 0;
  for (let i = 0; i < sorted.length; i++) {
    while (edges[bin]! < sorted[i]!) bin++;
    binOf[order[i]!] = bin;
  }
}

/** Rows are cut into blocks, so that the parts of them that are written stay in cache from column to column. */
const ROW_BLOCK = 512;

function copyToRows({ rows, columns, byColumn, byRow }: Bins, from: number, to: number): void {
  for (let start = 0; start < rows; start += ROW_BLOCK) {
    const end = Math.min(start + ROW_BLOCK, rows);
    for (let f = from; f < to; f++) {
      for (let r = start; r < end; r++) byRow[r * columns + f] = byColumn[f * rows + r]!;
    }
  }
}
