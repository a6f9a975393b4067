/** Rows of the output tables. */
import type { SqlRow } from '../contract.js';
import type { Note } from '../lib/pdf/notes.js';
import type { DocumentTable, TableCell } from '../lib/pdf/table-builder.js';
import type { Box } from '../lib/pdf/types.js';
import { type Turn, toPage, turnBox } from '../lib/pdf/upright.js';

/** A table with what its rows need. */
export interface Written {
  readonly document_id: string;
  readonly table_n: number;
  readonly table: DocumentTable;
  /** Reading direction of each page. */
  readonly turns: ReadonlyMap<number, Turn>;
}

const noteLine = (n: Note): string => (n.mark === null ? n.text : `${n.mark}: ${n.text}`);
const lines = (notes: readonly Note[]): string | null =>
  notes.length > 0 ? notes.map(noteLine).join('\n') : null;

/** The row of guideline_tables. */
export function tableRow({ document_id, table_n, table }: Written): SqlRow {
  return {
    document_id,
    table_n,
    page_first: Math.min(...table.pages),
    page_last: Math.max(...table.pages),
    rows_n: table.rows.length,
    columns_n: table.cols,
    caption: table.caption,
    notes: lines(table.notes),
    is_ruled: table.is_ruled,
    findings: table.findings.join(' ') || null,
  };
}

function boxOn(page: number, box: Box, turns: ReadonlyMap<number, Turn>): SqlRow {
  const turn = turns.get(page)!;
  const [x0, y0, x1, y1] = turnBox(box, (x, y) => toPage(turn, x, y));
  return { x0, y0, x1, y1 };
}

/** Rows of guideline_cells: every place of every cell. */
export function cellRows(written: Written): SqlRow[] {
  return written.table.cells.flatMap((c) => places(c, written));
}

function places(c: TableCell, { document_id, table_n, table, turns }: Written): SqlRow[] {
  const first = c.parts[0]!;
  const linked = table.notes.filter((n) => n.mark !== null && c.marks.includes(n.mark));
  const out: SqlRow[] = [];
  for (let row = c.row; row < c.row + c.row_span; row++) {
    for (let col = c.col; col < c.col + c.col_span; col++) {
      out.push({
        document_id,
        table_n,
        row,
        col,
        row_span: c.row_span,
        col_span: c.col_span,
        is_spanned: row !== c.row || col !== c.col,
        anchor_row: c.row,
        anchor_col: c.col,
        page: first.page,
        ...boxOn(first.page, first.box, turns),
        printed_text: c.parts.map((p) => p.printed).join('\n'),
        text: c.text,
        is_header: table.rows[row]!.is_header,
        banner: table.rows[row]!.banner,
        marks: c.marks.length > 0 ? c.marks.join(' ') : null,
        note_text: lines(linked),
        findings: c.findings.join(' ') || null,
      });
    }
  }
  return out;
}

/** Rows of guideline_cell_parts. */
export function partRows({ document_id, table_n, table, turns }: Written): SqlRow[] {
  return table.cells.flatMap((c) =>
    c.parts.map((p, part) => ({
      document_id,
      table_n,
      row: c.row,
      col: c.col,
      part,
      page: p.page,
      ...boxOn(p.page, p.box, turns),
      printed_text: p.printed,
    })),
  );
}
