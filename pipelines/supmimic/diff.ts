/** `diff`: what changed between two releases, item by item, and the smallest version step that may carry it. */

import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import { TASKS } from '../../schemas/supmimic.js';
import type { Printable } from '../benchmark.js';
import { DuckDbSession, quoteText } from '../engine/adapters/duckdb.js';
import { scratchFolder } from '../engine/adapters/files.js';
import { DataError } from '../engine/errors.js';
import { checkFiles, readManifest } from '../engine/verify-release.js';

export type VersionStep = 'none' | 'patch' | 'minor' | 'major';

export interface ConfigDiff {
  readonly config: string;
  readonly added: number;
  readonly removed: number;
  /** Items whose question row changed. */
  readonly reworded: number;
  /** Items whose label changed. */
  readonly relabelled: number;
  /** Items with the same label and another distance, threshold, rank or role. */
  readonly reranked: number;
  readonly unchanged: number;
}

export interface ReleaseDiff extends Printable {
  readonly from: string;
  readonly to: string;
  readonly step: VersionStep;
  readonly why: readonly string[];
  readonly configs: readonly ConfigDiff[];
}

/** Compares releases a (older) and b (newer). */
export async function diffReleases(a: string, b: string): Promise<ReleaseDiff> {
  const [before, after] = [readManifest(a), readManifest(b)];
  for (const [dir, manifest] of [
    [a, before],
    [b, after],
  ] as const)
    await refuseDamaged(dir, manifest);
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: scratchFolder('diff'),
  });
  try {
    const configs: ConfigDiff[] = [];
    for (const config of TASKS) configs.push(await diffConfig(session, a, b, config));
    const { step, why } = judge(
      configs,
      columnsOf(before),
      columnsOf(after),
      before.content_hash !== after.content_hash,
    );
    const from = before.version;
    const to = after.version;
    return { from, to, step, why, configs, words: wordDiff(from, to, step, why, configs) };
  } finally {
    session.close();
  }
}

/** Files that differ from their hashes would make a comparison worthless. */
async function refuseDamaged(dir: string, manifest: ReleaseManifest): Promise<void> {
  const [damaged] = (await checkFiles(dir, manifest)).problems;
  if (damaged !== undefined) {
    throw new DataError({
      message: 'a release is damaged',
      file: dir,
      got: damaged,
      next: 'make verify RELEASE=... shows everything',
    });
  }
}

/** `file column type` of everything in a release. */
const columnsOf = (m: ReleaseManifest): ReadonlySet<string> =>
  new Set(m.files.flatMap((f) => [f.path, ...f.columns.map((c) => `${f.path} ${c.name} ${c.type}`)]));

async function diffConfig(session: DuckDbSession, a: string, b: string, config: string): Promise<ConfigDiff> {
  const rows = (dir: string): string =>
    `(select q.*, k.* exclude (item_id, dx_code, pair_id, split), md5(q::VARCHAR) as question, md5(k::VARCHAR) as answer
      from read_parquet(${quoteText(join(dir, 'data', config, '*.parquet'))}) q
      join read_parquet(${quoteText(join(dir, 'answers', config, '*.parquet'))}) k using (item_id))`;
  const [row] = await session.rows<Omit<ConfigDiff, 'config'>>(`
    select count(*) filter (where x.item_id is null) as added, count(*) filter (where y.item_id is null) as removed,
      count(*) filter (where x.question <> y.question) as reworded,
      count(*) filter (where x.label <> y.label) as relabelled,
      count(*) filter (where x.label = y.label and x.answer <> y.answer) as reranked,
      count(*) filter (where x.question = y.question and x.answer = y.answer) as unchanged
    from ${rows(a)} x full join ${rows(b)} y using (item_id)`);
  return { config, ...row! };
}

type Counted = 'added' | 'removed' | 'reworded' | 'relabelled' | 'reranked';

/**
 * Major: an answer, an item, a column or a file that users had is gone or different. Minor: items, columns or files were
 * added, or distances and ranks beside an answer differ. Patch: the rest.
 */
function judge(
  configs: readonly ConfigDiff[],
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  content_changed: boolean,
): { step: VersionStep; why: string[] } {
  const sum = (key: Counted): number => configs.reduce((n, c) => n + c[key], 0);
  const gone = [...before].filter((c) => !after.has(c));
  const words = (list: readonly (readonly [number, string])[]): string[] =>
    list.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  const major = words([
    [sum('relabelled'), 'answers changed'],
    [sum('removed'), 'items were removed'],
    [sum('reworded'), 'questions differ'],
    [gone.length, 'files or columns are gone'],
  ]);
  if (major.length > 0) return { step: 'major', why: major };
  const minor = words([
    [sum('added'), 'items were added'],
    [sum('reranked'), 'answers have other distances, thresholds or ranks'],
    [[...after].filter((c) => !before.has(c)).length, 'files or columns are new'],
  ]);
  if (minor.length > 0) return { step: 'minor', why: minor };
  return content_changed
    ? { step: 'patch', why: ['only documents, cohort or report differ'] }
    : { step: 'none', why: [] };
}

function wordDiff(
  from: string,
  to: string,
  step: VersionStep,
  why: readonly string[],
  configs: readonly ConfigDiff[],
): string {
  const lines = configs.map(
    (c) =>
      `  ${c.config}: ${c.unchanged} unchanged, ${c.added} added, ${c.removed} removed, ${c.reworded} reworded, ${c.relabelled} relabelled, ${c.reranked} reranked`,
  );
  const verdict =
    step === 'none' ? 'no version step is needed' : `smallest version step: ${step} (${why.join('; ')})`;
  return [`${from} -> ${to}`, ...lines, verdict].join('\n');
}
