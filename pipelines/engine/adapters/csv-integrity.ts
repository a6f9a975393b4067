/** The first read of a csv or csv.gz: damage is found here, before DuckDB opens the file. */
import type { FolderFile, IntegrityReport } from '../../../stages/contract.js';

/** Reads a file to its end: hash, gunzip, UTF-8, records. Throws a DataError on damage. */
export function inspectCsv(file: FolderFile, _signal: AbortSignal): Promise<IntegrityReport> {
  return Promise.reject(new Error(`cannot read ${file.path} yet`));
}
