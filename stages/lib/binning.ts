/** Columns cut into at most 256 bins once for a cohort, kept in the two orders that the forest reads. */

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
  const sorted = Float64Array.from(values).sort();
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
  const { rows, columns, binsN, byColumn, byRow } = bins;
  for (let f = from; f < to; f++) {
    const column = data.subarray(f * rows, (f + 1) * rows);
    const edges = binEdges(column, limit);
    binsN[f] = edges.length;
    for (let r = 0; r < rows; r++) {
      const bin = lowerBound(edges, column[r]!);
      byColumn[f * rows + r] = bin;
      byRow[r * columns + f] = bin;
    }
  }
}

/** Number of the first edge that is not below x. */
function lowerBound(edges: Float64Array, x: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
