/** What an rxeval release holds, taken from the results of the stages. */
import { join } from 'node:path';
import * as guideline from '../../schemas/guideline.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import * as rule from '../../schemas/rule.js';
import * as items from '../../schemas/rxeval.js';
import * as record from '../../schemas/rxeval-record.js';
import type { Table } from '../../schemas/table.js';
import { readFileSync, rm } from '../engine/adapters/files.js';
import { DataError, PolicyError } from '../engine/errors.js';
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
  selectTable,
  toolVersion,
} from '../engine/release-parts.js';
import { type Session, tablePath } from '../engine/session.js';
import { withoutPlace } from '../medpic/release.js';
import { describeColumn } from './columns.js';
import { releaseDocuments } from './documents.js';

const MOMENT = 'timepoint_id';
const ADMISSION = 'hadm_id';
type Place = readonly [stage: string, output: string, table: Table, folder: string];

/** Rows of admissions that a question is about: what a question shows and what its answers rest on. */
const OF_ADMISSIONS: readonly Place[] = [
  ['sample-admissions', 'sampled_admissions', record.sampledAdmissions, 'events'],
  ['gather-orders', 'orders', record.orders, 'events'],
  ['build-trajectories', 'events', record.events, 'events'],
  ['build-profile', 'profiles', record.profiles, 'events'],
  ['build-profile', 'profile_spans', record.profileSpans, 'events'],
];
/** Rows of moments that became questions. */
const OF_MOMENTS: readonly Place[] = [
  ['find-timepoints', 'timepoints', record.timepoints, 'events'],
  ['find-timepoints', 'timepoint_orders', record.timepointOrders, 'events'],
  ['select-timepoints', 'selections', items.selections, 'chains'],
  ['criticise-chains', 'chains', items.chains, 'chains'],
  ['criticise-distractors', 'distractors', items.distractors, 'chains'],
];
/** Every moment that was tried, with the reason of its end, and every verdict. */
const WHOLE: readonly Place[] = [
  ['select-timepoints', 'selected_timepoints', items.selectedTimepoints, 'chains'],
  ['criticise-chains', 'chain_verdicts', items.chainVerdicts, 'chains'],
  ['criticise-chains', 'chain_outcomes', items.chainOutcomes, 'chains'],
  ['make-distractors', 'distractor_rule_use', items.distractorRuleUse, 'chains'],
  ['criticise-distractors', 'distractor_verdicts', items.distractorVerdicts, 'chains'],
  ['criticise-distractors', 'distractor_outcomes', items.distractorOutcomes, 'chains'],
  ['sample-admissions', 'admission_funnel', record.admissionFunnel, 'chains'],
  ['find-timepoints', 'timepoint_funnel', record.timepointFunnel, 'chains'],
  ['select-timepoints', 'selection_funnel', record.selectionFunnel, 'chains'],
  ['criticise-chains', 'chain_funnel', record.chainFunnel, 'chains'],
  ['criticise-distractors', 'distractor_funnel', record.distractorFunnel, 'chains'],
  ['apply-reviews', 'rules', rule.rules, 'rules'],
  ['load-guidelines', 'drug_names', withoutPlace(guideline.drugNames), 'rules'],
  ['load-guidelines', 'drug_classes', withoutPlace(guideline.drugClasses), 'rules'],
  ['load-guidelines', 'class_words', withoutPlace(guideline.classWords), 'rules'],
];

/** Writes build/releases/rxeval/<version>/. */
export async function publishRelease(
  session: Session,
  entries: Entries,
  version: string | undefined,
  signal: AbortSignal,
): Promise<WrittenRelease> {
  const access = highest([...entries.values()].map((e) => e.access));
  checkPublication(access, access === 'open' ? 'public' : 'credentialed');
  const scratch = join(session.buildDir, 'cache', '.staging', `${process.pid}-release`);
  try {
    const spec = await describeRelease({ session, entries, version, access, scratch });
    checkSignedProofs(version, spec.manifest.statistics);
    return await writeRelease(join(session.buildDir, 'releases', 'rxeval'), spec, signal);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A version without a prerelease tag promises that people signed every guideline rule that a proof rests on. */
function checkSignedProofs(version: string | undefined, statistics: Record<string, unknown>): void {
  const unsigned_n = Number(statistics.unsigned_proofs_n);
  if (version === undefined || version.includes('-') || unsigned_n === 0) return;
  throw new PolicyError({
    message: `version ${version} promises proofs by rules that people signed`,
    got: `${unsigned_n} proofs of distractors rest on rules that nobody has signed`,
    expected: 'rules with status verified',
    next: `sign them (make review-export), or give a prerelease version, for example ${version}-preview.1, or none`,
  });
}

interface Gathered {
  readonly session: Session;
  readonly entries: Entries;
  readonly version: string | undefined;
  readonly access: ReleaseManifest['access'];
  readonly scratch: string;
}

async function describeRelease(g: Gathered): Promise<ReleaseSpec> {
  const { session, entries, version, access, scratch } = g;
  const splits = await readSplits(tablePath(entries, 'assemble-questions', 'questions'), scratch);
  if (splits.length === 0) throw noQuestion();
  const text = (name: string): string => readFileSync(tablePath(entries, 'report-questions', name), 'utf8');
  const report = text('report_json');
  const loaded = await readLoaded(g);
  const mimic_version = String(loaded[0]?.mimic_version ?? 'unknown');
  const is_synthetic = entries.has('synth-mimic');
  return {
    benchmark: 'rxeval',
    version,
    kind: is_synthetic ? 'synthetic' : mimic_version === 'demo' ? 'demo' : 'mimic',
    splits,
    tables: [...questionTables(entries), ...(await recordTables(g)), await edgeTable(entries, scratch)],
    texts: [
      { role: 'quality', path: 'quality/report.json', format: 'json', content: report },
      { role: 'quality', path: 'quality/report.html', format: 'html', content: text('report_html') },
      { role: 'rejects', path: 'rejects/summary.json', format: 'json', content: rejectSummary(entries) },
    ],
    manifest: {
      mimic_version: is_synthetic ? null : mimic_version,
      access,
      seed: session.seed,
      profile: session.config.profile,
      engine_version: ENGINE_VERSION,
      tool_version: toolVersion(),
      sources: loaded.map(({ table, sha256, bytes, records }) => ({ table, sha256, bytes, records })),
      stages: session.steps.map((s) => describeStage(session, entries, s)),
      statistics: {
        ...(JSON.parse(report) as { statistics: Record<string, unknown> }).statistics,
        jaccard_mean: entries.get('find-timepoints')!.result.counts.jaccard_mean ?? null,
      },
      packages: packagesOf(entries),
    },
    describeColumn,
    documents: releaseDocuments,
  };
}

/** A release without a question would help nobody. */
function noQuestion(): DataError {
  return new DataError({
    message: 'no moment became a question, so there is no release',
    expected: 'moments with a chain for every right drug and enough distractors',
    next: 'the funnels of the cache say where moments ended (report-questions has them all); notes, more admissions or criticise-distractors.strictness lenient give more',
  });
}

interface Loaded {
  readonly table: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly records: number;
  readonly mimic_version: string;
}

/** Files of the extract as both loaders read them; a file that was absent has no bytes and is no source. */
async function readLoaded({ entries, scratch }: Gathered): Promise<Loaded[]> {
  const tables = await readRows<Loaded>(tablePath(entries, 'load-mimic', 'load_report'), scratch);
  const more = await readRows<Loaded>(tablePath(entries, 'load-orders', 'orders_report'), scratch);
  return [...tables, ...more].filter((r) => r.bytes > 0);
}

function questionTables(entries: Entries): ReleaseTable[] {
  return items.CONFIGS.flatMap((config): ReleaseTable[] => [
    {
      role: 'question',
      table: items.questions,
      from: tablePath(entries, 'assemble-questions', 'questions'),
      path: `data/${config}/{split}`,
      jsonl: `jsonl/${config}/{split}`,
      config,
      is_shared: true,
    },
    {
      role: 'answer',
      table: items.answers,
      from: tablePath(entries, 'assemble-questions', 'answers'),
      path: `answers/${config}/{split}`,
      config,
      is_shared: true,
    },
  ]);
}

async function recordTables(g: Gathered): Promise<ReleaseTable[]> {
  const { entries, scratch } = g;
  const asked = tablePath(entries, 'assemble-questions', 'answers');
  const moments = await selectTable({
    from: tablePath(entries, 'find-timepoints', 'timepoints'),
    other: asked,
    select: `select ${MOMENT}, ${ADMISSION} from read_parquet($from)
             where ${MOMENT} in (select ${MOMENT} from read_parquet($other)) order by ${MOMENT}`,
    to: join(scratch, 'asked-moments.parquet'),
    scratch,
  });
  const only = (column: string): string => `where ${column} in (select ${column} from read_parquet($other))`;
  const tables: ReleaseTable[] = [];
  const add = async ([stage, name, table, folder]: Place, where: string): Promise<void> => {
    const key = table.key === 'all' ? 'all' : table.key.join(', ');
    const from = await selectTable({
      from: tablePath(entries, stage, name),
      other: moments,
      select: `select ${Object.keys(table.row.shape).join(', ')} from read_parquet($from) ${where} order by ${key}`,
      to: join(scratch, `${name}.parquet`),
      scratch,
    });
    const role = folder === 'rules' ? 'rules' : 'cohort';
    tables.push({ role, table, from, path: `${folder}/${name}`, config: null });
  };
  for (const place of OF_ADMISSIONS) await add(place, only(ADMISSION));
  for (const place of OF_MOMENTS) await add(place, only(MOMENT));
  for (const place of WHOLE) await add(place, '');
  const events = tables.find((t) => t.table === record.events)!.from;
  await add(
    ['build-trajectories', 'event_items', record.eventItems, 'events'],
    `where event_id in (select event_id from read_parquet('${events.replaceAll("'", "''")}'))`,
  );
  return tables;
}
