/** What a medpic release holds, taken from the results of the stages. */
import { join } from 'node:path';
import * as check from '../../schemas/check.js';
import * as guideline from '../../schemas/guideline.js';
import type { LockEntry } from '../../schemas/lock.js';
import * as items from '../../schemas/medpic.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import * as review from '../../schemas/review.js';
import * as rule from '../../schemas/rule.js';
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
  readSplits,
  rejectSummary,
  selectTable,
  toolVersion,
} from '../engine/release-parts.js';
import { type Session, tablePath } from '../engine/session.js';
import type { LockedSource } from '../engine/sources.js';
import { describeColumn } from './columns.js';
import { releaseDocuments } from './documents.js';
import { GUIDELINES } from './pipeline.js';
import { hasProse, PROSE_TABLES, proseDocuments } from './release-prose.js';
import { checkSigned, countUnsigned } from './signed.js';

/** Where a row stands in its file: known to the trace, left out of the release so that packing does not change it. */
const PLACE = ['source_file', 'source_sha256', 'source_row', 'source_line'];

/** A guideline table as it is released. */
export function withoutPlace(table: Table): Table {
  const shape = Object.fromEntries(
    Object.keys(table.row.shape)
      .filter((c) => PLACE.includes(c))
      .map((c) => [c, true]),
  );
  return { ...table, row: table.row.omit(shape as never) };
}

/** Tables from which `verify` and `trace` work: stage, output. */
export const RULES: readonly (readonly [string, string, Table])[] = [
  ['apply-reviews', 'rules', rule.rules],
  ['draft-rules', 'row_outcomes', rule.rowOutcomes],
  ['check-rules', 'rule_findings', check.ruleFindings],
  ['check-rules', 'rule_links', check.ruleLinks],
  ['check-rules', 'ambiguous_edges', check.ambiguousEdges],
  ['apply-reviews', 'review_fields', review.reviewFields],
  ['apply-reviews', 'review_decisions', review.reviewDecisions],
  ['apply-reviews', 'review_agreement', review.reviewAgreement],
  ['validate-items', 'item_validation', review.itemValidation],
  ['validate-items', 'item_criteria', review.itemCriteria],
  ['validate-items', 'validation_agreement', review.validationAgreement],
  ['validate-items', 'criterion_exclusions', review.criterionExclusions],
  ['pose-questions', 'item_rejects', items.itemRejects],
  ['load-guidelines', 'guideline_documents', withoutPlace(guideline.guidelineDocuments)],
  ['load-guidelines', 'drug_names', withoutPlace(guideline.drugNames)],
  ['load-guidelines', 'drug_classes', withoutPlace(guideline.drugClasses)],
  ['load-guidelines', 'class_words', withoutPlace(guideline.classWords)],
  ['load-guidelines', 'neutral_drugs', withoutPlace(guideline.neutralDrugs)],
];

/** Writes build/releases/medpic/<version>/. */
export async function publishRelease(
  session: Session,
  entries: Entries,
  version: string | undefined,
  signal: AbortSignal,
): Promise<WrittenRelease> {
  const access = highest([...entries.values()].map((e) => e.access));
  checkPublication(access, 'public');
  const scratch = join(session.buildDir, 'cache', '.staging', `${process.pid}-release`);
  try {
    const unsigned = await countUnsigned(entries, scratch);
    checkSigned(version, unsigned);
    const kind = unsigned.rules_n + unsigned.items_n === 0 ? 'signed' : 'preview';
    const spec = await describeRelease({ session, entries, version, access, kind, scratch });
    return await writeRelease(join(session.buildDir, 'releases', 'medpic'), spec, signal);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Gathered {
  readonly session: Session;
  readonly entries: Entries;
  readonly version: string | undefined;
  readonly access: ReleaseManifest['access'];
  readonly kind: 'preview' | 'signed';
  readonly scratch: string;
}

async function describeRelease(g: Gathered): Promise<ReleaseSpec> {
  const { session, entries, version, access, kind, scratch } = g;
  const text = (name: string): string => readFileSync(tablePath(entries, 'report-items', name), 'utf8');
  const report = text('report_json');
  return {
    benchmark: 'medpic',
    version,
    kind,
    splits: await readSplits(tablePath(entries, 'pose-questions', 'questions'), scratch),
    tables: [...(await itemTables(g)), ...(await ruleTables(g)), await edgeTable(entries, scratch)],
    texts: [
      { role: 'quality', path: 'quality/report.json', format: 'json', content: report },
      { role: 'quality', path: 'quality/report.html', format: 'html', content: text('report_html') },
      { role: 'rejects', path: 'rejects/summary.json', format: 'json', content: rejectSummary(entries) },
    ],
    manifest: {
      mimic_version: null,
      access,
      seed: session.seed,
      profile: session.config.profile,
      engine_version: ENGINE_VERSION,
      tool_version: toolVersion(),
      sources: [...describeSources(session, entries), ...proseDocuments(session, entries)],
      stages: session.steps.map((s) => describeStage(session, entries, s)),
      statistics: (JSON.parse(report) as { statistics: Record<string, unknown> }).statistics,
      packages: packagesOf(entries),
    },
    describeColumn,
    documents: releaseDocuments,
  };
}

/** Questions and answers of every config, without the items that people excluded. */
async function itemTables({ entries, scratch }: Gathered): Promise<ReleaseTable[]> {
  const excluded = `(select instance_id from read_parquet($other) where status = 'excluded')`;
  const kept = (name: string): Promise<string> =>
    selectTable({
      from: tablePath(entries, 'pose-questions', name),
      other: tablePath(entries, 'validate-items', 'item_validation'),
      select: `select * from read_parquet($from) where instance_id not in ${excluded} order by instance_id`,
      to: join(scratch, `${name}.parquet`),
      scratch,
    });
  const [questions, answers] = [await kept('questions'), await kept('answers')];
  return items.CONFIGS.flatMap((config): ReleaseTable[] => [
    {
      role: 'question',
      table: items.questions,
      from: questions,
      path: `data/${config}/{split}`,
      jsonl: `jsonl/${config}/{split}`,
      config,
      is_shared: true,
    },
    {
      role: 'answer',
      table: items.answers,
      from: answers,
      path: `answers/${config}/{split}`,
      config,
      is_shared: true,
    },
  ]);
}

async function ruleTables({ entries, scratch }: Gathered): Promise<ReleaseTable[]> {
  const tables: ReleaseTable[] = [];
  const has_prose = hasProse(entries);
  for (const [made, name, table] of has_prose ? [...RULES, ...PROSE_TABLES] : RULES) {
    const stage = has_prose && name === 'guideline_documents' ? 'place-passages' : made;
    const columns = Object.keys(table.row.shape).join(', ');
    const key = table.key === 'all' ? columns : table.key.join(', ');
    const from = await selectTable({
      from: tablePath(entries, stage, name),
      select: `select ${columns} from read_parquet($from) order by ${key}`,
      to: join(scratch, `${name}.parquet`),
      scratch,
    });
    tables.push({ role: 'rules', table, from, path: `rules/${name}`, config: null });
  }
  return tables;
}

/** Source files with what raw/lock.json says about them; records as load-guidelines counted them. */
function describeSources(session: Session, entries: Entries): ReleaseManifest['sources'] {
  const { entries: locked } = session.sources[GUIDELINES] as LockedSource;
  const counts = entries.get('load-guidelines')?.result.counts ?? {};
  return locked.map((e) => ({
    table: e.path,
    sha256: e.sha256,
    bytes: e.bytes ?? 0,
    records: counts[`rows.${documentId(e)}`] ?? 0,
    edition: e.edition,
    origin: e.source,
    licence: e.licence,
    ...(e.coverage ? { coverage: `${e.coverage.extent}: ${e.coverage.covers}` } : {}),
  }));
}

const documentId = (e: LockEntry): string => e.path.replace(/^.*\//, '').replace(/\.csv$/, '');
