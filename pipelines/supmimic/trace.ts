/** `trace`: from an item or a pair to its stays, to the features that decided it, to the rows of MIMIC-IV they came from. */
import { join } from 'node:path';
import { FEATURE_IDS, TASKS } from '../../schemas/supmimic.js';
import type { CommandContext, Printable } from '../benchmark.js';
import { DuckDbSession, quoteText } from '../engine/adapters/duckdb.js';
import { UsageError } from '../engine/errors.js';
import { readManifest } from '../engine/verify-release.js';
import { hasRows } from '../recompute.js';
import { describeFeature, type FeatureRow, traceFeature, withTraceSession } from './trace-rows.js';
import { wordTrace } from './trace-words.js';

/** A stay as it stands in an item. */
export interface TracedStay {
  readonly item_id: string;
  readonly stay_id: number;
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly label: number;
  readonly role: string;
  /** Rows of diagnoses_icd that carry the label. */
  readonly diagnosis_rows: readonly { seq_num: number; icd_code: string; icd_version: number }[];
}

/** One deciding feature, side by side. */
export interface TracedFeature {
  readonly rank: number;
  readonly feature_id: string;
  readonly name: string;
  readonly unit: string;
  /** Released value of each stay, in the order of `stays`; null where not measured. */
  readonly values: readonly (number | null)[];
  readonly imputed: readonly number[];
  /** Source rows of each stay; absent without the extract. */
  readonly rows?: readonly (readonly FeatureRow[])[];
  /** Whether the aggregate of the rows equals the released value, per stay. */
  readonly is_equal?: readonly boolean[];
}

export interface Trace extends Printable {
  /** False when a value computed again from the rows differs from the released one. */
  readonly is_valid: boolean;
  readonly release: string;
  readonly task: string;
  readonly dx_code: string;
  readonly diagnosis: string;
  readonly pair_id: string | null;
  readonly distance: number | null;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly stays: readonly TracedStay[];
  readonly features: readonly TracedFeature[];
  readonly edges: readonly { child: string; relation: string; parent: string; stage: string }[];
}

interface AnswerRow {
  readonly task: string;
  readonly item_id: string;
  readonly stay_id: number;
  readonly label: number;
  readonly role: string;
  readonly dx_code: string;
  readonly pair_id: string | null;
  readonly distance: number | null;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly f_k: string;
}

/** Traces an item_id or pair_id of a release. */
export async function traceItem(context: CommandContext, id: string, dir: string): Promise<Trace> {
  const manifest = readManifest(dir);
  const spillDir = join(context.buildDir, 'cache', '.staging', `${process.pid}-trace`);
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir,
    signal: context.signal,
  });
  try {
    const answers = await findAnswers(session, dir, id);
    const bare = await describeItem(session, dir, answers);
    const features = hasRows(context, manifest) ? await addRows(context, manifest, bare) : bare.features;
    const is_valid = features.every((f) => f.is_equal?.every(Boolean) ?? true);
    const traced = { release: dir, is_valid, ...bare, features };
    return { ...traced, words: wordTrace(traced, hasRows(context, manifest)) };
  } finally {
    session.close();
  }
}

const parquet = (dir: string, path: string): string => `read_parquet(${quoteText(join(dir, path))})`;

async function findAnswers(session: DuckDbSession, dir: string, id: string): Promise<AnswerRow[]> {
  const all = TASKS.map(
    (t) => `select '${t}' as task, * from ${parquet(dir, `answers/${t}/*.parquet`)}`,
  ).join(' union all ');
  const rows = await session.rows<AnswerRow>(
    `with a as (${all}) select * from a where item_id = $id or pair_id = $id
       or pair_id in (select pair_id from a where item_id = $id) order by role, item_id`,
    { id },
  );
  if (rows.length > 0) return rows;
  throw new UsageError({
    message: 'the release has no such item or pair',
    got: id || 'nothing',
    file: dir,
    expected: 'an item_id or pair_id, for example from answers/ddt/test.parquet',
    next: 'make trace ID=... RELEASE=...',
  });
}

type Bare = Omit<Trace, 'words' | 'release' | 'is_valid'>;

async function describeItem(
  session: DuckDbSession,
  dir: string,
  answers: readonly AnswerRow[],
): Promise<Bare> {
  const { task, dx_code, pair_id, distance, theta, phi, f_k } = answers[0]!;
  const ids = answers.map((a) => a.stay_id).join(', ');
  const [dx] = await session.rows<{ title: string }>(
    `select title from ${parquet(dir, 'cohort/diagnoses.parquet')} where dx_code = $dx_code`,
    { dx_code },
  );
  const cohort = await session.rows<{ stay_id: number; subject_id: number; hadm_id: number }>(
    `select stay_id, subject_id, hadm_id from ${parquet(dir, 'cohort/cohort.parquet')} where stay_id in (${ids})`,
  );
  const labelled = await session.rows<{
    stay_id: number;
    seq_num: number;
    icd_code: string;
    icd_version: number;
  }>(
    `select stay_id, seq_num, icd_code, icd_version from ${parquet(dir, 'cohort/label_rows.parquet')} where stay_id in (${ids}) and dx_code = $dx_code order by seq_num`,
    { dx_code },
  );
  const children = answers.map((a) => quoteText(`item:${a.item_id}`)).join(', ');
  return {
    task,
    dx_code,
    diagnosis: dx!.title,
    pair_id,
    distance,
    theta,
    phi,
    stays: answers.map((a) => ({
      ...cohort.find((c) => c.stay_id === a.stay_id)!,
      item_id: a.item_id,
      label: a.label,
      role: a.role,
      diagnosis_rows: labelled.filter((l) => l.stay_id === a.stay_id).map(({ stay_id: _, ...row }) => row),
    })),
    features: await sideBySide(session, dir, answers, f_k.split(' ')),
    edges: await session.rows(
      `select child, relation, parent, stage from ${parquet(dir, 'provenance/edges.parquet')} where child in (${children}) order by all`,
    ),
  };
}

async function sideBySide(
  session: DuckDbSession,
  dir: string,
  answers: readonly AnswerRow[],
  f_k: readonly string[],
): Promise<TracedFeature[]> {
  const values = async (table: string): Promise<Map<number, Record<string, number | null>>> => {
    const rows = await session.rows<Record<string, number | null>>(
      `select stay_id, ${FEATURE_IDS.join(', ')} from ${parquet(dir, `cohort/${table}.parquet`)} where stay_id in (${answers.map((a) => a.stay_id).join(', ')})`,
    );
    return new Map(rows.map((r) => [r.stay_id!, r]));
  };
  const [raw, imputed] = [await values('features'), await values('imputed')];
  return f_k.map((feature_id, i) => ({
    rank: i + 1,
    feature_id,
    ...describeFeature(feature_id),
    values: answers.map((a) => raw.get(a.stay_id)![feature_id] ?? null),
    imputed: answers.map((a) => imputed.get(a.stay_id)![feature_id]!),
  }));
}

/** Reruns the row query and the aggregate of every deciding feature on the extract. */
async function addRows(
  context: CommandContext,
  manifest: ReturnType<typeof readManifest>,
  bare: Bare,
): Promise<TracedFeature[]> {
  const stays = bare.stays.map((s) => s.stay_id);
  return withTraceSession(context, manifest, stays, async (traceSession) => {
    const out: TracedFeature[] = [];
    for (const feature of bare.features) {
      const found = [];
      for (const stay_id of stays) found.push(await traceFeature(traceSession, feature.feature_id, stay_id));
      out.push({
        ...feature,
        rows: found.map((f) => f.rows),
        is_equal: found.map((f, s) => f.value === feature.values[s]),
      });
    }
    return out;
  });
}
