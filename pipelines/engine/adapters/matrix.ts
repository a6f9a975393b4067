/** Streams a query into one typed array: columns are copied as they lie in DuckDB's vectors, never value by value. */
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBResult,
  DuckDBTypeId,
} from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import { quoteName } from './sql-text.js';

/** What a matrix holds: float64 with NaN for null, or bytes, which have no null. */
export type Kind = 'double' | 'byte';
type Values = Float64Array | Uint8Array;

const TYPES: Record<Kind, readonly DuckDBTypeId[]> = {
  double: [DuckDBTypeId.DOUBLE],
  byte: [DuckDBTypeId.UTINYINT, DuckDBTypeId.BOOLEAN],
};

/** A matrix in shared memory, column-major. */
export interface ReadMatrix {
  readonly rows: number;
  readonly columns: readonly string[];
  readonly data: Values;
}

/** Reads a query in the order of its rows. `lookUp` answers the question for their number, `stream` sends them. */
export async function readInOrder(
  lookUp: DuckDBConnection,
  stream: DuckDBConnection,
  sql: string,
  kind: Kind,
): Promise<ReadMatrix> {
  const count = await lookUp.runAndReadAll(`select count(*) from (${sql})`);
  const rows = Number(count.value(0, 0));
  const result = await stream.stream(sql);
  return fill(result, rows, kind, 0, (_chunk, seen) => seen);
}

/**
 * Reads a query whose column `key` tells the rows apart, in ascending order of the key. DuckDB does not sort: the rows
 * come as they lie in their file and are put in their place by the key.
 */
export async function readByKey(
  lookUp: DuckDBConnection,
  stream: DuckDBConnection,
  sql: string,
  key: string,
  kind: Kind,
): Promise<ReadMatrix> {
  const name = quoteName(key);
  const asDouble = `cast(${name} as double)`;
  const sorted = await lookUp.runAndReadAll(`select ${asDouble} from (${sql}) order by 1`);
  const keys = Float64Array.from(sorted.getColumns()[0] ?? [], (x) => (x === null ? Number.NaN : Number(x)));
  const twice = keys.findIndex((x, i) => !(x > (keys[i - 1] ?? Number.NEGATIVE_INFINITY)));
  if (twice !== -1) throw new Error(`matrix: column ${key} has a null or repeated value (${keys[twice]})`);
  const result = await stream.stream(`select ${asDouble} as ${name}, * exclude (${name}) from (${sql})`);
  return fill(result, keys.length, kind, 1, (chunk) => placesOf(chunk, keys));
}

/** The places of a chunk's rows: where its first row goes when the others follow it, else the place of each. */
type Place = (chunk: DuckDBDataChunk, seen: number) => number | Int32Array;

async function fill(
  result: DuckDBResult,
  rows: number,
  kind: Kind,
  skip: number,
  place: Place,
): Promise<ReadMatrix> {
  const columns = result.deduplicatedColumnNames().slice(skip);
  for (const [j, name] of columns.entries()) {
    if (!TYPES[kind].includes(result.columnTypeId(skip + j))) {
      throw new Error(`matrix: column ${name} is ${result.columnType(skip + j)}; expected ${kind}`);
    }
  }
  const cells = rows * columns.length;
  const data =
    kind === 'double'
      ? new Float64Array(new SharedArrayBuffer(cells * 8))
      : new Uint8Array(new SharedArrayBuffer(cells));
  let seen = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    const at = place(chunk, seen);
    seen += chunk.rowCount;
    if (seen > rows) break;
    for (const [j, name] of columns.entries()) {
      copyColumn(chunk, skip + j, name, data.subarray(j * rows, (j + 1) * rows), at);
    }
  }
  if (seen !== rows) throw new Error(`a stream of ${rows} rows ended after ${seen}`);
  return { rows, columns, data };
}

/** The values of a column as they lie in the chunk. */
function valuesOf(chunk: DuckDBDataChunk, j: number, size: 1 | 8): Values {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, j);
  const raw = bindings.vector_get_data(vector, chunk.rowCount * size);
  return size === 8 ? new Float64Array(raw.buffer, raw.byteOffset, chunk.rowCount) : raw;
}

/** One bit a row, set where there is a value; null when every row has one. */
function validityOf(chunk: DuckDBDataChunk, j: number): Uint8Array | null {
  const vector = bindings.data_chunk_get_vector(chunk.chunk, j);
  return bindings.vector_get_validity(vector, Math.ceil(chunk.rowCount / 64) * 8) as Uint8Array | null;
}

function copyColumn(
  chunk: DuckDBDataChunk,
  j: number,
  name: string,
  target: Values,
  at: number | Int32Array,
): void {
  const isDouble = target instanceof Float64Array;
  const values = valuesOf(chunk, j, isDouble ? 8 : 1);
  if (typeof at === 'number') target.set(values, at);
  else for (let i = 0; i < values.length; i++) target[at[i]!] = values[i]!;
  const valid = validityOf(chunk, j);
  if (!valid) return;
  for (let i = 0; i < values.length; i++) {
    const byte = valid[i >>> 3]!;
    if (byte === 255) i |= 7;
    else if (!((byte >>> (i & 7)) & 1)) {
      if (!isDouble) throw new Error(`matrix: byte column ${name} holds a null`);
      target[typeof at === 'number' ? at + i : at[i]!] = Number.NaN;
    }
  }
}

/** Finds every key of a chunk among the sorted ones; rows that lie in order cost one comparison each. */
function placesOf(chunk: DuckDBDataChunk, keys: Float64Array): number | Int32Array {
  const wanted = valuesOf(chunk, 0, 8);
  const first = search(keys, wanted[0]!);
  let n = 1;
  while (n < wanted.length && keys[first + n] === wanted[n]) n++;
  if (n === wanted.length) return first;
  return Int32Array.from(wanted, (x) => search(keys, x));
}

function search(keys: Float64Array, wanted: number): number {
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  if (keys[low] !== wanted) throw new Error(`matrix: key ${wanted} was not among the sorted ones`);
  return low;
}
