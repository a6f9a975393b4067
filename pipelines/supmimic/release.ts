/** What a supmimic release holds, taken from the results of the stages. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import * as tables from '../../schemas/supmimic.js';
import type { Table } from '../../schemas/table.js';
import { readFileSync, rm } from '../engine/adapters/files.js';
import { ENGINE_VERSION } from '../engine/fingerprint.js';
import { checkPublication, highest } from '../engine/policy.js';
import { type ReleaseSpec, type ReleaseTable, type WrittenRelease, writeRelease } from '../engine/release.js';
import {
  describeStage,
  type Entries,
  edgeTable,
  packagesOf,
  readRows,
  readSplits,
  rejectSummary,
  toolVersion,
} from '../engine/release-parts.js';
import { type Session, tablePath } from '../engine/session.js';
import { describeColumn } from './columns.js';
import { releaseDocuments } from './documents.js';

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
  const loaded = await readRows(tablePath(entries, 'load-mimic', 'load_report'), scratch);
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
      packages: packagesOf(entries),
    },
    describeColumn,
    documents: releaseDocuments,
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
