/** mimic.duckdb: the stage outputs in one database file for people with a SQL client. Nothing reads it back. */
import { join } from 'node:path';
import { DuckDbSession, quoteName, quoteText } from './duckdb.js';
import { fileError, mkdir, rename, rm } from './files.js';

export interface AuditDatabase {
  /** Table name to Parquet file; `mimic.labevents` goes into schema `mimic`. */
  readonly tables: Readonly<Record<string, string>>;
  /** The database file; an older one is replaced as a whole. */
  readonly target: string;
  readonly memoryLimit: string;
  readonly threads: number;
  readonly signal?: AbortSignal;
}

/** Writes the database under a temporary name and renames it, so that nobody ever opens half of it. */
export async function writeAuditDatabase(options: AuditDatabase): Promise<void> {
  const { tables, target, signal } = options;
  const temporary = `${target}.${process.pid}.tmp`;
  const spillDir = `${temporary}.spill`;
  await mkdir(join(target, '..'), { recursive: true });
  try {
    const session = await DuckDbSession.create({
      threads: options.threads,
      memoryLimit: options.memoryLimit,
      spillDir,
      file: temporary,
      ...(signal ? { signal } : {}),
    });
    try {
      for (const [name, path] of Object.entries(tables)) await copyTable(session, name, path);
      await session.run('checkpoint');
    } finally {
      session.close();
    }
    await rename(temporary, target);
  } catch (error) {
    throw fileError(error, target);
  } finally {
    for (const path of [temporary, `${temporary}.wal`, spillDir])
      await rm(path, { recursive: true, force: true });
  }
}

async function copyTable(session: DuckDbSession, name: string, path: string): Promise<void> {
  const parts = name.split('.');
  if (parts.length > 1) await session.run(`create schema if not exists ${quoteName(parts[0]!)}`);
  await session.run(
    `create table ${parts.map(quoteName).join('.')} as select * from read_parquet(${quoteText(path)})`,
  );
}
