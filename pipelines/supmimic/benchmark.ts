/** The supmimic commands: build, plan, config, trace, verify, diff. */
import { join, relative } from 'node:path';
import { TASKS } from '../../schemas/supmimic.js';
import { askedModels } from '../asked-models.js';
import type { Benchmark, CommandContext } from '../benchmark.js';
import { writeAuditDatabase } from '../engine/adapters/audit-database.js';
import { existsSync, PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import type { StoredEntry } from '../engine/cache.js';
import { describeConfig, describePlan } from '../engine/command-words.js';
import { diffReleases } from '../engine/diff-releases.js';
import type { ConfigValues, Pipeline } from '../engine/pipeline.js';
import { checkVersion } from '../engine/release.js';
import { openSession, run, type Session } from '../engine/session.js';
import { folderSource } from '../engine/sources.js';
import { describePublished, describeUntil } from '../published.js';
import { EXTRACT, supmimicPipeline } from './pipeline.js';
import { publishRelease } from './release.js';

/** Tables of an extract that supmimic reads. */
const WANTED = [
  'hosp/admissions.csv',
  'hosp/d_icd_diagnoses.csv',
  'hosp/d_labitems.csv',
  'hosp/diagnoses_icd.csv',
  'hosp/labevents.csv',
  'hosp/omr.csv',
  'hosp/patients.csv',
  'hosp/services.csv',
  'icu/chartevents.csv',
  'icu/d_items.csv',
  'icu/icustays.csv',
  'icu/inputevents.csv',
  'icu/outputevents.csv',
  'icu/procedureevents.csv',
];

/** Named config values, from config.json. */
export function supmimicProfiles(): Pipeline['profiles'] {
  return JSON.parse(readFileSync(join(PROJECT_ROOT, 'pipelines/supmimic/config.json'), 'utf8'));
}

/** Sources, config and cache of one command. */
export async function openSupmimic(context: CommandContext, until?: string): Promise<Session> {
  const { mimicDirs, mimicVersion } = context;
  const sources = mimicDirs ? { [EXTRACT]: await folderSource(mimicDirs, WANTED, ['SHA256SUMS.txt']) } : {};
  const overrides: ConfigValues = mimicVersion ? { 'load-mimic': { version: mimicVersion } } : {};
  return openSession({
    pipeline: supmimicPipeline(mimicDirs ? 'extract' : 'synthetic', supmimicProfiles()),
    sources,
    profile: context.profile ?? (mimicDirs ? 'full' : 'default'),
    ...(context.configFile ? { configFile: context.configFile } : {}),
    overrides,
    ...(await askedModels(context, [])),
    seed: context.seed,
    buildDir: context.buildDir,
    ...(until ? { until } : {}),
  });
}

async function build(context: CommandContext, version: string | undefined, until: string | undefined) {
  checkVersion(version);
  const session = await openSupmimic(context, until);
  const command = { command: 'build', benchmark: 'supmimic', version, until, directories: context.mimicDirs };
  return run(session, { ...context, command }, async (entries) => {
    await writeAuditTables(context, entries);
    if (until) return describeUntil(entries.keys(), until);
    const released = await publishRelease(session, entries, version, context.signal);
    return describePublished(released, [...wordUnknownLengths(entries), ...wordLoaded(entries)]);
  });
}

/** A file whose length nobody stated may have been cut between two gzip members: say so. */
function wordUnknownLengths(entries: ReadonlyMap<string, StoredEntry>): string[] {
  const n = entries.get('load-mimic')?.result.counts.files_of_unknown_length ?? 0;
  return n > 0
    ? [
        `note: ${n} files have neither a known checksum nor a known row count, so a cut between two gzip members would not show`,
      ]
    : [];
}

/** Where people with a SQL client find the loaded tables. */
function wordLoaded(entries: ReadonlyMap<string, StoredEntry>): string[] {
  const dir = loadedDir(entries);
  return dir ? [`loaded tables for SQL clients  ${relative(process.cwd(), join(dir, 'mimic.duckdb'))}`] : [];
}

const loadedDir = (entries: ReadonlyMap<string, StoredEntry>): string | undefined =>
  entries.get('load-mimic')?.dir;

/** mimic.duckdb beside the loaded tables, for people with a SQL client; never hashed, never read back. */
async function writeAuditTables(
  context: CommandContext,
  entries: ReadonlyMap<string, StoredEntry>,
): Promise<void> {
  const loaded = entries.get('load-mimic');
  const target = loaded && join(loaded.dir, 'mimic.duckdb');
  if (!target || existsSync(target)) return;
  const outputs = Object.entries(loaded.result.outputs).filter(([, o]) => o.kind === 'table');
  await writeAuditDatabase({
    tables: Object.fromEntries(outputs.map(([name, o]) => [name, join(loaded.dir, o.path)])),
    target,
    memoryLimit: context.memoryLimit,
    threads: context.workers,
    signal: context.signal,
  });
}

/** What a comparison of two releases must know. */
const DIFF = {
  configs: TASKS,
  key: 'item_id',
  shared: ['dx_code', 'pair_id', 'split'],
  answer: 'label',
  beside: 'distances, thresholds or ranks',
};

export const supmimic: Benchmark = {
  name: 'supmimic',
  build,
  plan: async (context, until) => describePlan(await openSupmimic(context, until)),
  config: async (context) => describeConfig(await openSupmimic(context)),
  trace: async (context, item, release) => (await import('./trace.js')).traceItem(context, item, release),
  verify: async (context, release) => (await import('./verify.js')).verifyRelease(context, release),
  diff: (a, b) => diffReleases(a, b, DIFF),
};
