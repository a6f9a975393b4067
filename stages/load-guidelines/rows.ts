/** Cells become rows: empty cells are null, closed columns are checked, every row knows its place. */
import type { Reject, SqlRow } from '../contract.js';
import type { StrictRecord } from '../lib/strict-csv.js';
import { baseName, type Document } from './documents.js';
import type { Shape } from './shapes.js';

/** From the most to the least sure. */
const CONFIDENCE = ['high', 'medium', 'low', 'recall'];

/** One record as a row of its shape, unchecked. */
export function toRow(shape: Shape, document: Document, record: StrictRecord): SqlRow {
  const cells: SqlRow = {};
  for (const [name, text] of Object.entries(record.values)) cells[name] = text === '' ? null : text;
  const place = {
    source_file: document.file.path,
    source_sha256: document.file.sha256,
    source_row: record.row,
    source_line: record.line,
  };
  return { ...cells, ...(shape.confidence ? ruleColumns(shape, document, cells) : {}), ...place };
}

function ruleColumns(shape: Shape, document: Document, cells: SqlRow): SqlRow {
  const use = shape.files[baseName(document.file.path)]?.use ?? cells.use ?? null;
  const ranks = shape.confidence!.map((column) => CONFIDENCE.indexOf(String(cells[column])));
  const confidence_lowest = CONFIDENCE[Math.max(...ranks)] ?? null;
  const is_sure = confidence_lowest === 'high' || confidence_lowest === 'medium';
  const { id, is_current } = document;
  return {
    use,
    confidence_lowest,
    document_id: id,
    is_current,
    is_usable: is_current && use === 'ok' && is_sure,
  };
}

/** The rows of a shape that were taken, and those that were refused. */
export interface Sorted {
  readonly rows: readonly SqlRow[];
  readonly refused: readonly Reject[];
}

/** Rows that fit their table, in file order; the others are refused with their field, and repeated keys all together. */
export function sortRows(shape: Shape, rows: readonly SqlRow[]): Sorted {
  const refused: Reject[] = [];
  const sound = rows.filter((row) => {
    const issue = shape.table.row.safeParse(row).error?.issues[0];
    if (!issue) return true;
    const field = String(issue.path[0] ?? '');
    const is_empty = row[field] === null || row[field] === undefined;
    const reason = is_empty ? 'empty_cell' : 'unknown_value';
    const expected = is_empty ? 'a value' : issue.message;
    refused.push(refuse(shape, row, { reason, field, got: String(row[field] ?? 'an empty cell'), expected }));
    return false;
  });
  const counts = new Map<string, number>();
  for (const row of sound) counts.set(keyOf(shape, row), (counts.get(keyOf(shape, row)) ?? 0) + 1);
  const once = sound.filter((row) => {
    const n = counts.get(keyOf(shape, row))!;
    if (n === 1) return true;
    const field = (shape.table.key as readonly string[]).join(', ');
    const what = { reason: 'repeated_key', field, got: `${n} rows`, expected: 'one row' };
    refused.push(refuse(shape, row, what));
    return false;
  });
  return { rows: once, refused };
}

const keyOf = (shape: Shape, row: SqlRow): string =>
  (shape.table.key as readonly string[]).map((column) => row[column] ?? '').join(' | ');

function refuse(
  shape: Shape,
  row: SqlRow,
  what: Pick<Reject, 'reason' | 'field' | 'got' | 'expected'>,
): Reject {
  const where = `${row.source_file}, line ${row.source_line} (row ${row.source_row})`;
  return { table: shape.input, where, key: keyOf(shape, row), ...what };
}
