/** `diff`: what changed between two releases, item by item, and the smallest version step that may carry it. */

import { join } from 'node:path';
import { TASKS } from '../../schemas/supmimic.js';
import type { Printable } from '../benchmark.js';
import { DuckDbSession, quoteText } from '../engine/adapters/duckdb.js';
import { scratchFolder } from '../engine/adapters/files.js';
import { readManifest } from '../engine/verify-release.js';

export type VersionStep = 'none' | 'patch' | 'minor' | 'major';

export interface ConfigDiff {
  readonly config: string;
  readonly added: number;
  readonly removed: number;
  /** Items whose question text changed. */
  readonly reworded: number;
  /** Items whose label changed. */
  readonly relabelled: number;
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
  const session = await DuckDbSession.create({
    threads: 1,
    memoryLimit: '2GB',
    spillDir: scratchFolder('diff'),
  });
  try {
    const configs: ConfigDiff[] = [];
    for (const config of TASKS) configs.push(await diffConfig(session, a, b, config));
    const schema = (m: typeof before): string =>
      JSON.stringify(m.files.map((f) => [f.path, f.columns.map((c) => [c.name, c.type])]));
    const { step, why } = judge(
      configs,
      schema(before) !== schema(after),
      before.content_hash !== after.content_hash,
    );
    const from = before.version;
    const to = after.version;
    return { from, to, step, why, configs, words: wordDiff(from, to, step, why, configs) };
  } finally {
    session.close();
  }
}

async function diffConfig(session: DuckDbSession, a: string, b: string, config: string): Promise<ConfigDiff> {
  const rows = (dir: string): string =>
    `(select q.item_id, q.prompt, k.label from read_parquet(${quoteText(join(dir, 'data', config, '*.parquet'))}) q
      join read_parquet(${quoteText(join(dir, 'answers', config, '*.parquet'))}) k using (item_id))`;
  const [row] = await session.rows<Omit<ConfigDiff, 'config'>>(`
    select count(*) filter (where x.item_id is null) as added, count(*) filter (where y.item_id is null) as removed,
      count(*) filter (where x.prompt <> y.prompt) as reworded, count(*) filter (where x.label <> y.label) as relabelled,
      count(*) filter (where x.prompt = y.prompt and x.label = y.label) as unchanged
    from ${rows(a)} x full join ${rows(b)} y using (item_id)`);
  return { config, ...row! };
}

/** Major: an answer, an item or a column that users had is gone or different. Minor: items or columns were added. Patch: the rest. */
function judge(
  configs: readonly ConfigDiff[],
  schema_changed: boolean,
  content_changed: boolean,
): { step: VersionStep; why: string[] } {
  const sum = (key: 'added' | 'removed' | 'reworded' | 'relabelled'): number =>
    configs.reduce((n, c) => n + c[key], 0);
  const why: string[] = [];
  if (sum('relabelled') > 0) why.push(`${sum('relabelled')} answers changed`);
  if (sum('removed') > 0) why.push(`${sum('removed')} items were removed`);
  if (sum('reworded') > 0) why.push(`${sum('reworded')} questions show other text`);
  if (why.length > 0) return { step: 'major', why };
  if (sum('added') > 0) why.push(`${sum('added')} items were added`);
  if (schema_changed) why.push('files or columns differ');
  if (why.length > 0) return { step: 'minor', why };
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
      `  ${c.config}: ${c.unchanged} unchanged, ${c.added} added, ${c.removed} removed, ${c.reworded} reworded, ${c.relabelled} relabelled`,
  );
  const verdict =
    step === 'none' ? 'no version step is needed' : `smallest version step: ${step} (${why.join('; ')})`;
  return [`${from} -> ${to}`, ...lines, verdict].join('\n');
}
