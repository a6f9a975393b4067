/** `diff`: what changed between two releases, item by item, and the smallest version step that may carry it. */

import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import { DuckDbSession, quoteText } from './adapters/duckdb.js';
import { scratchFolder } from './adapters/files.js';
import { DataError } from './errors.js';
import { checkFiles, readManifest } from './verify-release.js';

export type VersionStep = 'none' | 'patch' | 'minor' | 'major';

export interface ConfigDiff {
  readonly config: string;
  readonly added: number;
  readonly removed: number;
  /** Items whose question row changed. */
  readonly reworded: number;
  /** Items whose answer changed. */
  readonly relabelled: number;
  /** Items with the same answer and something else beside it (distance, threshold, rank, rule). */
  readonly reranked: number;
  readonly unchanged: number;
}

/** What a comparison must know about a benchmark. */
export interface DiffShape {
  readonly configs: readonly string[];
  /** Column that names an item in questions and answers. */
  readonly key: string;
  /** Other columns that questions and answers both have. */
  readonly shared: readonly string[];
  /** Column of the answer. */
  readonly answer: string;
  /** What may differ beside an answer, in words. */
  readonly beside: string;
}

export interface ReleaseDiff {
  readonly words: string;
  readonly from: string;
  readonly to: string;
  readonly step: VersionStep;
  readonly why: readonly string[];
  readonly configs: readonly ConfigDiff[];
}

/** Compares releases a (older) and b (newer). */
export async function diffReleases(a: string, b: string, shape: DiffShape): Promise<ReleaseDiff> {
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
    for (const config of shape.configs) configs.push(await diffConfig(session, a, b, { ...shape, config }));
    const { step, why } = judge(configs, columnsOf(before), columnsOf(after), {
      content_changed: before.content_hash !== after.content_hash,
      beside: shape.beside,
    });
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

async function diffConfig(
  session: DuckDbSession,
  a: string,
  b: string,
  { config, key, shared, answer }: DiffShape & { readonly config: string },
): Promise<ConfigDiff> {
  const rows = (dir: string): string =>
    `(select q.*, k.* exclude (${[key, ...shared].join(', ')}), md5(q::VARCHAR) as question_hash, md5(k::VARCHAR) as answer_hash
      from read_parquet(${quoteText(join(dir, 'data', config, '*.parquet'))}) q
      join read_parquet(${quoteText(join(dir, 'answers', config, '*.parquet'))}) k using (${key}))`;
  const [row] = await session.rows<Omit<ConfigDiff, 'config'>>(`
    select count(*) filter (where x.${key} is null) as added, count(*) filter (where y.${key} is null) as removed,
      count(*) filter (where x.question_hash <> y.question_hash) as reworded,
      count(*) filter (where x.${answer} <> y.${answer}) as relabelled,
      count(*) filter (where x.${answer} = y.${answer} and x.answer_hash <> y.answer_hash) as reranked,
      count(*) filter (where x.question_hash = y.question_hash and x.answer_hash = y.answer_hash) as unchanged
    from ${rows(a)} x full join ${rows(b)} y using (${key})`);
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
  { content_changed, beside }: { readonly content_changed: boolean; readonly beside: string },
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
    [sum('reranked'), `answers have other ${beside}`],
    [[...after].filter((c) => !before.has(c)).length, 'files or columns are new'],
  ]);
  if (minor.length > 0) return { step: 'minor', why: minor };
  return content_changed
    ? { step: 'patch', why: ['only documents, report or the tables behind the answers differ'] }
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
