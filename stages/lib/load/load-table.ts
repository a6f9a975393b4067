/** Loads one table: typed values, duplicates, parents. Every record of the file ends as a row, a reject or a counted drop. */
import { sqlColumns } from '../../../schemas/table.js';
import type { StageContext } from '../../contract.js';
import type { Source } from './files.js';
import type { LoadLimits } from './limits.js';
import { keyOf, missingSql, rejectAll } from './rejects.js';
import { type LoadedTable, missingReason } from './tables.js';
import { stagedSql, UNREAD } from './values.js';

/** What became of the records of one file. */
export interface Loaded {
  readonly loaded: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly dropped: number;
}

/** What loading asks of its stage. */
export interface LoadOptions {
  readonly limits: LoadLimits;
  /** Values for the places in the SQL of the parent checks, beside `time` and `end`. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Ids of parents that were refused, as the table `refused (source, id)`, so that their children are told from orphans. */
export async function createRefused(ctx: StageContext): Promise<void> {
  await ctx.sql.run('create table refused (source varchar, id varchar)');
}

const quoted = (columns: readonly string[]): string => columns.map((c) => `"${c}"`).join(', ');
const columnsOf = (t: LoadedTable): string => quoted(sqlColumns(t.schema).map((c) => c.name));

/** Reads the file of a table into the table of the same name. Leaves `verdicts`, `repeats` and `conflicts` behind. */
export async function loadTable(
  ctx: StageContext,
  options: LoadOptions,
  t: LoadedTable,
  from: Source,
): Promise<Loaded> {
  ctx.records(t.source, from.report.records);
  const unread = await stage(ctx, t, from);
  const duplicates = await setAside(ctx, t);
  await ctx.sql.run(`create table verdicts as ${verdictSql(ctx, options, t)}`);
  const rejected = await rejectAll(ctx, options.limits, t, from);
  const refused = (await dropRefused(ctx, t)) + (await dropMissing(ctx, t));
  if (duplicates > 0) ctx.drop(t.source, 'duplicate', duplicates);
  const loaded = await keepRest(ctx, t);
  return { loaded, rejected, duplicates, dropped: unread + refused };
}

/** Removes what `loadTable` left for looking at. */
export async function dropWorkTables(ctx: StageContext): Promise<void> {
  for (const table of ['verdicts', 'repeats', 'conflicts']) await ctx.sql.run(`drop table ${table}`);
}

/**
 * Reads the file: `staged`, its rows numbered in file order as `numbered`, and those without a wrong field as `typed`.
 * DuckDB has to have seen exactly the records that were counted before. Returns how many it left unread.
 */
async function stage(ctx: StageContext, t: LoadedTable, from: Source): Promise<number> {
  const { records } = from.report;
  await ctx.sql.run(`create or replace sequence ${UNREAD}`);
  await ctx.sql.run(stagedSql(t, from), { path: from.file.location });
  await ctx.sql.run('create view numbered as select rowid + 1 as record, * from staged');
  await ctx.sql.run(
    `create view typed as select record, ${columnsOf(t)} from numbered where bad_field is null`,
  );
  const [seen] = await ctx.sql.rows<{ kept: number; unread: number }>(
    `select (select count(*) from staged) as kept, coalesce(last_value, 0) as unread
     from duckdb_sequences() where sequence_name = '${UNREAD}'`,
  );
  const { kept, unread } = seen!;
  if (kept + unread !== records) {
    ctx.fail({
      message: 'two readers disagree about the number of records',
      file: from.file.path,
      got: `DuckDB ${kept + unread}`,
      expected: `${records}`,
      next: 'report the file: its csv dialect is read in two ways',
    });
  }
  if (t.filter) ctx.drop(t.source, t.filter.reason, unread);
  return unread;
}

/**
 * Creates `good`: equal rows once (the first record stands for them, the others are `repeats`), without rows that share
 * a key but differ (`conflicts`), since nothing tells which one is right. Rows that may be equal are found by the hash
 * of their key, which is all that most files need. Returns the number of repeats.
 */
async function setAside(ctx: StageContext, t: LoadedTable): Promise<number> {
  const all = columnsOf(t);
  const key = t.schema.key === 'all' ? all : quoted(t.schema.key);
  await ctx.sql.run(
    `create temp table hashes as select hash(${key}) as h from typed group by h having count(*) > 1`,
  );
  await ctx.sql.run(
    `create temp table alike as select * from typed where (select count(*) from hashes) > 0 and hash(${key}) in (from hashes)`,
  );
  await ctx.sql.run(
    `create table repeats as select record from alike qualify record > min(record) over (partition by ${all})`,
  );
  await ctx.sql.run(
    `create table conflicts as select record from alike anti join repeats using (record)
     qualify count(*) over (partition by ${key}) > 1`,
  );
  for (const table of ['hashes', 'alike']) await ctx.sql.run(`drop table ${table}`);
  const n = await countRows(ctx, 'repeats');
  const is_clean = n === 0 && (await countRows(ctx, 'conflicts')) === 0;
  const aside = '(from repeats union all from conflicts)';
  await ctx.sql.run(
    `create view good as select * from typed ${is_clean ? '' : `anti join ${aside} using (record)`}`,
  );
  return n;
}

async function countRows(ctx: StageContext, table: string): Promise<number> {
  const [row] = await ctx.sql.rows<{ n: number }>(`select count(*) as n from ${table}`);
  return row!.n;
}

function verdictSql(ctx: StageContext, options: LoadOptions, t: LoadedTable): string {
  if (!t.parent) {
    return `select 0::bigint as record, '' as verdict, '' as reason, '' as field, '' as got, '' as expected where false`;
  }
  const time = t.time ?? '';
  const values: Record<string, string> = {
    time,
    end: time === 'starttime' ? 'endtime' : time,
    ...options.values,
  };
  return ctx.file(t.parent.sql).replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!);
}

/** Rows that are left out with their parent or because of their time. */
async function dropRefused(ctx: StageContext, t: LoadedTable): Promise<number> {
  const groups = await ctx.sql.rows<{ reason: string; n: number }>(
    `select reason, count(*) as n from verdicts where verdict = 'drop' group by reason order by reason`,
  );
  for (const g of groups) ctx.drop(t.source, g.reason, g.n);
  return groups.reduce((sum, g) => sum + g.n, 0);
}

/** Rows without a value in a column that they cannot do without. */
async function dropMissing(ctx: StageContext, t: LoadedTable): Promise<number> {
  let all = 0;
  for (const column of t.drop_missing ?? []) {
    const [row] = await ctx.sql.rows<{ n: number }>(
      `select count(*) as n from staged where bad_field = '${column}' and ${missingSql(t)}`,
    );
    ctx.drop(t.source, missingReason(column), row!.n);
    all += row!.n;
  }
  return all;
}

/** Turns `staged` into the output by taking away what did not get through; no row is copied. Returns the rows left. */
async function keepRest(ctx: StageContext, t: LoadedTable): Promise<number> {
  await ctx.sql.run(
    `create temp table gone as select record from numbered where bad_field is not null
     union all from repeats union all from conflicts union all select record from verdicts`,
  );
  await rememberRefused(ctx, t);
  for (const view of ['good', 'typed', 'numbered']) await ctx.sql.run(`drop view ${view}`);
  await ctx.sql.run('delete from staged where rowid + 1 in (from gone)');
  await ctx.sql.run('drop table gone');
  for (const column of ['bad_field', 'bad_text'])
    await ctx.sql.run(`alter table staged drop column ${column}`);
  await ctx.sql.run(`alter table staged rename to ${t.name}`);
  return countRows(ctx, t.name);
}

/** Ids of rows that did not get through. */
async function rememberRefused(ctx: StageContext, t: LoadedTable): Promise<void> {
  if (!t.is_parent) return;
  const id = `"${keyOf(t)[0]}"`;
  await ctx.sql.run(
    `insert into refused select '${t.source}', ${id}::varchar from (
       select ${id} from numbered semi join gone using (record) where ${id} is not null
       except select ${id} from numbered anti join gone using (record)
     )`,
  );
}
