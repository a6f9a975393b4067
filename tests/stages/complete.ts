/** Test rows that name only the columns a test is about. */
import { type SqlType, sqlColumns, type Table } from '../../schemas/table.js';
import type { SqlRow, SqlValue } from '../../stages/contract.js';

const EMPTY: Record<SqlType, SqlValue> = {
  BOOLEAN: false,
  INTEGER: 0,
  BIGINT: 0,
  DOUBLE: 0,
  UTINYINT: 0,
  VARCHAR: '',
  TIMESTAMP: '2150-01-01 00:00:00',
  DATE: '2150-01-01',
};

/** Fills columns that a row leaves out: null where allowed, else an empty value of the type. */
export function complete(table: Table, rows: readonly SqlRow[]): SqlRow[] {
  const blank = Object.fromEntries(
    sqlColumns(table).map((c) => [c.name, c.is_nullable ? null : EMPTY[c.type]]),
  );
  return rows.map((r) => ({ ...blank, ...r }));
}
