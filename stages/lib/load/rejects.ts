/** Refused rows: counted first, then named by the line of their file. */
import { sqlColumns } from '../../../schemas/table.js';
import type { StageContext } from '../../contract.js';
import { lineOf, type Source } from './files.js';
import type { LoadLimits } from './limits.js';
import type { LoadedTable } from './tables.js';
import { recordSql, verdict } from './values.js';

/** A refused row. `record` counts the kept rows of the file from 1. */
interface Refusal {
  readonly record: number;
  readonly key: string;
  readonly reason: string;
  readonly field: string;
  readonly got: string | null;
  readonly expected: string;
}

const IDS = ['subject_id', 'hadm_id', 'stay_id', 'itemid'];

/** Columns that name a row: its key, or its ids where only whole rows are unique. */
export const keyOf = (t: LoadedTable): string[] =>
  t.schema.key === 'all'
    ? sqlColumns(t.schema)
        .map((c) => c.name)
        .filter((name) => IDS.includes(name))
    : [...t.schema.key];

const keySql = (t: LoadedTable): string =>
  keyOf(t)
    .map((c) => `'${c}=' || coalesce(s."${c}"::varchar, '?')`)
    .join(` || ' ' || `);

/** SQL that is true for a row that is dropped because a value is missing that it cannot do without. */
export function missingSql(t: LoadedTable): string {
  const columns = (t.drop_missing ?? []).map((c) => `'${c}'`);
  return columns.length > 0 ? `(bad_text is null and bad_field in (${columns.join(', ')}))` : 'false';
}

/** Rejects malformed rows, conflicts and rows without a parent; too many stop the build before they are collected. */
export async function rejectAll(
  ctx: StageContext,
  limits: LoadLimits,
  t: LoadedTable,
  from: Source,
): Promise<number> {
  const key = keySql(t);
  const sources = [
    `select s.record, ${key} as key, '' as reason, bad_field as field, bad_text as got, '' as expected from numbered s where bad_field is not null and not ${missingSql(t)}`,
    `select s.record, ${key} as key, 'key_conflict' as reason, '${keyOf(t).join(', ')}' as field, 'several different rows' as got, 'one row' as expected from typed s join conflicts using (record)`,
    `select v.record, ${key} as key, v.reason, v.field, v.got, v.expected from verdicts v join good s using (record) where v.verdict = 'reject'`,
  ];
  const all = sources.join(' union all ');
  const [count] = await ctx.sql.rows<{ n: number }>(`select count(*) as n from (${all})`);
  if (count!.n === 0) return 0;
  const share = Math.min(limits.max_rejects, limits.max_reject_share * from.report.records);
  const limit = Math.max(limits.free_rejects, share);
  if (count!.n > limit) await failOnRejects(ctx, t, from, { all, n: count!.n, limit });
  const refusals = await ctx.sql.rows<Refusal>(`${all} order by record`);
  const lines = await linesOf(
    ctx,
    t,
    from,
    refusals.map((r) => r.record),
  );
  for (const [i, row] of refusals.entries()) {
    const why = row.reason === '' ? verdict(t, row.field, row.got) : row;
    ctx.reject({
      table: t.source,
      where: `${from.file.path} line ${lines[i]}`,
      key: row.key,
      reason: why.reason,
      field: row.field,
      got: row.got ?? '',
      expected: why.expected,
    });
  }
  return count!.n;
}

/**
 * Physical lines of kept rows, in the order given. Where a filter left records unread, a second read of the file numbers
 * them: most files have no reject, and then the numbers are not needed.
 */
async function linesOf(
  ctx: StageContext,
  t: LoadedTable,
  from: Source,
  rows: readonly number[],
): Promise<number[]> {
  if (!t.filter) return rows.map((record) => lineOf(from.report, record));
  await ctx.sql.run(`create temp table refusals as select unnest([${rows.join(', ')}]::bigint[]) as nth`);
  const found = await ctx.sql.rows<{ nth: number; record: number }>(recordSql(t, from, 'refusals'), {
    path: from.file.location,
  });
  await ctx.sql.run('drop table refusals');
  const records = new Map(found.map((r) => [r.nth, r.record]));
  return rows.map((nth) => {
    const record = records.get(nth);
    if (record === undefined) throw new Error(`${from.file.path}: kept row ${nth} was not found again`);
    return lineOf(from.report, record);
  });
}

async function failOnRejects(
  ctx: StageContext,
  t: LoadedTable,
  from: Source,
  { all, n, limit }: { all: string; n: number; limit: number },
): Promise<never> {
  const groups = await ctx.sql.rows<{ reason: string; field: string; n: number; first: number }>(
    `select reason, field, count(*) as n, min(record) as first from (${all}) group by reason, field order by n desc, reason, field limit 5`,
  );
  const words = groups.map((g) => `${g.n} ${g.reason || 'malformed'} in ${g.field}`);
  const [line] = await linesOf(ctx, t, from, [groups[0]!.first]);
  return ctx.fail({
    message: `too many rows of ${t.source} would be rejected`,
    file: from.file.path,
    row: `line ${line} is the first of ${words[0]}`,
    field: groups[0]!.field,
    got: `${n} of ${from.report.records} (${words.join('; ')})`,
    expected: `at most ${Math.floor(limit)}`,
    next: 'look at that line; get the file again, or raise max_reject_share if the loss is acceptable',
  });
}
