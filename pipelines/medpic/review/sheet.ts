/** Sheets: entries as CSV or JSONL for a reviewer, and what comes back. */
import Papa from 'papaparse';
import type { Problem } from '../../../stages/contract.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { CsvDamage, parseStrictCsv } from '../../../stages/lib/strict-csv.js';
import { parseStrictJson } from '../../../stages/lib/strict-json.js';
import { type Entry, ITEM_COLUMNS, RULE_COLUMNS } from './entries.js';

export const FORMATS = ['csv', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];

/** A row of a sheet as it came back. `value` and `spans` are JSON, flags booleans, an empty cell is ''. */
export interface SheetRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, unknown>>;
}

export interface Sheet {
  readonly kind: 'rules' | 'items';
  readonly format: Format;
  readonly rows: readonly SheetRow[];
  readonly problems: readonly Problem[];
}

const JSON_COLUMNS: ReadonlySet<string> = new Set(['value', 'spans']);
const FLAG_COLUMNS: ReadonlySet<string> = new Set(['is_adjudication', 'supersedes']);

/** A spreadsheet runs a cell that begins so as a formula; an apostrophe before it makes it text. */
const FORMULA = /^[=+\-@\t\r]/;
const GUARDED = /^'(?=[=+\-@\t\r])/;

/** Entries as text; the answer columns are empty. CSV has a byte-order mark and CRLF, as spreadsheets write it. */
export function writeSheet(entries: readonly Entry[], columns: readonly string[], format: Format): string {
  if (format === 'jsonl') {
    const answer = { decision: null, comment: '', supersedes: false, decided_at: '' };
    return entries
      .map((e) => {
        const row = { ...answer, ...e } as Record<string, unknown>;
        return `${JSON.stringify(Object.fromEntries(columns.filter((c) => c in row).map((c) => [c, row[c]])))}\n`;
      })
      .join('');
  }
  const rows = entries.map((e) => columns.map((c) => cellText(c, e[c])));
  return `\ufeff${Papa.unparse([[...columns], ...rows], { newline: '\r\n' })}\r\n`;
}

function cellText(column: string, value: unknown): string {
  if (value === undefined) return '';
  const text = JSON_COLUMNS.has(column) ? canonicalJson(value) : String(value);
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Reads a sheet that came back; damage of the file as a whole throws a CsvDamage. */
export function readSheet(text: string, file: string): Sheet {
  return file.toLowerCase().endsWith('.jsonl') ? readJsonl(text, file) : readCsv(text, file);
}

function readCsv(text: string, file: string): Sheet {
  const first = text.slice(0, text.indexOf('\n') + 1);
  const kind = /(^|[,"\ufeff])instance_id[,"\r\n]/.test(first) ? 'items' : 'rules';
  const columns = kind === 'items' ? ITEM_COLUMNS : RULE_COLUMNS;
  const newline = first.endsWith('\r\n') ? 'crlf' : 'lf';
  const records = parseStrictCsv(text, file, { columns, newline, may_have_bom: true });
  const problems: Problem[] = [];
  const rows = records.map(({ line, values }) => {
    const cells = Object.entries(values).map(([column, cell]): [string, unknown] => {
      const read = readCell(column, cell);
      if ('value' in read) return [column, read.value];
      problems.push({ message: 'a cell cannot be read', file, row: line, field: column, ...read });
      return [column, ''];
    });
    return { line, cells: Object.fromEntries(cells) };
  });
  return { kind, format: 'csv', rows, problems };
}

type Cell = { readonly value: unknown } | { readonly got: string; readonly expected: string };

function readCell(column: string, text: string): Cell {
  const cell = text.replace(GUARDED, '');
  if (FLAG_COLUMNS.has(column)) {
    const word = cell.trim().toLowerCase();
    if (word === '' || word === 'false') return { value: false };
    return word === 'true' ? { value: true } : { got: cell, expected: 'true, false or nothing' };
  }
  if (!JSON_COLUMNS.has(column)) return { value: column === 'decision' ? cell.trim().toLowerCase() : cell };
  try {
    return { value: parseStrictJson(cell) };
  } catch (error) {
    return { got: `${cell.slice(0, 60)} (${(error as Error).message})`, expected: 'the JSON of the export' };
  }
}

function readJsonl(text: string, file: string): Sheet {
  const rows: SheetRow[] = [];
  const problems: Problem[] = [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  lines.forEach((raw, i) => {
    const where = { file, row: i + 1 };
    try {
      const cells = parseStrictJson(raw);
      if (typeof cells !== 'object' || cells === null || Array.isArray(cells))
        throw new SyntaxError('no object');
      rows.push({ line: i + 1, cells: { ...cells } });
    } catch (error) {
      const got = `${raw.slice(0, 60)} (${(error as Error).message})`;
      problems.push({ message: 'a line is not one JSON object', ...where, got, expected: 'one row a line' });
    }
  });
  const kind = rows.some((r) => 'instance_id' in r.cells) ? 'items' : 'rules';
  const known: readonly string[] = kind === 'items' ? ITEM_COLUMNS : RULE_COLUMNS;
  for (const { line, cells } of rows)
    for (const name of Object.keys(cells).filter((n) => !known.includes(n)))
      problems.push({ message: 'unknown name', file, row: line, field: name, expected: known.join(', ') });
  return { kind, format: 'jsonl', rows, problems };
}

export { CsvDamage };
