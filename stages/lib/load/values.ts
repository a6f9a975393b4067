/** How a value has to look before it may be cast: DuckDB's casts round, trim and guess, so the pattern decides. */
import { type SqlColumn, type SqlType, sqlColumns } from '../../../schemas/table.js';
import type { Inspected, Source } from './files.js';
import type { LoadedTable } from './tables.js';

/** Real dates are shifted into 2100 to 2200 and a few decades beyond; anything else is a unit mix-up. */
const YEAR = '2(0[5-9]|1[0-9]|2[0-4])[0-9]';
const DAY = '-[0-9]{2}-[0-9]{2}';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?';

interface Pattern {
  readonly regex: string;
  readonly reason: string;
  readonly expected: string;
}

/** Doubles may stand in PostgreSQL's shortest form for tiny and huge numbers (1e-05), and in no other scientific form. */
const PATTERNS: Partial<Record<SqlType, Pattern>> = {
  INTEGER: {
    regex: '0|-?[1-9][0-9]*',
    reason: 'not_an_integer',
    expected: 'a whole number of at most 32 bits',
  },
  DOUBLE: {
    regex: '-?(0|[1-9][0-9]*)([.][0-9]+)?|-?[1-9]([.][0-9]+)?e[+-][0-9]{2,3}',
    reason: 'not_a_number',
    expected: 'a finite decimal number',
  },
  TIMESTAMP: {
    regex: `${YEAR}${DAY} ${CLOCK}`,
    reason: 'not_a_timestamp',
    expected: 'YYYY-MM-DD HH:MM:SS (up to six decimals) between 2050 and 2249',
  },
  DATE: { regex: `${YEAR}${DAY}`, reason: 'not_a_date', expected: 'YYYY-MM-DD between 2050 and 2249' },
};

/** Columns with a closed set of values. */
const CODES: Record<string, string> = {
  gender: '[MF]',
  icd_version: '9|10',
  hospital_expire_flag: '[01]',
  drug_type: 'MAIN|BASE|ADDITIVE',
  note_type: 'DS|AD|RR|AR',
};

function codeOf(table: string, column: string): string | undefined {
  return table.startsWith('d_') && column !== 'icd_version' ? undefined : CODES[column];
}

/** Why a value of a column was refused, in the words of the reject table. */
export function verdict(t: LoadedTable, column: string, got: string | null): Omit<Pattern, 'regex'> {
  const c = sqlColumns(t.schema).find((x) => x.name === column)!;
  if (got === null) return { reason: 'missing_value', expected: 'a value' };
  const code = codeOf(t.name, column);
  const pattern = PATTERNS[c.type];
  if (!pattern || new RegExp(`^(?:${pattern.regex})$`).test(got)) {
    if (code && !new RegExp(`^(?:${code})$`).test(got)) return { reason: 'unknown_code', expected: code };
    return { reason: 'impossible_value', expected: pattern?.expected ?? 'a value' };
  }
  return pattern;
}

/** SQL that is true for a text that may become a value of the column. */
function isValid(t: LoadedTable, c: SqlColumn): string {
  const raw = rawName(c.name);
  const checks = PATTERNS[c.type] ? [isWellFormed(c, raw)] : [];
  const code = codeOf(t.name, c.name);
  if (code) checks.push(`regexp_full_match(${raw}, '${code}')`);
  const filled = checks.length > 0 ? `(${checks.join(' and ')})` : 'true';
  return c.is_nullable ? `(${raw} is null or ${filled})` : `(${raw} is not null and ${filled})`;
}

/**
 * The pattern and a cast that succeeds. A text that its value is written back as needs no pattern, which saves half the
 * time: for integers that is the same thing, for times it settles all but fractions with trailing zeros, for doubles the
 * whole numbers.
 */
function isWellFormed(c: SqlColumn, raw: string): string {
  const value = `"${c.name}"`;
  const pattern = `regexp_full_match(${raw}, '${PATTERNS[c.type]!.regex}') and ${value} is not null`;
  switch (c.type) {
    case 'INTEGER':
      return `coalesce(${value}::varchar = ${raw}, false)`;
    case 'TIMESTAMP':
      return `case when ${value}::varchar = ${raw} then ${value} >= timestamp '2050-01-01' and ${value} < timestamp '2250-01-01'
        else ${pattern} end`;
    case 'DOUBLE':
      return `case when try_cast(${raw} as integer)::varchar = ${raw} then true else ${pattern} and isfinite(${value}) end`;
    default:
      return pattern;
  }
}

const rawName = (column: string): string => `"raw ${column}"`;

/** `x + 0.0` turns a negative zero into zero: they compare equal, so either could come out of a minimum. */
function typedColumn(c: SqlColumn): string {
  if (c.type === 'VARCHAR') return `${rawName(c.name)} as "${c.name}"`;
  const value = `try_cast(${rawName(c.name)} as ${c.type})`;
  return `${value}${c.type === 'DOUBLE' ? ' + 0.0::double' : ''} as "${c.name}"`;
}

/** The raw text of a kept column: trimmed or blanked where the table says so. */
function rawOf(t: LoadedTable, c: SqlColumn, items: string): string {
  const text = t.trim?.includes(c.name) ? `nullif(trim("${c.name}"), '')` : `"${c.name}"`;
  const is_blanked = t.blank?.columns.includes(c.name);
  return `${is_blanked ? `case when ${t.blank!.unless(items)} then ${text} end` : text} as ${rawName(c.name)}`;
}

/**
 * Reads `$path` with everything declared and every column as text. DuckDB 1.5 gives no row when CRLF is declared, so
 * it finds that one itself; the first read has made sure that all lines end alike.
 */
export function readCsv({ columns: header, report }: Inspected): string {
  const columns = header.map((name) => `'${name}': 'VARCHAR'`).join(', ');
  const line_end = report.newline === 'crlf' ? '' : `new_line = '\\n', `;
  return `read_csv($path, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    strict_mode = true, ${line_end}columns = {${columns}})`;
}

/** The sequence that counts the records which a filter leaves unread. */
export const UNREAD = 'unread_records';

/** SQL that is true for the records of a file that are kept. */
const keepSql = (t: LoadedTable, items: string): string => (t.filter ? `(${t.filter.keep(items)})` : 'true');

/**
 * Creates `staged`: one row per kept record in file order, typed values, and the first field that is wrong with its
 * text. Records that are not kept advance the sequence `UNREAD`, so that every record that DuckDB saw is counted. There
 * is no record number here: numbering would take the parallel read away.
 */
export function stagedSql(t: LoadedTable, from: Source): string {
  const columns = sqlColumns(t.schema);
  const keep = t.filter
    ? `case when ${keepSql(t, from.items)} then true else nextval('${UNREAD}') < 0 end`
    : 'true';
  const wrong = columns.map((c) => `when not ${isValid(t, c)} then '${c.name}'`);
  const got = columns.map((c) => `when '${c.name}' then ${rawName(c.name)}`);
  return `create table staged as
    with kept as (select ${columns.map((c) => rawOf(t, c, from.items)).join(', ')} from ${readCsv(from)} where ${keep}),
    typed as (select *, ${columns.map(typedColumn).join(', ')} from kept),
    checked as (select *, case ${wrong.join(' ')} end as bad_field from typed)
    select ${columns.map((c) => `"${c.name}"`).join(', ')}, bad_field, case bad_field ${got.join(' ')} end as bad_text
    from checked`;
}

/** The records of the file that became the rows `nth` (from 1) of `staged`, as `nth, record`; `wanted` is a table of nth. */
export function recordSql(t: LoadedTable, from: Source, wanted: string): string {
  return `select nth, record from (
      select row_number() over () as nth, record
      from (select row_number() over () as record, ${keepSql(t, from.items)} as is_kept from ${readCsv(from)})
      where is_kept
    ) as kept semi join ${wanted} using (nth)`;
}
