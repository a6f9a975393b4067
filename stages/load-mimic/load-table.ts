/** Loads one table: typed values, duplicates, parents. Every record of the file ends as a row, a reject or a counted drop. */
import { type SqlColumn, sqlColumns } from '../../schemas/table.js';
import type { StageContext } from '../contract.js';
import type { LoadMimicConfig } from './config.js';
import { type Inspected, lineOf } from './files.js';
import type { LoadedTable, Parent } from './tables.js';
import { stagedSql, verdict } from './values.js';

/** What became of the records of one file. */
export interface Loaded {
  readonly loaded: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly dropped: number;
}

/** A refused record, before its line is known. */
interface Refusal {
  readonly record: number;
  readonly key: string;
  readonly reason: string;
  readonly field: string;
  readonly got: string | null;
  readonly expected: string;
}

const PARENT_FILES: Partial<Record<Parent, string>> = {
  subject: 'stages/load-mimic/subject.sql',
  admission: 'stages/load-mimic/admission.sql',
  stay: 'stages/load-mimic/stay.sql',
  lab: 'stages/load-mimic/lab.sql',
};
/** SQL files of this stage. */
export const SQL_FILES = Object.values(PARENT_FILES);
const IDS = ['subject_id', 'hadm_id', 'stay_id', 'itemid'];

const quoted = (columns: readonly string[]): string => columns.map((c) => `"${c}"`).join(', ');

/** Reads the file of a table into the table of the same name. */
export async function loadTable(
  ctx: StageContext,
  config: LoadMimicConfig,
  t: LoadedTable,
  from: Inspected,
): Promise<Loaded> {
  const { records } = from.report;
  const columns = sqlColumns(t.schema);
  ctx.records(t.source, records);
  await ctx.sql.run(stagedSql(t, from.columns, from.report.newline), { path: from.file.location, records });
  const unread = await dropUnread(ctx, t, from);
  await ctx.sql.run(
    `create view typed as select record, ${quoted(columns.map((c) => c.name))} from staged where bad_field is null`,
  );
  const duplicates = await collapse(ctx, t, columns);
  await ctx.sql.run(`create table verdicts as ${verdictSql(ctx, config, t)}`);
  const rejected = await rejectAll(ctx, config, t, from);
  const refused = await dropRefused(ctx, t);
  await ctx.sql.run(
    `create table ${t.name} as select ${quoted(columns.map((c) => c.name))} from good anti join verdicts using (record)`,
  );
  await rememberRefused(ctx, t);
  if (duplicates > 0) ctx.drop(t.source, 'duplicate', duplicates);
  const [row] = await ctx.sql.rows<{ n: number }>(`select count(*) as n from ${t.name}`);
  return { loaded: row!.n, rejected, duplicates, dropped: unread + refused };
}

/** Removes what `loadTable` left for looking at. */
export async function dropWorkTables(ctx: StageContext): Promise<void> {
  for (const view of ['good', 'typed']) await ctx.sql.run(`drop view ${view}`);
  for (const table of ['verdicts', 'collapsed', 'conflicts', 'staged']) {
    await ctx.sql.run(`drop table if exists ${table}`);
  }
}

/** DuckDB has to have seen exactly the records that were counted before; rows that nobody reads are counted and left. */
async function dropUnread(ctx: StageContext, t: LoadedTable, from: Inspected): Promise<number> {
  const [seen] = await ctx.sql.rows<{ kept: number; last: number }>(
    'select count(*) filter (where is_kept) as kept, coalesce(max(record), 0) as last from staged',
  );
  const { records } = from.report;
  if (seen!.last !== records) {
    ctx.fail({
      message: 'two readers disagree about the number of records',
      file: from.file.path,
      got: `DuckDB ${seen!.last}`,
      expected: `${records}`,
      next: 'report the file: its csv dialect is read in two ways',
    });
  }
  await ctx.sql.run('delete from staged where not is_kept');
  if (!t.filter) return 0;
  ctx.drop(t.source, t.filter.reason, records - seen!.kept);
  return records - seen!.kept;
}

/**
 * Creates `good`: equal rows once (the first record stands for them), and rows that share a key but differ set aside
 * in `conflicts`, since nothing tells which one is right. Returns the number of rows that were repeats.
 */
async function collapse(ctx: StageContext, t: LoadedTable, columns: readonly SqlColumn[]): Promise<number> {
  const all = quoted(columns.map((c) => c.name));
  const key = t.schema.key === 'all' ? all : quoted(t.schema.key);
  await ctx.sql.run(`create table conflicts (record bigint)`);
  if (t.schema.key !== 'all') {
    await ctx.sql.run(
      `create temp table repeated as select ${key} from typed group by ${key} having count(*) > 1`,
    );
    const [row] = await ctx.sql.rows<{ n: number }>('select count(*) as n from repeated');
    if (row!.n === 0) {
      await ctx.sql.run('create view good as select * from typed');
      await ctx.sql.run('drop table repeated');
      return 0;
    }
  }
  const groups = `select min(record) as record, ${all} from typed`;
  await ctx.sql.run(
    t.schema.key === 'all'
      ? `create table collapsed as ${groups} group by ${all}`
      : `create table collapsed as ${groups} semi join repeated using (${key}) group by ${all}
         union all select record, ${all} from typed anti join repeated using (${key})`,
  );
  if (t.schema.key !== 'all') {
    await ctx.sql.run(
      `insert into conflicts select record from collapsed qualify count(*) over (partition by ${key}) > 1`,
    );
    await ctx.sql.run('drop table repeated');
  }
  await ctx.sql.run('create view good as select * from collapsed anti join conflicts using (record)');
  const [n] = await ctx.sql.rows<{ repeats: number }>(
    'select (select count(*) from typed) - (select count(*) from collapsed) as repeats',
  );
  return n!.repeats;
}

function verdictSql(ctx: StageContext, config: LoadMimicConfig, t: LoadedTable): string {
  const file = PARENT_FILES[t.parent];
  if (!file) {
    return `select 0::bigint as record, '' as verdict, '' as reason, '' as field, '' as got, '' as expected where false`;
  }
  const time = t.time ?? '';
  const values: Record<string, string> = {
    time,
    end: time === 'starttime' ? 'endtime' : time,
    far_days: String(config.far_days),
  };
  return ctx.file(file).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!);
}

/** Rejects malformed rows, conflicts and rows without a parent; too many stop the build before they are collected. */
async function rejectAll(
  ctx: StageContext,
  config: LoadMimicConfig,
  t: LoadedTable,
  from: Inspected,
): Promise<number> {
  const key = keySql(t);
  const sources = [
    `select s.record, ${key} as key, '' as reason, bad_field as field, bad_text as got, '' as expected from staged s where bad_field is not null`,
    `select s.record, ${key} as key, 'key_conflict' as reason, '${keyOf(t).join(', ')}' as field, 'several different rows' as got, 'one row' as expected from typed s join conflicts using (record)`,
    `select v.record, ${key} as key, v.reason, v.field, v.got, v.expected from verdicts v join good s using (record) where v.verdict = 'reject'`,
  ];
  const all = sources.join(' union all ');
  const [count] = await ctx.sql.rows<{ n: number }>(`select count(*) as n from (${all})`);
  const share = Math.min(config.max_rejects, config.max_reject_share * from.report.records);
  const limit = Math.max(config.free_rejects, share);
  if (count!.n > limit) await failOnRejects(ctx, t, from, { all, n: count!.n, limit });
  for (const row of await ctx.sql.rows<Refusal>(`${all} order by record`)) {
    const why = row.reason === '' ? verdict(t, row.field, row.got) : row;
    ctx.reject({
      table: t.source,
      where: `${from.file.path} line ${lineOf(from.report, row.record)}`,
      key: row.key,
      reason: why.reason,
      field: row.field,
      got: row.got ?? '',
      expected: why.expected,
    });
  }
  return count!.n;
}

async function failOnRejects(
  ctx: StageContext,
  t: LoadedTable,
  from: Inspected,
  { all, n, limit }: { all: string; n: number; limit: number },
): Promise<never> {
  const groups = await ctx.sql.rows<{ reason: string; field: string; n: number; first: number }>(
    `select reason, field, count(*) as n, min(record) as first from (${all}) group by reason, field order by n desc, reason, field limit 5`,
  );
  const words = groups.map((g) => `${g.n} ${g.reason || 'malformed'} in ${g.field}`);
  return ctx.fail({
    message: `too many rows of ${t.source} would be rejected`,
    file: from.file.path,
    row: `line ${lineOf(from.report, groups[0]!.first)} is the first of ${words[0]}`,
    field: groups[0]!.field,
    got: `${n} of ${from.report.records} (${words.join('; ')})`,
    expected: `at most ${Math.floor(limit)}`,
    next: 'look at that line; get the file again, or raise max_reject_share if the loss is acceptable',
  });
}

/** Rows that are left out with their parent or because of their time. */
async function dropRefused(ctx: StageContext, t: LoadedTable): Promise<number> {
  const groups = await ctx.sql.rows<{ reason: string; n: number }>(
    `select reason, count(*) as n from verdicts where verdict = 'drop' group by reason order by reason`,
  );
  for (const g of groups) ctx.drop(t.source, g.reason, g.n);
  return groups.reduce((sum, g) => sum + g.n, 0);
}

/** Ids of rows that did not get through, so that their children are told from orphans. */
async function rememberRefused(ctx: StageContext, t: LoadedTable): Promise<void> {
  if (!['patients', 'admissions', 'icustays'].includes(t.name)) return;
  const id = keyOf(t)[0]!;
  await ctx.sql.run(
    `insert into refused select distinct '${t.source}', "${id}" from staged s anti join ${t.name} using ("${id}") where "${id}" is not null`,
  );
}

const keyOf = (t: LoadedTable): string[] =>
  t.schema.key === 'all'
    ? sqlColumns(t.schema)
        .map((c) => c.name)
        .filter((name) => IDS.includes(name))
    : [...t.schema.key];

const keySql = (t: LoadedTable): string =>
  keyOf(t)
    .map((c) => `'${c}=' || coalesce(s."${c}"::varchar, '?')`)
    .join(` || ' ' || `);
