/** Which release the extract is, and how well each file is known to be whole. */
import { LOCK_FILE, parseLock } from '../../schemas/lock.js';
import type { MimicRelease, MimicTable } from '../../schemas/mimic-files.js';
import type { StageContext } from '../contract.js';
import type { Inspected } from '../lib/load/files.js';
import { readCsv } from '../lib/load/values.js';
import {
  documentedRows,
  type Files,
  failOnCounts,
  knownSums,
  truncationCheck,
  wrongCounts,
} from '../lib/load/wholeness.js';
import type { LoadMimicConfig } from './config.js';

/** The release and what told it; per table, what would show a file that was cut at a sound place. */
export interface Version {
  readonly version: string;
  readonly source: 'sha256' | 'row counts' | 'vocabulary' | 'config';
  readonly checks: ReadonlyMap<MimicTable, string>;
}

/** Tables that tell releases apart; all three have to fit. */
const TELLING: readonly MimicTable[] = ['hosp.patients', 'hosp.admissions', 'icu.icustays'];

/** Decides the release from hashes, else published row counts, else vocabulary, else the config. */
export async function decideVersion(
  ctx: StageContext,
  files: Files,
  config: LoadMimicConfig,
): Promise<Version> {
  const known = await knownSums(ctx, files);
  const release = byRows(ctx, files, config);
  const hashed = byLock(ctx, files);
  const [version, source] = hashed
    ? [hashed, 'sha256' as const]
    : release
      ? [release, 'row counts' as const]
      : await byVocabulary(ctx, files, config);
  if (config.version && !agrees(config.version, version)) {
    ctx.fail({
      message: 'the extract is not the release that MIMIC_VERSION names',
      got: `${version} (from ${source})`,
      expected: config.version,
      next: 'leave MIMIC_VERSION out, or point MIMIC_IV_DIR to that release',
    });
  }
  const checks = new Map(
    [...files].map(([table, f]) => [table, truncationCheck(table, f, known.has(table), release)] as const),
  );
  return { version: version.endsWith('.x') ? (config.version ?? version) : version, source, checks };
}

/** The open demo was cut from 2.2; vocabulary tells only the first number. */
const agrees = (wanted: string, found: string): boolean =>
  found.endsWith('.x') ? wanted[0] === found[0] : wanted === (found === 'demo' ? '2.2' : found);

function byLock(ctx: StageContext, files: Files): string | undefined {
  const sums = new Map(parseLock(ctx.file(LOCK_FILE)).map((e) => [e.sha256, e.edition]));
  const found = TELLING.map((t) => sums.get(files.get(t)!.report.sha256));
  return found.every((e) => e?.startsWith('MIMIC-IV demo')) ? 'demo' : undefined;
}

/** Row counts that fit a published release in the telling tables have to fit in all others, or the extract is cut. */
function byRows(ctx: StageContext, files: Files, config: LoadMimicConfig): MimicRelease | undefined {
  const release = (['3.1', '2.2', 'demo'] as const).find((r) =>
    TELLING.every((t) => documentedRows(t, r) === files.get(t)!.report.records),
  );
  if (!release) return undefined;
  const wrong = wrongCounts(files, release);
  if (wrong.length === 0) return release;
  if (config.version && config.version !== release) return undefined;
  return failOnCounts(ctx, files, release, wrong);
}

/** Years from 2020 on came with 3.0, and so did language names instead of ENGLISH or a question mark. */
async function byVocabulary(
  ctx: StageContext,
  files: Files,
  config: LoadMimicConfig,
): Promise<[string, Version['source']]> {
  const groups = await words(ctx, files.get('hosp.patients')!, 'anchor_year_group');
  const languages = await words(ctx, files.get('hosp.admissions')!, 'language');
  const count = (word: string): number => languages.get(word) ?? 0;
  if (groups.has('2020 - 2022')) return ['3.x', 'vocabulary'];
  if (count('ENGLISH') > count('English')) return ['2.x', 'vocabulary'];
  if (count('English') > count('ENGLISH')) return ['3.x', 'vocabulary'];
  if (config.version) return [config.version, 'config'];
  return ctx.fail({
    message: 'the release of the extract cannot be told',
    got: `anchor_year_group ${[...groups.keys()].sort().join(', ') || 'empty'}; no language that tells`,
    expected: 'known hashes, published row counts, or the vocabulary of 2.2 to 3.1',
    next: 'name the release, for example MIMIC_VERSION=3.1',
  });
}

async function words(ctx: StageContext, f: Inspected, column: string): Promise<Map<string, number>> {
  const rows = await ctx.sql.rows<{ word: string; n: number }>(
    `select "${column}" as word, count(*) as n
     from ${readCsv(f)}
     where "${column}" is not null group by all`,
    { path: f.file.location },
  );
  return new Map(rows.map((r) => [r.word, r.n]));
}
