/** How a value has to look before it may be cast: DuckDB's casts round, trim and guess, so the pattern decides. */
import { type SqlColumn, type SqlType, sqlColumns } from '../../schemas/table.js';
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
  const checks: string[] = [];
  const pattern = PATTERNS[c.type];
  if (pattern) {
    checks.push(`regexp_full_match(${raw}, '${pattern.regex}')`, `${castOf(c)} is not null`);
    if (c.type === 'DOUBLE') checks.push(`isfinite(${castOf(c)})`);
  }
  const code = codeOf(t.name, c.name);
  if (code) checks.push(`regexp_full_match(${raw}, '${code}')`);
  const filled = checks.length > 0 ? `(${checks.join(' and ')})` : 'true';
  return c.is_nullable ? `(${raw} is null or ${filled})` : `(${raw} is not null and ${filled})`;
}

const rawName = (column: string): string => `"raw ${column}"`;
const castOf = (c: SqlColumn): string => `try_cast(${rawName(c.name)} as ${c.type})`;

/** `x + 0.0` turns a negative zero into zero: they compare equal, so either could come out of a minimum. */
function typedColumn(c: SqlColumn): string {
  if (c.type === 'VARCHAR') return `${rawName(c.name)} as "${c.name}"`;
  return `${castOf(c)}${c.type === 'DOUBLE' ? ' + 0.0::double' : ''} as "${c.name}"`;
}

/** The raw text of a kept column: trimmed or blanked where the table says so. */
function rawOf(t: LoadedTable, c: SqlColumn): string {
  const text = t.trim?.includes(c.name) ? `nullif(trim("${c.name}"), '')` : `"${c.name}"`;
  const is_blanked = t.blank?.columns.includes(c.name);
  return `${is_blanked ? `case when ${t.blank!.unless} then ${text} end` : text} as ${rawName(c.name)}`;
}

/**
 * Reads `$path` with everything declared and every column as text. DuckDB 1.5 gives no row when CRLF is declared, so
 * it finds that one itself; the first read has made sure that all lines end alike.
 */
export function readCsv(header: readonly string[], newline: string): string {
  const columns = header.map((name) => `'${name}': 'VARCHAR'`).join(', ');
  const line_end = newline === 'crlf' ? '' : `new_line = '\\n', `;
  return `read_csv($path, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', nullstr = '',
    strict_mode = true, ${line_end}columns = {${columns}})`;
}

/**
 * Creates `staged`: one row per kept record with its number in the file, typed values, and the first field that is
 * wrong with its text. The record numbered `$records` (the last one, as counted before) is kept in any case, so that
 * a row which DuckDB lost or invented shows.
 */
export function stagedSql(t: LoadedTable, header: readonly string[], newline: string): string {
  const columns = sqlColumns(t.schema);
  const kept = t.filter ? `(${t.filter.keep})` : 'true';
  const wrong = columns.map((c) => `when not ${isValid(t, c)} then '${c.name}'`);
  const got = columns.map((c) => `when '${c.name}' then ${rawName(c.name)}`);
  return `create table staged as
    with file as (
      select row_number() over () as record, *
      from ${readCsv(header, newline)}
    ),
    kept as (
      select record, is_kept, ${columns.map((c) => rawOf(t, c)).join(', ')}
      from (select *, ${kept} as is_kept from file)
      where is_kept or record >= $records
    ),
    checked as (select *, case ${wrong.join(' ')} end as bad_field from kept)
    select record, is_kept, ${columns.map(typedColumn).join(', ')}, bad_field,
      case bad_field ${got.join(' ')} end as bad_text
    from checked`;
}
