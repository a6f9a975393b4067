/** The tables of a release in a DuckDB session. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import { type DuckDbSession, quoteName, quoteText } from './adapters/duckdb.js';

/** Makes every Parquet table of a release a view under its own name, all configs and splits together; returns the names. */
export async function createViews(
  session: DuckDbSession,
  dir: string,
  manifest: ReleaseManifest,
): Promise<ReadonlySet<string>> {
  const paths = new Map<string, string[]>();
  for (const file of manifest.files) {
    if (file.format !== 'parquet' || file.table === null) continue;
    paths.set(file.table, [...(paths.get(file.table) ?? []), file.path]);
  }
  for (const [name, files] of paths) {
    const list = files.map((f) => quoteText(join(dir, f))).join(', ');
    await session.run(`create view ${quoteName(name)} as select * from read_parquet([${list}])`);
  }
  return new Set(paths.keys());
}
