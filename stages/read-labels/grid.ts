/** Tables as grids: every position has the text of the cell that covers it. */
import { childOf, childrenOf, type XmlElement } from '../lib/xml.js';
import { textOf } from './text.js';

export interface GridCell {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly notes: string | null;
  readonly is_header: boolean;
  readonly is_origin: boolean;
  readonly row_span: number;
  readonly column_span: number;
}

export interface Grid {
  readonly caption: string | null;
  readonly rows_n: number;
  readonly columns_n: number;
  readonly cells: readonly GridCell[];
}

/** HTML gives up at these; larger numbers are damage. */
const MAX_COLUMN_SPAN = 1000;
const MAX_ROW_SPAN = 65_534;

/** Resolves spans the way HTML lays tables out: a cell takes the next free column, a row span ends with its row group. */
export function gridOf(table: XmlElement): Grid {
  const caption = childOf(table, 'caption');
  const cells: GridCell[] = [];
  const taken = new Set<string>();
  let rows_n = 0;
  let columns_n = 0;
  for (const { rows, is_head } of rowGroups(table)) {
    const end = rows_n + rows.length;
    rows.forEach((tr, i) => {
      const row = rows_n + i;
      let column = 0;
      for (const cell of childrenOf(tr).filter((c) => c.tagName === 'td' || c.tagName === 'th')) {
        while (taken.has(`${row},${column}`)) column++;
        const row_span = Math.min(span(cell, 'rowspan', MAX_ROW_SPAN) || end - row, end - row);
        const column_span = Math.max(1, span(cell, 'colspan', MAX_COLUMN_SPAN));
        const notes: string[] = [];
        const text = textOf(cell, { notes });
        for (let r = row; r < row + row_span; r++) {
          for (let c = column; c < column + column_span; c++) {
            // Spans that run into each other: the first cell keeps the place.
            if (taken.has(`${r},${c}`)) continue;
            taken.add(`${r},${c}`);
            cells.push({
              row: r,
              column: c,
              text,
              notes: notes.length > 0 ? notes.join('\n') : null,
              is_header: is_head || cell.tagName === 'th',
              is_origin: r === row && c === column,
              row_span,
              column_span,
            });
          }
        }
        column += column_span;
        columns_n = Math.max(columns_n, column);
      }
    });
    rows_n = end;
  }
  return { caption: (caption && textOf(caption).replaceAll('\n', ' ')) || null, rows_n, columns_n, cells };
}

/** Rows in the order they are shown: head, bodies, foot. Rows outside any group are a body. */
function rowGroups(table: XmlElement): { readonly rows: XmlElement[]; readonly is_head: boolean }[] {
  const groups = (name: string): XmlElement[][] => childrenOf(table, name).map((g) => childrenOf(g, 'tr'));
  return [
    ...groups('thead').map((rows) => ({ rows, is_head: true })),
    ...[...groups('tbody'), childrenOf(table, 'tr'), ...groups('tfoot')].map((rows) => ({
      rows,
      is_head: false,
    })),
  ].filter((g) => g.rows.length > 0);
}

function span(cell: XmlElement, name: string, most: number): number {
  const text =
    cell.getAttribute(name) ?? cell.getAttribute(name === 'rowspan' ? 'rowSpan' : 'colSpan') ?? '1';
  return /^\d+$/.test(text.trim()) ? Math.min(Number(text), most) : 1;
}
