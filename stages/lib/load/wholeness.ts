/** How well a file is known to be whole: by its hash, by a published row count, or not at all. */
import { LOCK_FILE, parseLock } from '../../../schemas/lock.js';
import { MIMIC_FILES, type MimicRelease, type MimicTable } from '../../../schemas/mimic-files.js';
import type { StageContext } from '../../contract.js';
import type { Inspected } from './files.js';

export type Files = ReadonlyMap<MimicTable, Inspected>;

/** Rows that a whole file of a release has, where the number was published. */
export const documentedRows = (t: MimicTable, release: MimicRelease): number | undefined =>
  MIMIC_FILES[t].documentedRows[release];

/** Tables whose hash stands in SHA256SUMS.txt of the extract or in the lock; a differing hash is damage. */
export async function knownSums(ctx: StageContext, files: Files): Promise<Set<MimicTable>> {
  const locked = new Set(parseLock(ctx.file(LOCK_FILE)).map((e) => e.sha256));
  const listed = await listedSums(ctx);
  const known = new Set<MimicTable>();
  for (const [table, { file, report }] of files) {
    const sum = listed.get(file.path);
    if (locked.has(report.sha256) || sum === report.sha256) known.add(table);
    else if (sum) {
      ctx.fail({
        message: 'a file differs from SHA256SUMS.txt of its extract',
        file: file.path,
        got: report.sha256,
        expected: sum,
        next: 'get the file again; remove SHA256SUMS.txt only if the file was changed on purpose',
      });
    }
  }
  return known;
}

async function listedSums(ctx: StageContext): Promise<Map<string, string>> {
  const list = ctx.folder('extract').find((f) => f.path === 'SHA256SUMS.txt');
  if (!list) return new Map();
  const [row] = await ctx.sql.rows<{ content: string }>('select content from read_text($path)', {
    path: list.location,
  });
  const lines = [...row!.content.matchAll(/^([0-9a-f]{64})\s+\*?(?:\.\/)?(\S+)$/gm)];
  return new Map(lines.map(([, sum, path]) => [path!, sum!]));
}

/** Tables whose number of rows is not the published one of the release. */
export const wrongCounts = (files: Files, release: MimicRelease): MimicTable[] =>
  [...files].flatMap(([t, { report }]) =>
    (documentedRows(t, release) ?? report.records) === report.records ? [] : [t],
  );

/** Stops the build: an extract of a release has tables with another number of rows than published. */
export function failOnCounts(
  ctx: StageContext,
  files: Files,
  release: MimicRelease,
  wrong: readonly MimicTable[],
): never {
  return ctx.fail({
    message: `the extract looks like MIMIC-IV ${release}, but some tables have another number of rows`,
    file: wrong.map((t) => files.get(t)!.file.path).join(', '),
    got: wrong.map((t) => `${t} ${files.get(t)!.report.records}`).join(', '),
    expected: wrong.map((t) => `${t} ${documentedRows(t, release)}`).join(', '),
    next: 'get these files again; if this is another release, name it with MIMIC_VERSION=',
  });
}

/** What would show that a file was cut at a sound place; `is_known` when its hash is. */
export function truncationCheck(
  t: MimicTable,
  { report }: Inspected,
  is_known: boolean,
  release: MimicRelease | undefined,
): string {
  if (is_known) return 'sha256';
  if (release && documentedRows(t, release) === report.records) return 'published row count';
  return report.members > 0
    ? 'gzip end only: neither hash nor row count is known, so a cut at a gzip member border would not show'
    : 'none: neither hash nor row count is known, so a cut at a line end would not show';
}

/** Counts and names the files whose length nothing tells. */
export function countWeak(
  ctx: StageContext,
  report: readonly { table: string; truncation_check: string }[],
): void {
  const weak = report.filter((r) => !['sha256', 'published row count'].includes(r.truncation_check));
  ctx.count('files_of_unknown_length', weak.length);
  for (const r of weak) ctx.log(`${r.table}: truncation check: ${r.truncation_check}`);
}
