/** Source tables in CSV: a strict scan of our own finds every damage with line and column, then papaparse reads. */
import Papa from 'papaparse';
import type { FolderFile, Problem, StageContext } from '../contract.js';
import { type CsvShape, scanCsv } from './csv-scan.js';
import { nearest } from './nearest.js';

/** What a file promises: comma, double quotes, these columns (in any order), and one kind of line end. */
export interface CsvDialect {
  readonly columns: readonly string[];
  readonly newline: 'crlf' | 'lf';
  /** True where one byte-order mark at the start is known and wanted; everywhere else a mark is an error. */
  readonly may_have_bom?: boolean;
}

/** One data record with its place in the file. */
export interface StrictRecord {
  /** 1-based number of the data record; the header is not counted. */
  readonly row: number;
  /** 1-based physical line on which the record begins. */
  readonly line: number;
  /** The cells exactly as they stand in the file, unquoted. */
  readonly values: Readonly<Record<string, string>>;
}

/** Damage of a table; `problem` says where, what was got and expected, and what to do. */
export class CsvDamage extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super([problem.message, problem.file, problem.row, problem.got, problem.expected].join(', '));
    this.name = 'CsvDamage';
    this.problem = problem;
  }
}

/** Parses a whole CSV text; anything outside the dialect throws a CsvDamage and no row is given. */
export function parseStrictCsv(text: string, file: string, dialect: CsvDialect): StrictRecord[] {
  const fail = (problem: Problem): never => {
    throw new CsvDamage({ file, ...problem });
  };
  const body = dialect.may_have_bom && text.startsWith('\ufeff') ? text.slice(1) : text;
  const shapes = scanCsv(body, dialect.newline, fail);
  const [header, ...records] = readCells(body, dialect.newline, shapes);
  checkHeader(header!, dialect.columns, shapes[0]!, fail);
  return records.map((cells, i) => ({
    row: i + 1,
    line: shapes[i + 1]!.line,
    values: Object.fromEntries(header!.map((name, c) => [name, cells[c]!])),
  }));
}

/** Reads a file of a folder input; damage stops the build with exit code 3. */
export async function readStrictCsv(
  ctx: Pick<StageContext, 'readText' | 'fail'>,
  file: FolderFile,
  dialect: CsvDialect,
): Promise<StrictRecord[]> {
  const text = await ctx.readText(file);
  try {
    return parseStrictCsv(text, file.path, dialect);
  } catch (error) {
    if (error instanceof CsvDamage) return ctx.fail(error.problem);
    throw error;
  }
}

/** The cells by papaparse; it must see the records that the scan saw. */
function readCells(body: string, newline: CsvDialect['newline'], shapes: readonly CsvShape[]): string[][] {
  const end = newline === 'crlf' ? '\r\n' : '\n';
  const { data, errors } = Papa.parse<string[]>(body.slice(0, -end.length), {
    header: false,
    delimiter: ',',
    newline: end,
    quoteChar: '"',
    escapeChar: '"',
    dynamicTyping: false,
    skipEmptyLines: false,
  });
  const same = data.length === shapes.length && data.every((cells, i) => cells.length === shapes[i]!.fields);
  if (errors.length > 0 || !same) throw new Error(`papaparse and the scan differ: ${JSON.stringify(errors)}`);
  return data;
}

function checkHeader(
  header: readonly string[],
  columns: readonly string[],
  shape: CsvShape,
  fail: (problem: Problem) => never,
): void {
  const row = `line ${shape.line}`;
  const at = (c: number): string => `${row}, column ${shape.starts[c]}`;
  header.forEach((name, c) => {
    const first = header.indexOf(name);
    if (first < c) {
      const got = `"${name}" as field ${first + 1} and as field ${c + 1}`;
      fail({ message: 'a column stands twice in the header', row: at(c), got, expected: 'each column once' });
    }
  });
  header.forEach((name, c) => {
    if (columns.includes(name)) return;
    const near = nearest(name, columns);
    fail({
      message: 'unknown column',
      row: at(c),
      got: JSON.stringify(name),
      expected: columns.join(', '),
      ...(near ? { next: `did you mean ${near}?` } : {}),
    });
  });
  const missing = columns.filter((name) => !header.includes(name));
  if (missing.length > 0)
    fail({ message: 'columns are missing', row, got: header.join(', '), expected: missing.join(', ') });
}
