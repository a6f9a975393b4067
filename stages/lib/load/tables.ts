/** How a file of the extract becomes a table, and what its rows are checked against. */
import type { MimicTable } from '../../../schemas/mimic-files.js';
import type { Table } from '../../../schemas/table.js';

/** Where the parent of a row is looked up: an SQL file that returns a verdict for each row of `good` that fails. */
export interface ParentCheck {
  readonly sql: string;
  /** Reasons for which it leaves rows out instead of refusing them. */
  readonly drops: readonly string[];
}

const check = (name: string): ParentCheck => ({
  sql: `stages/lib/load/${name}.sql`,
  drops: ['parent_refused'],
});
/** The patient has to exist. */
export const SUBJECT = check('subject');
/** The admission has to exist and to belong to the patient. */
export const ADMISSION = check('admission');
/** The patient has to exist, and the admission where one is named. */
export const ENCOUNTER = check('encounter');

export interface LoadedTable {
  /** Output name. */
  readonly name: string;
  /** Name in the extract: `hosp.patients` is `hosp/patients.csv` or `hosp/patients.csv.gz`. */
  readonly source: MimicTable;
  readonly schema: Table;
  readonly parent?: ParentCheck;
  /** Rows of other tables name these by their key: ids that were refused are remembered. */
  readonly is_parent?: boolean;
  /** An extract may lack the file; the table is empty then. */
  readonly is_optional?: boolean;
  /** Column that says when a row happened (rows tied to a stay). */
  readonly time?: string;
  /** Reason for rows that are left out unread, and which rows are kept. */
  readonly filter?: { readonly reason: string; readonly keep: Condition };
  /** Columns whose text is trimmed: ICD codes are padded to seven characters in some releases. */
  readonly trim?: readonly string[];
  /** Columns that hold null unless the condition is true. */
  readonly blank?: { readonly columns: readonly string[]; readonly unless: Condition };
  /** Columns without which a row says nothing: rows without a value there are dropped and counted, not rejected. */
  readonly drop_missing?: readonly string[];
}

/**
 * An SQL condition over the text columns; `items` is a pattern of the itemids that the registry reads from the table. No
 * subquery may stand in it: DuckDB would join, and rows of a join are not in file order.
 */
export type Condition = (items: string) => string;

/** Reason of a row that was dropped because it has no value in a column of `drop_missing`. */
export const missingReason = (column: string): string => `no_${column}`;

/** Every reason for which a row of a table may be left out on purpose. */
export function dropReasons(t: LoadedTable): string[] {
  return [
    'duplicate',
    ...(t.filter ? [t.filter.reason] : []),
    ...(t.drop_missing ?? []).map(missingReason),
    ...(t.parent?.drops ?? []),
  ];
}

/** The SQL files that the checks of tables need. */
export const checkFiles = (tables: readonly LoadedTable[]): string[] => [
  ...new Set(tables.flatMap((t) => (t.parent ? [t.parent.sql] : []))),
];
