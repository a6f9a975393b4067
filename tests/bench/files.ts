/** The binary files that product and peers share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPythonHere } from '../support/python.js';

/** Folder of everything that the benchmark writes. */
export const BENCH_DIR = 'build/bench';

/** Input folder of that name. Stand-ins for missing Python have a place of their own. */
export const inputDir = (name: string): string =>
  join(BENCH_DIR, isPythonHere() ? 'data' : 'data-stand-in', name);

export const readMeta = <T>(dir: string): T => JSON.parse(readFileSync(join(dir, 'meta.json'), 'utf8')) as T;

/** A copy with an alignment of its own, because small files come from a shared buffer. */
function bytes(path: string): ArrayBuffer {
  const content = readFileSync(path);
  return content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength) as ArrayBuffer;
}

export const readFloats = (path: string): Float64Array => new Float64Array(bytes(path));
export const readWords = (path: string): Uint32Array => new Uint32Array(bytes(path));
export const readBytes = (path: string): Uint8Array => new Uint8Array(bytes(path));

/** A row-major matrix as shared column-major memory. */
export function toColumns(rowMajor: Float64Array, rows: number, columns: number): Float64Array {
  const out = new Float64Array(new SharedArrayBuffer(rowMajor.byteLength));
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) out[c * rows + r] = rowMajor[r * columns + c]!;
  return out;
}
