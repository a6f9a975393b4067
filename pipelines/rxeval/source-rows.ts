/** Rows of MIMIC-IV behind events and pieces of the profile, read again from the loaded tables. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { DuckDbSession, quoteName, quoteText } from '../engine/adapters/duckdb.js';
import { rm } from '../engine/adapters/files.js';
import { tablePath } from '../engine/session.js';
import { recompute } from '../recompute.js';
import { openRxeval } from './benchmark.js';

/** A row of a loaded table as text, with the key it was found by; `row` is null where no row has the key. */
export interface SourceRow {
  readonly table: string;
  readonly key: string;
  readonly row: Readonly<Record<string, unknown>> | null;
}

export interface SourceRows {
  /** `key` is `column=value;column=value`; a value may not hold a semicolon. */
  find(table: string, key: string): Promise<SourceRow>;
}

/** Opens the loaded tables of the extract that a release was built from. */
export async function withSourceRows<T>(
  context: CommandContext,
  manifest: ReleaseManifest,
  use: (rows: SourceRows) => Promise<T>,
): Promise<T> {
  const entries = await recompute(openRxeval, context, manifest, 'load-orders');
  const spillDir = join(context.buildDir, 'cache', '.staging', `${process.pid}-source-rows`);
  const session = await DuckDbSession.create({
    threads: context.workers,
    memoryLimit: context.memoryLimit,
    spillDir,
    signal: context.signal,
  });
  const tables = new Map<string, string>();
  for (const stage of ['load-mimic', 'load-orders'])
    for (const [name, output] of Object.entries(entries.get(stage)!.result.outputs))
      if (output.kind === 'table') tables.set(name, tablePath(entries, stage, name));
  try {
    return await use({ find: (table, key) => find(session, tables, { table, key }) });
  } finally {
    session.close();
    await rm(spillDir, { recursive: true, force: true });
  }
}

async function find(
  session: DuckDbSession,
  tables: ReadonlyMap<string, string>,
  { table, key }: { readonly table: string; readonly key: string },
): Promise<SourceRow> {
  const path = tables.get(table);
  if (!path) return { table, key, row: null };
  const pairs = key.split(';').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  const where = pairs
    .map(([column, value]) => `cast(${quoteName(column)} as varchar) = ${quoteText(value)}`)
    .join(' and ');
  const [row] = await session.rows<Record<string, unknown>>(
    `select * from read_parquet(${quoteText(path)}) where ${where} order by all limit 1`,
  );
  return { table, key, row: row ?? null };
}
