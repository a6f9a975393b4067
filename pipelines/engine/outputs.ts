/** The files that a stage leaves: sorted Parquet tables, documents and folders, with their hashes. */
import { join } from 'node:path';
import { type SqlColumn, sqlColumns, type Table } from '../../schemas/table.js';
import type { FolderFile } from '../../stages/contract.js';
import { sha256 } from '../../stages/lib/hash.js';
import { type DuckDbSession, quoteName, quoteText } from './adapters/duckdb.js';
import { hashFile, hashFolder, statSync } from './adapters/files.js';

/** One written output. */
export interface OutputFile {
  readonly kind: 'table' | 'folder' | 'document';
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly rows?: number;
  /** Files of a folder. */
  readonly files?: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

/** The key of a table for `group by` and `order by`. */
export const keyColumns = (declared: Table, columns: readonly SqlColumn[]): string =>
  (declared.key === 'all' ? columns.map((c) => c.name) : declared.key).map(quoteName).join(', ');

/** Rows of a table or view. */
export async function countRows(session: DuckDbSession, name: string): Promise<number> {
  const [row] = await session.rows<{ n: number }>(`select count(*) as n from ${quoteName(name)}`);
  return row!.n;
}

/** Writes a table as Parquet, sorted by its unique key: the same rows always give the same bytes. */
export async function writeTable(
  session: DuckDbSession,
  dir: string,
  name: string,
  declared: Table,
): Promise<OutputFile> {
  const columns = sqlColumns(declared);
  const path = join(dir, `${name}.parquet`);
  const select = `select ${columns.map((c) => quoteName(c.name)).join(', ')} from ${quoteName(name)} order by ${keyColumns(declared, columns)}`;
  await session.run(
    `copy (${select}) to ${quoteText(path)} (format parquet, compression zstd, row_group_size 122880)`,
  );
  const rows = await countRows(session, name);
  return {
    kind: 'table',
    path: `${name}.parquet`,
    sha256: await hashFile(path),
    bytes: statSync(path).size,
    rows,
  };
}

/** A document that was written. */
export async function describeDocument(dir: string, filename: string): Promise<OutputFile> {
  const path = join(dir, filename);
  return { kind: 'document', path: filename, sha256: await hashFile(path), bytes: statSync(path).size };
}

/** A folder that was written, with its files. */
export async function describeFolder(dir: string, name: string): Promise<OutputFile> {
  const files = await hashFolder(join(dir, name));
  const bytes = files.reduce((sum, f) => sum + f.bytes, 0);
  const listed = files.map(({ path, bytes: size, sha256: hash }) => ({ path, bytes: size, sha256: hash }));
  return { kind: 'folder', path: name, sha256: hashFiles(files), bytes, files: listed };
}

/** One hash for a set of files: their sorted paths and hashes. */
export function hashFiles(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): string {
  return sha256(
    files
      .map((f) => `${f.sha256}  ${f.path}\n`)
      .sort()
      .join(''),
  );
}
