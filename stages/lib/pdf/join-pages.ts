/** Puts the tables of a document together: parts on following pages become one table where their columns agree. */
import { cellText } from './cell-text.js';
import type { Grid } from './grid.js';
import { type Note, notesOf } from './notes.js';
import type { PageTable } from './page-tables.js';
import { type DocumentTable, type RowReject, TableBuilder } from './table-builder.js';
import { type TextLine, textOf } from './text-lines.js';

export interface PageOfTables {
  readonly page: number;
  readonly tables: readonly PageTable[];
  /** The first and last lines of the page, for what repeats on every page. */
  readonly edges: readonly string[];
  /** The lines above the first table of the page. */
  readonly before: readonly TextLine[];
}

export interface Joined {
  readonly tables: readonly DocumentTable[];
  readonly rejects: readonly RowReject[];
  /** Printed rows that became no row of their own. */
  readonly repeated_headers: number;
  readonly joined_rows: number;
  readonly printed_rows: number;
}

/** Lines of notes stand at most this far apart, in type sizes. */
const NOTE_GAP = 1.9;
/** Edges of columns that agree differ by at most this, in points. */
const SAME_EDGE = 3;

/** Joins the tables of all pages of a document, in order. */
export function joinPages(pages: readonly PageOfTables[]): Joined {
  const running = runningLines(pages);
  const builders: TableBuilder[] = [];
  for (const [i, page] of pages.entries()) {
    for (const [k, table] of page.tables.entries()) {
      const last = builders.at(-1);
      const isNext =
        k === 0 &&
        last !== undefined &&
        last.lastPage === page.page - 1 &&
        pages[i - 1]?.tables.at(-1) === last.lastTable;
      const fit = isNext ? fitOf(last.lastTable, table, running) : 'apart';
      if (fit === 'joined') last!.add(page.page, table);
      else {
        const isCut = fit === 'cut' || fit === 'continued_with_other_columns';
        builders.push(new TableBuilder(page.page, table, isCut));
        if (fit === 'continued_with_other_columns') builders.at(-1)!.findings.push(fit);
      }
    }
  }
  for (const b of builders) {
    const next = pages.find((p) => p.page === b.lastPage + 1);
    if (next && b.lastTable.below.every(running)) b.addNotes(notesAtTop(next.before, running));
  }
  const built = builders.map((b) => b.build());
  const sum = (f: (b: (typeof built)[number]) => number): number => built.reduce((s, b) => s + f(b), 0);
  return {
    tables: built.map((b) => b.table).filter((t) => t.cells.length > 0),
    rejects: built.flatMap((b) => b.rejects),
    repeated_headers: sum((b) => b.repeated),
    joined_rows: sum((b) => b.joinedRows),
    printed_rows: sum((b) => b.printed),
  };
}

const fold = (text: string): string => text.replace(/\d+/g, '#').replace(/\s+/g, '').toLowerCase();
const PAGE_NUMBER = /^(page)?#?([-–—./]|of)*#*$/;

/** Lines at page edges that stand on two pages or are page numbers. */
function runningLines(pages: readonly PageOfTables[]): (text: string) => boolean {
  const seen = new Map<string, Set<number>>();
  for (const p of pages)
    for (const e of p.edges) seen.set(fold(e), (seen.get(fold(e)) ?? new Set()).add(p.page));
  return (text) => PAGE_NUMBER.test(fold(text)) || (seen.get(fold(text))?.size ?? 0) > 1;
}

/** Notes at the top of a page, above any other text: those of a table that ends the page before. */
function notesAtTop(lines: readonly TextLine[], isRunning: (text: string) => boolean): Note[] {
  const left = lines.filter((l) => !isRunning(textOf(l.pieces)));
  const out: TextLine[] = [];
  for (const line of left) {
    const gap = out.length > 0 ? line.base - out.at(-1)!.base : 0;
    if (out.length === 0 ? notesOf([line]).length === 0 : gap > NOTE_GAP * line.size) break;
    out.push(line);
  }
  return notesOf(out);
}

const CONTINUED = /\bcont(inued|'?d|\.)/i;
const tableNumber = (caption: string | null): string | null =>
  caption === null ? null : (/[A-Z]{0,3}[-.–]?\d[\d.–-]*/i.exec(caption.replace(/^\S+\s+/, ''))?.[0] ?? null);

/** Whether the first table of a page goes on with the last table of the page before. */
function fitOf(
  a: PageTable,
  b: PageTable,
  isRunning: (text: string) => boolean,
): 'joined' | 'apart' | 'cut' | 'continued_with_other_columns' {
  const between = [...a.below, ...b.above].filter((t) => !isRunning(t) && !CONTINUED.test(t));
  const [na, nb] = [tableNumber(a.caption), tableNumber(b.caption)];
  if (between.length > 0 || (nb !== null && nb !== na)) return 'apart';
  const isSaid = CONTINUED.test(b.caption ?? '') || (na !== null && na === nb);
  const hasSameHead = b.head > 0 && headText(a) === headText(b);
  const isSame = a.grid.cols === b.grid.cols && (hasSameHead || (b.head === 0 && edgesAgree(a.grid, b.grid)));
  if (isSame) return 'joined';
  if (isSaid) return 'continued_with_other_columns';
  return b.caption === null ? 'cut' : 'apart';
}

const headText = (t: PageTable): string =>
  t.grid.cells
    .filter((c) => c.row < t.head)
    .map((c) => `${c.row},${c.col},${cellText(c.pieces).text}`)
    .join('|');

/** Column by column, the left edges, the right edges or the middles of the text agree, or the borders do. */
function edgesAgree(a: Grid, b: Grid): boolean {
  const bordersAgree =
    a.borders.length === b.borders.length &&
    a.borders.every((x, i) => Math.abs(x.x - b.borders[i]!.x) <= SAME_EDGE);
  if (bordersAgree) return true;
  return Array.from({ length: a.cols }, (_, c) => c).every((c) => {
    const [p, q] = [extent(a, c), extent(b, c)];
    if (!p || !q) return true;
    const near = (x: number, y: number): boolean => Math.abs(x - y) <= SAME_EDGE;
    return near(p[0], q[0]) || near(p[1], q[1]) || near((p[0] + p[1]) / 2, (q[0] + q[1]) / 2);
  });
}

function extent(g: Grid, col: number): readonly [number, number] | null {
  const pieces = g.cells.filter((c) => c.col === col && c.col_span === 1).flatMap((c) => c.pieces);
  if (pieces.length === 0) return null;
  return [Math.min(...pieces.map((p) => p.x0)), Math.max(...pieces.map((p) => p.x1))];
}
