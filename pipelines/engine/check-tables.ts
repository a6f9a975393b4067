/** What a table must keep of its declaration: columns, filled values, a unique key, audits. */
import { sqlColumns, type Table } from '../../schemas/table.js';
import type { StageSpec } from '../../stages/contract.js';
import { type DuckDbSession, quoteName } from './adapters/duckdb.js';
import { DataError } from './errors.js';
import { keyColumns } from './outputs.js';

/** Column names and types must be the declared ones. Order in the session does not matter; in the file it does. */
export async function checkColumns(session: DuckDbSession, name: string, declared: Table): Promise<void> {
  const found = await session
    .rows<{ column_name: string; column_type: string }>(`describe ${quoteName(name)}`)
    .catch(() => {
      throw new Error(`no table or view ${name}; schema ${declared.name} expects one`);
    });
  const got = found.map((c) => `${c.column_name} ${c.column_type}`).sort();
  const expected = sqlColumns(declared)
    .map((c) => `${c.name} ${c.type}`)
    .sort();
  const extra = got.filter((c) => !expected.includes(c));
  const missing = expected.filter((c) => !got.includes(c));
  if (extra.length + missing.length > 0) {
    throw new Error(
      `${name} does not fit its schema ${declared.name}: unexpected ${extra.join(', ') || 'nothing'}; missing ${missing.join(', ') || 'nothing'}`,
    );
  }
}

/** Declared columns are filled and the key is unique. */
export async function checkRows(
  session: DuckDbSession,
  stage: string,
  name: string,
  declared: Table,
): Promise<void> {
  const columns = sqlColumns(declared);
  const required = columns.filter((c) => !c.is_nullable);
  const sums = required.map(
    (c) => `count(*) filter (where ${quoteName(c.name)} is null) as ${quoteName(c.name)}`,
  );
  if (sums.length > 0) {
    const [row] = await session.rows<Record<string, number>>(
      `select ${sums.join(', ')} from ${quoteName(name)}`,
    );
    const bad = Object.entries(row!).find(([, n]) => n > 0);
    if (bad)
      throw new Error(`stage ${stage}: ${name}.${bad[0]} is null in ${bad[1]} rows but must be filled`);
  }
  const key = keyColumns(declared, columns);
  const repeated = async (by: string): Promise<number> => {
    const [row] = await session.rows<{ n: number }>(
      `select count(*) as n from (select 1 from ${quoteName(name)} group by ${by} having count(*) > 1)`,
    );
    return row!.n;
  };
  // Equal keys have equal hashes, and hashes are half the work where the key is wide.
  if ((await repeated(`hash(${key})`)) === 0) return;
  const duplicates = await repeated(key);
  if (duplicates > 0)
    throw new Error(`stage ${stage}: ${duplicates} keys of ${name} (${key}) are not unique`);
}

/** Every audit of the stage finds no row; one that does is a DataError. */
export async function runAudits(session: DuckDbSession, stage: StageSpec): Promise<void> {
  for (const audit of stage.audits ?? []) {
    const rows = await session.rows(`select * from (${audit.sql}) limit 3`);
    if (rows.length > 0) {
      throw new DataError({
        message: `stage ${stage.name}: audit "${audit.name}" found violating rows`,
        got: `at least ${rows.length}; columns ${Object.keys(rows[0]!).join(', ')}`,
        expected: 'no row',
        next: 'query the stage inputs with the audit to see them; the data or the stage is wrong',
      });
    }
  }
}
