/** Which rows are head, and which rows are banners that hold for the rows below. */
import { cellText } from './cell-text.js';
import type { Grid, GridCell } from './grid.js';
import { isValue } from './rows.js';
import { textOf } from './text-lines.js';

const BOLD = /bold|black|heavy|demi|semibold/i;

const fontOf = (c: GridCell): string => c.pieces.find((p) => p.raised === 'no')?.font ?? '';
const holdsValue = (c: GridCell): boolean => isValue(textOf(c.pieces));
const rowCells = (g: Grid, r: number): GridCell[] =>
  g.cells.filter((c) => c.row <= r && c.row + c.row_span > r);

/** True when a row is one text across all columns, or a lone label in the first of three or more columns. */
export function isBanner(g: Grid, r: number): boolean {
  const cells = rowCells(g, r);
  const [only] = cells;
  if (cells.length !== 1 || !only || only.row_span > 1) return false;
  return only.col === 0 && (only.col_span === g.cols || g.cols >= 3) && !holdsValue(only);
}

/** The number of head rows: those above a rule that sets them apart, or those that differ in type or kind from the body. */
export function headRows(g: Grid): number {
  const first = spanned(g, Math.max(1, Math.min(g.head_rows, g.rows - 1)));
  if (first >= g.rows) return 0;
  if (g.is_head_ruled) return first;
  for (const n of [first, first + 1]) {
    if (n < g.rows && isOtherType(g, n)) return n;
  }
  return isOtherKind(g, first) ? first : 0;
}

/** Rows are added while a cell of the head reaches below it or spans columns that are named in the next row. */
function spanned(g: Grid, rows: number): number {
  let n = rows;
  for (let r = 0; r < n && n < g.rows; r++) {
    const cells = g.cells.filter((c) => c.row === r);
    if (cells.length === 1 && cells[0]!.col_span === g.cols) n = Math.max(n, r + 2);
    for (const c of cells) {
      n = Math.max(n, c.row + c.row_span);
      if (c.col_span > 1 && c.col_span < g.cols && r === n - 1) n = Math.max(n, c.row + c.row_span + 1);
    }
  }
  return n;
}

/** The first `n` rows are of one bold type that the body has seldom. */
function isOtherType(g: Grid, n: number): boolean {
  const head = g.cells.filter((c) => c.row < n);
  const body = g.cells.filter((c) => c.row >= n && !isBanner(g, c.row));
  const share = (cells: readonly GridCell[]): number =>
    cells.filter((c) => BOLD.test(fontOf(c))).length / Math.max(1, cells.length);
  return share(head) >= 0.8 && share(body) <= 0.5;
}

/** The head has no values, and columns below it have. */
function isOtherKind(g: Grid, n: number): boolean {
  const head = g.cells.filter((c) => c.row < n);
  if (head.some(holdsValue)) return false;
  const body = g.cells.filter((c) => c.row >= n && c.col > 0);
  return body.length > 0 && body.filter(holdsValue).length >= 0.4 * body.length;
}

interface Banner {
  readonly text: string;
  readonly x0: number;
  readonly row: number;
  /** True for a text across all columns, false for a label in the first one. */
  readonly isWide: boolean;
  /** True once a row below it is indented: it then ends where a row is not. */
  isIndenting: boolean;
}

/** The banners that hold for every row, outermost first; a banner row has those above it, without itself. */
export function bannerPaths(g: Grid, head: number): (readonly string[])[] {
  const out: (readonly string[])[] = [];
  let open: Banner[] = [];
  for (let r = 0; r < g.rows; r++) {
    const isOne = r >= head && isBanner(g, r);
    if (isOne) open = open.filter((b) => holdsFor(b, bannerOf(g, r)));
    else open = open.filter((b) => holdsForRow(b, g, r));
    out.push(open.map((b) => b.text));
    if (isOne) open.push(bannerOf(g, r));
  }
  return out;
}

function bannerOf(g: Grid, r: number): Banner {
  const cell = rowCells(g, r)[0]!;
  return {
    text: cellText(cell.pieces).text,
    x0: Math.min(...cell.pieces.map((p) => p.x0)),
    row: r,
    isWide: cell.col_span === g.cols,
    isIndenting: false,
  };
}

/** A label with indented rows below it ends at the first row that is not indented. */
function holdsForRow(b: Banner, g: Grid, r: number): boolean {
  const label = g.cells.find((c) => c.row === r && c.col === 0);
  if (b.isWide || !label) return true;
  const isIndented = Math.min(...label.pieces.map((p) => p.x0)) > b.x0 + 2;
  b.isIndenting ||= isIndented && r === b.row + 1;
  return isIndented || !b.isIndenting;
}

/** A banner goes on above another one that stands right below it, that is indented, or that is a label under a wide one. */
function holdsFor(above: Banner, next: Banner): boolean {
  if (above.isWide) return !next.isWide || above.row === next.row - 1;
  return !next.isWide && next.x0 > above.x0 + 2;
}
