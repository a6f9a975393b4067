/** A DuckDB session for one stage: settings that make results repeatable, and one place that converts values. */
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
  INTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api';
import { type SqlColumn, type SqlType, sqlColumns, type Table } from '../../../schemas/table.js';
import type { ByteMatrix, ColumnData, Matrix, Sql, SqlRow, SqlValue } from '../../../stages/contract.js';
import { type Kind, type ReadMatrix, readByKey, readInOrder } from './matrix.js';
import { quoteName, quoteText } from './sql-text.js';

const CHUNK_ROWS = 2048;
/** Types used while appending; text is cast to TIMESTAMP or DATE afterwards, in SQL. */
const APPEND_TYPE: Record<SqlType, DuckDBType> = {
  BOOLEAN,
  INTEGER,
  BIGINT,
  DOUBLE,
  UTINYINT,
  VARCHAR,
  TIMESTAMP: VARCHAR,
  DATE: VARCHAR,
};

export { quoteName, quoteText };

export interface SessionOptions {
  readonly threads: number;
  readonly memoryLimit: string;
  /** Folder for spill files; removed by the caller. */
  readonly spillDir: string;
  /** Database file; in memory when left out. */
  readonly file?: string;
  readonly signal?: AbortSignal;
}

/** One DuckDB instance with its main connection. Call `close()` when done. */
export class DuckDbSession implements Sql {
  private readonly instance: DuckDBInstance;
  private readonly main: DuckDBConnection;
  private readonly open = new Set<DuckDBConnection>();
  private readonly onAbort = (): void => {
    for (const c of this.open) c.interrupt();
  };
  private readonly signal: AbortSignal | undefined;

  private constructor(instance: DuckDBInstance, main: DuckDBConnection, signal: AbortSignal | undefined) {
    this.instance = instance;
    this.main = main;
    this.signal = signal;
    this.open.add(main);
    signal?.addEventListener('abort', this.onAbort);
  }

  static async create(options: SessionOptions): Promise<DuckDbSession> {
    const instance = await DuckDBInstance.create(options.file ?? ':memory:', {
      threads: String(options.threads),
      memory_limit: options.memoryLimit,
      temp_directory: options.spillDir,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      default_null_order: 'nulls_last',
    });
    const main = await instance.connect();
    await main.run("set TimeZone = 'UTC'");
    return new DuckDbSession(instance, main, options.signal);
  }

  async run(sql: string, params?: Record<string, SqlValue>): Promise<void> {
    await this.main.run(sql, params as Record<string, DuckDBValue>);
  }

  async rows<R = SqlRow>(sql: string, params?: Record<string, SqlValue>): Promise<R[]> {
    const reader = await this.main.runAndReadAll(sql, params as Record<string, DuckDBValue>);
    const names = reader.deduplicatedColumnNames();
    return reader.getRows().map((row) => toRow(names, row) as R);
  }

  async *stream<R = SqlRow>(sql: string): AsyncIterable<R[]> {
    const connection = await this.connect();
    try {
      const result = await connection.stream(sql);
      const names = result.deduplicatedColumnNames();
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) break;
        yield chunk.getRows().map((row) => toRow(names, row) as R);
      }
    } finally {
      this.disconnect(connection);
    }
  }

  async matrix(sql: string, key?: string): Promise<Matrix> {
    return (await this.read(sql, 'double', key)) as Matrix;
  }

  async bytes(sql: string, key?: string): Promise<ByteMatrix> {
    return (await this.read(sql, 'byte', key)) as ByteMatrix;
  }

  private async read(sql: string, kind: Kind, key: string | undefined): Promise<ReadMatrix> {
    const connection = await this.connect();
    try {
      return key === undefined
        ? await readInOrder(this.main, connection, sql, kind)
        : await readByKey(this.main, connection, sql, key, kind);
    } finally {
      this.disconnect(connection);
    }
  }

  async insert(name: string, schema: Table, rows: Iterable<SqlRow>): Promise<void> {
    const columns = sqlColumns(schema);
    const data: SqlValue[][] = columns.map(() => []);
    for (const row of rows) {
      const parsed = schema.row.safeParse(row);
      if (!parsed.success) {
        const issue = parsed.error.issues[0]!;
        throw new Error(
          `a row of ${name} does not fit ${schema.name}: ${issue.path.join('.')}: ${issue.message}`,
        );
      }
      for (let j = 0; j < columns.length; j++) data[j]!.push(row[columns[j]!.name] ?? null);
    }
    await this.insertColumns(name, schema, Object.fromEntries(columns.map((c, j) => [c.name, data[j]!])));
  }

  async insertColumns(name: string, schema: Table, columns: Record<string, ColumnData>): Promise<void> {
    const spec = sqlColumns(schema);
    const sources = spec.map((c) => {
      const source = columns[c.name];
      if (!source) throw new Error(`table ${name}: column ${c.name} is missing`);
      return source;
    });
    const rows = sources[0]?.length ?? 0;
    if (sources.some((s) => s.length !== rows)) throw new Error(`table ${name}: columns differ in length`);
    const raw = `${name}__raw`;
    const types = spec.map((c) => APPEND_TYPE[c.type]);
    await this.run(
      `create table ${quoteName(raw)} (${spec.map((c, j) => `${quoteName(c.name)} ${types[j]}`).join(', ')})`,
    );
    const appender = await this.main.createAppender(raw);
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const size = Math.min(CHUNK_ROWS, rows - from);
      const chunk = DuckDBDataChunk.create(types, size);
      for (let j = 0; j < spec.length; j++) fillColumn(chunk, j, spec[j]!, sources[j]!, from, size);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
    await this.run(
      `create table ${quoteName(name)} as select ${spec.map((c) => castColumn(c)).join(', ')} from ${quoteName(raw)}`,
    );
    await this.run(`drop table ${quoteName(raw)}`);
  }

  close(): void {
    this.signal?.removeEventListener('abort', this.onAbort);
    for (const c of this.open) c.closeSync();
    this.open.clear();
    this.instance.closeSync();
  }

  /** A second query on one connection silently ends an open stream, so every stream gets its own. */
  private async connect(): Promise<DuckDBConnection> {
    const connection = await this.instance.connect();
    await connection.run("set TimeZone = 'UTC'");
    this.open.add(connection);
    return connection;
  }

  private disconnect(connection: DuckDBConnection): void {
    this.open.delete(connection);
    connection.closeSync();
  }
}

function castColumn(c: SqlColumn): string {
  const name = quoteName(c.name);
  if (c.type === 'DOUBLE') return `case when isnan(${name}) then null else ${name} end as ${name}`;
  return c.type === 'TIMESTAMP' || c.type === 'DATE' ? `cast(${name} as ${c.type}) as ${name}` : name;
}

function fillColumn(
  chunk: DuckDBDataChunk,
  j: number,
  column: SqlColumn,
  source: ColumnData,
  from: number,
  size: number,
): void {
  if (source instanceof Float64Array && column.type === 'DOUBLE') {
    const vector = chunk.getColumnVector(j) as DuckDBVector & { items: Float64Array };
    vector.items.set(source.subarray(from, from + size));
    vector.flush();
    return;
  }
  const values: DuckDBValue[] = new Array(size);
  for (let i = 0; i < size; i++) values[i] = toAppend(source[from + i] as SqlValue, column.type);
  chunk.setColumnValues(j, values);
}

function toAppend(value: SqlValue, type: SqlType): DuckDBValue {
  if (value === null || value === undefined) return null;
  if (type === 'BIGINT') return BigInt(value as number);
  return value;
}

function toRow(names: readonly string[], row: readonly DuckDBValue[]): SqlRow {
  const out: SqlRow = {};
  for (let j = 0; j < names.length; j++) out[names[j]!] = toJs(row[j] as DuckDBValue);
  return out;
}

/** The only place where DuckDB values become JavaScript values. */
function toJs(value: DuckDBValue): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') {
    const n = Number(value);
    if (!Number.isSafeInteger(n)) throw new RangeError(`integer ${value} does not fit a JavaScript number`);
    return n;
  }
  if (typeof value === 'object' && 'toDouble' in value) return (value as { toDouble(): number }).toDouble();
  return String(value);
}
