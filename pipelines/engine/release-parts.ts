/** Parts of a release that every benchmark takes from its stages in the same way. */
import { join } from 'node:path';
import { edges as edgesTable } from '../../schemas/engine.js';
import type { ReleaseStage } from '../../schemas/release.js';
import { DuckDbSession, quoteText } from './adapters/duckdb.js';
import { mkdir, PROJECT_ROOT, readFileSync } from './adapters/files.js';
import type { StoredEntry } from './cache.js';
import type { ReleaseTable } from './release.js';
import { type Session, tablePath } from './session.js';

/** Results of the stages by name, in the order of the pipeline. */
export type Entries = ReadonlyMap<string, StoredEntry>;

/** A stage as the manifest records it. */
export function describeStage(
  session: Session,
  entries: Entries,
  step: Session['steps'][number],
): ReleaseStage {
  const { stage } = step;
  const entry = entries.get(stage.name)!;
  const outputs = Object.entries(entry.result.outputs).map(([name, o]) => [
    name,
    { sha256: o.sha256, rows: o.rows ?? null, bytes: o.bytes },
  ]);
  const inputs = Object.entries(step.inputs).map(([name, ref]) => [
    name,
    ref.from === 'stage' ? `${ref.stage}.${ref.output}` : `source.${ref.source}`,
  ]);
  return {
    name: stage.name,
    version: stage.version,
    summary: stage.summary,
    code_hash: entry.parts.code,
    config: session.config.stages[stage.name] as Record<string, unknown>,
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
  };
}

/** The edges of all stages in one sorted file. */
export async function edgeTable(entries: Entries, scratch: string): Promise<ReleaseTable> {
  const paths = [...entries.keys()].map((stage) => quoteText(tablePath(entries, stage, 'edges')));
  const from = join(scratch, 'edges.parquet');
  await withSession(scratch, (session) =>
    session.run(
      `copy (select child, relation, parent, stage, stage_version from read_parquet([${paths.join(', ')}])
       order by child, relation, parent, stage) to ${quoteText(from)} (format parquet, compression zstd, row_group_size 122880)`,
    ),
  );
  return { role: 'edges', table: edgesTable, from, path: 'provenance/edges', config: null };
}

/** Counts of refused rows and declared drops by stage, table and reason, as a JSON document. */
export function rejectSummary(entries: Entries): string {
  const summary = [...entries].map(([stage, e]) => [
    stage,
    { rows_in: e.result.rows_in, rejected: e.result.rejected, dropped: e.result.dropped },
  ]);
  return `${JSON.stringify(Object.fromEntries(summary), null, 2)}\n`;
}

/** Exact versions of the packages that shaped the bytes of any stage. */
export const packagesOf = (entries: Entries): Record<string, string> =>
  Object.assign({}, ...[...entries.values()].map((e) => e.parts.packages)) as Record<string, string>;

/** All rows of a Parquet file; DuckDB spills to `scratch`. */
export function readRows<R = Record<string, unknown>>(path: string, scratch: string): Promise<R[]> {
  return withSession(scratch, (s) => s.rows<R>(`select * from read_parquet(${quoteText(path)})`));
}

/** The values of the column `split` of a Parquet file, ascending. */
export async function readSplits(path: string, scratch: string): Promise<string[]> {
  const rows = await withSession(scratch, (s) =>
    s.rows<{ split: string }>(`select distinct split from read_parquet(${quoteText(path)}) order by split`),
  );
  return rows.map((r) => r.split);
}

/** Version of the software, from package.json. */
export function toolVersion(): string {
  return (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string })
    .version;
}

async function withSession<T>(scratch: string, use: (session: DuckDbSession) => Promise<T>): Promise<T> {
  await mkdir(scratch, { recursive: true });
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: join(scratch, 'spill'),
  });
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

/** A `select` over `$from` (and `$other`), written as Parquet to `to`; the select orders its rows. Returns `to`. */
export async function selectTable(options: {
  readonly from: string;
  readonly other?: string;
  readonly select: string;
  readonly to: string;
  readonly scratch: string;
}): Promise<string> {
  const { from, other, select, to, scratch } = options;
  const sql = select
    .replaceAll('$from', () => quoteText(from))
    .replaceAll('$other', () => quoteText(other ?? ''));
  await withSession(scratch, (s) =>
    s.run(`copy (${sql}) to ${quoteText(to)} (format parquet, compression zstd, row_group_size 122880)`),
  );
  return to;
}
