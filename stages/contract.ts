/** What a stage is: a declaration and one pure function. Types and `defineStage` only. */
import type { z } from 'zod';
import type { Table } from '../schemas/table.js';
import type { AskEstimate, Llm } from './lib/asking.js';

export type {
  AskEstimate,
  Llm,
  LlmMessage,
  LlmOutcome,
  LlmRequest,
  LlmResult,
  LlmSource,
} from './lib/asking.js';

/** How far data may travel. A row's class is the highest of its parents. */
export type AccessClass = 'open' | 'restricted' | 'credentialed';

/** A set of files that travels as one input or output (a MIMIC-IV extract). */
export interface Folder {
  readonly kind: 'folder';
  readonly doc: string;
}

/** One text file written by a stage (a report). */
export interface Document {
  readonly kind: 'document';
  readonly filename: string;
  readonly doc: string;
}

/** A file of an input folder. `path` is relative (`hosp/patients.csv.gz`); `location` is where it lies now. */
export interface FolderFile {
  readonly path: string;
  readonly location: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** `count(input) = count(output) + rejects(input) + drops(input)`, checked by the engine after every run. */
export interface Conservation {
  readonly input: string;
  readonly output: string;
  /** Every reason this stage may give to `ctx.drop` for the input; any other reason is an error. */
  readonly drops?: readonly string[];
}

/** A `SELECT` that returns the violating rows of the outputs; it passes when it returns none. */
export interface Audit {
  readonly name: string;
  readonly sql: string;
}

/** A row that was refused. `where` and `key` locate it (file and record, or key columns); `got` stays inside the cache. */
export interface Reject {
  readonly table: string;
  readonly where: string;
  readonly key: string;
  readonly reason: string;
  readonly field: string;
  readonly got: string;
  readonly expected: string;
}

/** A provenance edge: `child` was derived from `parent`. Ids are `kind:value`, for example `stay:30057454`. */
export interface Edge {
  readonly child: string;
  readonly relation: string;
  readonly parent: string;
}

export type SqlValue = string | number | boolean | null;
export type SqlRow = Record<string, SqlValue>;

/** The stage's DuckDB session. Table inputs are views under their input names; outputs are tables or views it leaves. */
export interface Sql {
  /** Runs one statement; `$name` parameters. */
  run(sql: string, params?: Record<string, SqlValue>): Promise<void>;
  /** All rows of a query: integers as numbers (an error past 2^53), timestamps and dates as text. */
  rows<R = SqlRow>(sql: string, params?: Record<string, SqlValue>): Promise<R[]>;
  /** The rows in chunks, for results too large to hold. Use one stream at a time. */
  stream<R = SqlRow>(sql: string): AsyncIterable<R[]>;
  /**
   * Every column of a query as float64 (shared memory, NaN for null), column-major; all columns must be DOUBLE. With
   * `key`, an integer column of the query that is unique: rows in ascending order of the key, which is not a column of
   * the matrix. That is quicker than `order by`, since nothing is sorted but the key.
   */
  matrix(sql: string, key?: string): Promise<Matrix>;
  /** The same for UTINYINT and BOOLEAN columns, a byte a value; a null is an error. */
  bytes(sql: string, key?: string): Promise<ByteMatrix>;
  /** Creates table `name` with the columns of `schema` and fills it; each row is validated against the schema. */
  insert(name: string, schema: Table, rows: Iterable<SqlRow>): Promise<void>;
  /** Creates table `name` from typed columns (NaN becomes null) or arrays of text; no per-row validation. */
  insertColumns(name: string, schema: Table, columns: Record<string, ColumnData>): Promise<void>;
}

/** Values of one column, one entry a row. */
export type ColumnData = Float64Array | Int32Array | Uint8Array | readonly SqlValue[];

/** `rows` x `columns.length` float64 values; column j is `data.subarray(j * rows, (j + 1) * rows)`. */
export interface Matrix {
  readonly rows: number;
  readonly columns: readonly string[];
  readonly data: Float64Array;
}

/** A matrix of bytes, laid out like `Matrix`. */
export interface ByteMatrix {
  readonly rows: number;
  readonly columns: readonly string[];
  readonly data: Uint8Array;
}

/** A deterministic stream of numbers (xoshiro128**), derived from run seed, stage and label. */
export interface RandomStream {
  /** Next unsigned 32-bit integer. */
  u32(): number;
  /** Uniform integer in [0, n). */
  below(n: number): number;
  /** Uniform double in [0, 1) with 53 random bits. */
  float(): number;
}

/** Runs tasks on worker threads; results come back in task order whatever the number of workers. */
export interface Workers {
  readonly count: number;
  /**
   * `module` is a declared worker file (`stages/x/worker.ts`) with an exported function `name(task)`.
   * Tasks are started in the given order; put the largest first.
   */
  map<T, R>(spec: {
    module: string;
    name: string;
    tasks: readonly T[];
    onDone?: (done: number) => void;
  }): Promise<R[]>;
}

/** Writes the files of an output folder. Paths are relative; parts are appended in call order. */
export interface FolderWriter {
  open(path: string): FileSink;
  text(path: string, content: string): Promise<void>;
}
export interface FileSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Result of the integrity read of one csv or csv.gz file. */
export interface IntegrityReport {
  readonly sha256: string;
  readonly bytes: number;
  readonly members: number;
  /** Data records, the header not counted. */
  readonly records: number;
  readonly header: readonly string[];
  readonly newline: 'lf' | 'crlf' | 'mixed' | 'none';
  readonly has_bom: boolean;
  /** 1-based data records that span several physical lines, with how many extra lines each has. */
  readonly multiline: readonly { record: number; extra: number }[];
}

/** One printed glyph. Positions are points of the page's own space (origin bottom left, y up), before page rotation. */
export interface PdfGlyph {
  /** What the glyph stands for; several characters for a ligature. */
  readonly text: string;
  /** Where its baseline starts and ends: the ink runs along this line, whatever its direction. */
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** Height of the em in points, across the baseline. */
  readonly size: number;
  readonly font: string;
  /** Drawn, and not by a mode that leaves no ink (the text layer of a scan is such). */
  readonly is_visible: boolean;
  /** False where the font does not say which character the glyph is. */
  readonly is_mapped: boolean;
  /** True where the font gives one character to glyphs of several widths and this is one of the rarer: a lost ligature. */
  readonly is_doubtful: boolean;
}

/** A stroked or filled path in points. `points` are x, y, x, y...; a curve is given by all its control points. */
export interface PdfShape {
  readonly kind: 'stroke' | 'fill';
  readonly points: readonly number[];
  /** True where no curve leaves the straight line between its ends by more than a tenth of a point. */
  readonly is_straight: boolean;
  readonly is_closed: boolean;
  /** Line width in points; 0 for fills. */
  readonly width: number;
  /** `#rrggbb`, or `pattern`. */
  readonly color: string;
  /** The part of the page that is not clipped away: x0, y0, x1, y1. */
  readonly clip: Box;
}

/** x0, y0, x1, y1 with x0 <= x1 and y0 <= y1, in points. */
export type Box = readonly [number, number, number, number];

/** One page as it is drawn; what belongs together is not decided here. */
export interface PdfPage {
  /** 1-based. */
  readonly page: number;
  readonly view: Box;
  /** Degrees clockwise by which a viewer turns the page: 0, 90, 180, 270. */
  readonly rotation: number;
  readonly glyphs: readonly PdfGlyph[];
  readonly shapes: readonly PdfShape[];
  /** Pictures drawn on the page (a page of pictures alone is a scan). */
  readonly images_n: number;
}

/** Facts of a PDF file, without its pages. */
export interface PdfFacts {
  readonly pages_n: number;
  readonly title: string | null;
  readonly producer: string | null;
  readonly pdf_version: string | null;
  readonly fingerprint: string;
}

/** An open PDF; close it when done. */
export interface PdfDocument {
  readonly facts: PdfFacts;
  /** Reads one page, 1-based. Throws a DataError when its content is damaged. */
  page(page: number): Promise<PdfPage>;
  /** The page's text in reading order as the library sees it, for people. */
  text(page: number): Promise<string>;
  close(): Promise<void>;
}

/** Everything a stage may touch. No clock, no environment, no network, no `Math.random`. */
export interface StageContext {
  readonly sql: Sql;
  readonly workers: Workers;
  /**
   * The compiled form of a kernel that the stage declared, to be put into worker tasks; null when the run uses the
   * TypeScript form. Both give the same bits.
   */
  kernel(path: string): WebAssembly.Module | null;
  /** The model of a purpose that the stage declared in `models` for its config. */
  llm(purpose: string): Llm;
  readonly signal: AbortSignal;
  /** Root seed of the run. */
  readonly seed: number;
  /** Access class of all inputs together. */
  readonly access: AccessClass;
  random(label: string): RandomStream;
  /** Text of a file that the stage declared in `files`. */
  file(path: string): string;
  /** Files of a folder input, sorted by path. */
  folder(input: string): readonly FolderFile[];
  /** Reads a csv or csv.gz to its end: hash, gunzip, UTF-8, record count. Throws a DataError on damage. */
  inspectCsv(file: FolderFile): Promise<IntegrityReport>;
  /**
   * The whole text of a file of a folder input, gunzipped where its path ends in .gz; a byte-order mark stays. Text that
   * is no UTF-8, a damaged gzip and a file that changed since it was hashed are a DataError.
   */
  readText(file: FolderFile): Promise<string>;
  /** Opens a PDF. Throws a DataError when it is encrypted, damaged or empty. */
  readPdf(file: FolderFile): Promise<PdfDocument>;
  writeFolder(output: string): FolderWriter;
  writeDocument(output: string, content: string): Promise<void>;
  reject(row: Reject): void;
  /** Rows that came in from a file, as counted outside DuckDB; makes `name` an input of `conserve`. */
  records(name: string, n: number): void;
  /** Counts rows of an input that are left out on purpose. */
  drop(input: string, reason: string, n: number): void;
  cite(edge: Edge): void;
  /** A number for the manifest and the quality report (`implausible_removed.F089`). */
  count(name: string, n: number): void;
  progress(done: number, total: number, what?: string): void;
  /** A line for the log; ids, hashes and counts only, never patient text. */
  log(message: string): void;
  /** Stops the build with exit code 3. */
  fail(problem: Problem): never;
}

/** What every error tells. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  readonly row?: number | string;
  readonly field?: string;
  readonly got?: string;
  readonly expected?: string;
  readonly next?: string;
}

/** Purposes by config. The type of a method, as `run` is one, so that a stage of any config is a `StageSpec`. */
export type PurposesOf<C> = { of(config: C): readonly string[] }['of'];

export interface StageSpec<C = unknown> {
  /** Verb-object; the folder, the cache folder and the docs anchor have the same word. */
  readonly name: string;
  readonly version: number;
  /** One line for the task list. */
  readonly summary: string;
  readonly inputs: Record<string, Table | Folder>;
  /** Table inputs that a pipeline may leave unbound; they are then empty. */
  readonly optional?: readonly string[];
  readonly outputs: Record<string, Table | Folder | Document>;
  readonly config: z.ZodType<C>;
  /** SQL, data and prompt files, relative to the project root. Hashed into the key; readable through `ctx.file`. */
  readonly files?: readonly string[];
  /** Modules that `ctx.workers` may load, relative to the project root. Hashed into the key. */
  readonly workers?: readonly string[];
  /** AssemblyScript sources that `ctx.kernel` may load, relative to the project root. Hashed into the key. */
  readonly kernels?: readonly string[];
  /**
   * Purposes that a model serves (`author`, `critic`). The pipeline says which model; its identity enters the key. A
   * function says it by config, for a stage that also works without a model.
   */
  readonly models?: readonly string[] | PurposesOf<C>;
  /** What asking will come to; for a stage with `models`. It changes no result. */
  estimate?(config: C): readonly AskEstimate[];
  readonly conserve?: readonly Conservation[];
  readonly audits?: readonly Audit[];
  /** Largest share of an input's rows that may be rejected; past it the build stops. Default 0. */
  readonly rejectLimit?: number;
  /** True for a stage that reads `ctx.seed` or `ctx.random`; only then is the run seed part of its key. */
  readonly seeded?: boolean;
  /** `open` for a stage whose output depends on no patient; default is the highest class of the inputs. */
  readonly access?: 'inherit' | 'open';
  run(ctx: StageContext, config: C): Promise<void>;
}

/** Declares a stage. */
export function defineStage<C>(spec: StageSpec<C>): StageSpec<C> {
  return spec;
}
