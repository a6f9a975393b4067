/** What a supmimic release holds, taken from the results of the stages. */
import { join } from 'node:path';
import { edges as edgesTable } from '../../schemas/engine.js';
import type { ReleaseManifest, ReleaseStage } from '../../schemas/release.js';
import * as tables from '../../schemas/supmimic.js';
import type { Table } from '../../schemas/table.js';
import { DuckDbSession, quoteText } from '../engine/adapters/duckdb.js';
import { mkdir, PROJECT_ROOT, readFileSync, rm } from '../engine/adapters/files.js';
import type { StoredEntry } from '../engine/cache.js';
import { ENGINE_VERSION } from '../engine/fingerprint.js';
import { checkPublication, highest } from '../engine/policy.js';
import { type ReleaseSpec, type ReleaseTable, type WrittenRelease, writeRelease } from '../engine/release.js';
import { type Session, tablePath } from '../engine/session.js';
import { describeColumn } from './columns.js';
import { releaseDocuments } from './documents.js';

type Entries = ReadonlyMap<string, StoredEntry>;

/** Tables from which `verify` recomputes the answers: stage, output. */
const COHORT: readonly (readonly [string, string, Table])[] = [
  ['build-cohort', 'cohort', tables.cohort],
  ['build-cohort', 'cohort_flow', tables.cohortFlow],
  ['build-features', 'features', tables.features],
  ['impute-features', 'imputed', tables.imputed],
  ['impute-features', 'imputed_flags', tables.imputedFlags],
  ['impute-features', 'impute_values', tables.imputeValues],
  ['select-diagnoses', 'labels', tables.labels],
  ['select-diagnoses', 'label_rows', tables.labelRows],
  ['select-diagnoses', 'diagnoses', tables.diagnoses],
  ['select-diagnoses', 'code_map', tables.codeMap],
  ['select-diagnoses', 'selection_steps', tables.selectionSteps],
  ['split-patients', 'splits', tables.splits],
  ['rank-features', 'ranks', tables.ranks],
  ['rank-features', 'rank_summary', tables.rankSummary],
  ['rank-features', 'k_sweep', tables.kSweep],
  ['mine-pairs', 'ranges', tables.ranges],
  ['mine-pairs', 'eligibility', tables.eligibility],
  ['mine-pairs', 'thresholds', tables.thresholds],
  ['mine-pairs', 'pairs', tables.pairs],
  ['mine-pairs', 'baseline', tables.baseline],
];

/** Writes build/releases/supmimic/<version>/. */
export async function publishRelease(
  session: Session,
  entries: Entries,
  version: string | undefined,
  signal: AbortSignal,
): Promise<WrittenRelease> {
  const access = highest([...entries.values()].map((e) => e.access));
  const config = session.config.stages['stamp-release'] as { audience?: 'auto' | 'public' | 'credentialed' };
  const auto = access === 'open' ? 'public' : 'credentialed';
  checkPublication(
    access,
    config.audience === undefined || config.audience === 'auto' ? auto : config.audience,
  );
  const gathered = join(session.buildDir, 'cache', '.staging', `${process.pid}-release`);
  try {
    const spec = await describeRelease(session, entries, version, access, gathered);
    return await writeRelease(join(session.buildDir, 'releases', 'supmimic'), spec, signal);
  } finally {
    await rm(gathered, { recursive: true, force: true });
  }
}

async function describeRelease(
  session: Session,
  entries: Entries,
  version: string | undefined,
  access: ReleaseManifest['access'],
  scratch: string,
): Promise<ReleaseSpec> {
  const report = readFileSync(tablePath(entries, 'report-quality', 'report_json'), 'utf8');
  const loaded = await readAll(tablePath(entries, 'load-mimic', 'load_report'), scratch);
  const mimic_version = String(loaded[0]?.mimic_version ?? 'unknown');
  const is_synthetic = entries.has('synth-mimic');
  const kind = is_synthetic ? 'synthetic' : mimic_version === 'demo' ? 'demo' : 'mimic';
  return {
    benchmark: 'supmimic',
    version,
    kind,
    splits: await readSplits(tablePath(entries, 'split-patients', 'splits'), scratch),
    tables: [...questionTables(entries), ...cohortTables(entries), await edgeTable(entries, scratch)],
    texts: [
      { role: 'quality', path: 'quality/report.json', format: 'json', content: report },
      {
        role: 'quality',
        path: 'quality/report.html',
        format: 'html',
        content: readFileSync(tablePath(entries, 'report-quality', 'report_html'), 'utf8'),
      },
      { role: 'rejects', path: 'rejects/summary.json', format: 'json', content: rejectSummary(entries) },
    ],
    manifest: {
      mimic_version: is_synthetic ? null : mimic_version,
      access,
      seed: session.seed,
      profile: session.config.profile,
      engine_version: ENGINE_VERSION,
      tool_version: toolVersion(),
      sources: loaded.map(
        (r) =>
          ({
            table: r.table,
            sha256: r.sha256,
            bytes: r.bytes,
            records: r.records,
          }) as ReleaseManifest['sources'][number],
      ),
      stages: session.steps.map((s) => describeStage(session, entries, s)),
      statistics: (JSON.parse(report) as { statistics: Record<string, unknown> }).statistics,
      packages: Object.assign({}, ...[...entries.values()].map((e) => e.parts.packages)) as Record<
        string,
        string
      >,
    },
    describeColumn,
    documents: releaseDocuments,
  };
}

function describeStage(session: Session, entries: Entries, step: Session['steps'][number]): ReleaseStage {
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

function questionTables(entries: Entries): ReleaseTable[] {
  return tables.TASKS.flatMap((task): ReleaseTable[] => [
    {
      role: 'question',
      table: tables.questions[task],
      from: tablePath(entries, 'stamp-release', task),
      path: `data/${task}/{split}`,
      jsonl: `jsonl/${task}/{split}`,
      config: task,
    },
    {
      role: 'answer',
      table: tables.answers[task],
      from: tablePath(entries, 'stamp-release', `answers_${task}`),
      path: `answers/${task}/{split}`,
      config: task,
    },
  ]);
}

function cohortTables(entries: Entries): ReleaseTable[] {
  return COHORT.map(([stage, name, table]) => ({
    role: 'cohort',
    table,
    from: tablePath(entries, stage, name),
    path: `cohort/${name}`,
    config: null,
  }));
}

/** The edges of all stages in one sorted file. */
async function edgeTable(entries: Entries, scratch: string): Promise<ReleaseTable> {
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

/** Counts of refused rows and declared drops by stage, table and reason. */
function rejectSummary(entries: Entries): string {
  const summary = [...entries].map(([stage, e]) => [
    stage,
    { rows_in: e.result.rows_in, rejected: e.result.rejected, dropped: e.result.dropped },
  ]);
  return `${JSON.stringify(Object.fromEntries(summary), null, 2)}\n`;
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

function readAll(path: string, scratch: string): Promise<Record<string, unknown>[]> {
  return withSession(scratch, (s) => s.rows(`select * from read_parquet(${quoteText(path)})`));
}

async function readSplits(path: string, scratch: string): Promise<string[]> {
  const rows = await withSession(scratch, (s) =>
    s.rows<{ split: string }>(`select distinct split from read_parquet(${quoteText(path)}) order by split`),
  );
  return rows.map((r) => r.split);
}

function toolVersion(): string {
  return (JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string })
    .version;
}
