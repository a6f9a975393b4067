/** How a table is described: a zod object whose columns carry their DuckDB type, plus a key and a sentence. */
import { z } from 'zod';

/** DuckDB column types that tables may use. Timestamps have no zone and travel as `YYYY-MM-DD HH:MM:SS` text. */
export type SqlType =
  | 'BOOLEAN'
  | 'INTEGER'
  | 'BIGINT'
  | 'DOUBLE'
  | 'VARCHAR'
  | 'TIMESTAMP'
  | 'DATE'
  | 'UTINYINT';

const TIMESTAMP_TEXT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?$/;
const DATE_TEXT = /^\d{4}-\d\d-\d\d$/;

/** Column builders. `.nullable()` makes a column that may be null; everything else must be filled. */
export const col = {
  bool: () => z.boolean().meta({ sql: 'BOOLEAN' }),
  int: () => z.int32().meta({ sql: 'INTEGER' }),
  bigint: () => z.int().meta({ sql: 'BIGINT' }),
  byte: () => z.int().min(0).max(255).meta({ sql: 'UTINYINT' }),
  double: () => z.number().meta({ sql: 'DOUBLE' }),
  text: () => z.string().meta({ sql: 'VARCHAR' }),
  timestamp: () => z.string().regex(TIMESTAMP_TEXT).meta({ sql: 'TIMESTAMP' }),
  date: () => z.string().regex(DATE_TEXT).meta({ sql: 'DATE' }),
};

/** A table: `key` names the columns that are unique together, or `'all'` when only whole rows are unique. */
export interface Table<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: 'table';
  readonly name: string;
  readonly doc: string;
  readonly key: readonly string[] | 'all';
  readonly row: z.ZodObject<Shape>;
}

/** Declares a table; rows with unknown columns are refused. */
export function table<Shape extends z.ZodRawShape>(spec: {
  name: string;
  doc: string;
  key: readonly (keyof Shape & string)[] | 'all';
  row: Shape;
}): Table<Shape> {
  return { kind: 'table', ...spec, row: z.strictObject(spec.row) as unknown as z.ZodObject<Shape> };
}

/** One column of a table in SQL terms. */
export interface SqlColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly is_nullable: boolean;
}

/** The columns of a table in declared order, with their DuckDB types. */
export function sqlColumns(t: Table): SqlColumn[] {
  return Object.entries(t.row.shape).map(([name, field]) => {
    const is_nullable = field instanceof z.ZodNullable;
    const inner = (is_nullable ? field.unwrap() : field) as z.ZodType;
    const type = inner.meta()?.sql as SqlType | undefined;
    if (!type) throw new Error(`table ${t.name}: column ${name} was not made with col.*`);
    return { name, type, is_nullable };
  });
}
