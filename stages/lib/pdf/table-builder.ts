/** Builds one table of a document from its parts on following pages, row by row. */
import { cellText } from './cell-text.js';
import type { Grid, GridCell } from './grid.js';
import { bannerPaths, isBanner } from './heads.js';
import type { Note } from './notes.js';
import type { PageTable } from './page-tables.js';
import { isValue } from './rows.js';
import type { Box } from './types.js';

/** A printed part of a cell, in reading position. */
export interface CellPart {
  readonly page: number;
  readonly box: Box;
  readonly printed: string;
}

export interface TableCell {
  readonly row: number;
  readonly col: number;
  readonly row_span: number;
  readonly col_span: number;
  readonly text: string;
  readonly parts: readonly CellPart[];
  readonly marks: readonly string[];
  readonly findings: readonly string[];
}

export interface TableRow {
  readonly row: number;
  readonly page: number;
  readonly is_header: boolean;
  readonly is_banner: boolean;
  readonly banner: string | null;
}

export interface DocumentTable {
  readonly pages: readonly number[];
  readonly cols: number;
  readonly caption: string | null;
  readonly notes: readonly Note[];
  readonly rows: readonly TableRow[];
  readonly cells: readonly TableCell[];
  readonly findings: readonly string[];
  readonly is_ruled: boolean;
}

export interface RowReject {
  readonly page: number;
  readonly row: number;
  readonly reason: 'first_cell_empty_at_page_top' | 'unmapped_glyph';
  readonly printed: string;
  readonly box: Box;
}

const SEPARATOR = ' > ';

interface Draft {
  row: number;
  readonly col: number;
  row_span: number;
  readonly col_span: number;
  text: string;
  readonly parts: CellPart[];
  readonly marks: string[];
  readonly findings: string[];
  isMapped: boolean;
}

/** Takes the parts in page order; `build` gives the table and what was refused. */
export class TableBuilder {
  readonly findings: string[] = [];
  lastPage: number;
  lastTable: PageTable;
  private readonly first: PageTable;
  private readonly pages: number[] = [];
  private readonly notes: Note[] = [];
  private readonly cells: Draft[] = [];
  private readonly rows: Omit<TableRow, 'row'>[] = [];
  private readonly rejects: RowReject[] = [];
  private carried: readonly string[] = [];
  private repeated = 0;
  private joinedRows = 0;
  private printed = 0;

  /** `isCut`: the table opens a page, and the one that ends the page before could not be joined with it. */
  constructor(page: number, table: PageTable, isCut: boolean) {
    this.first = table;
    this.lastTable = table;
    this.lastPage = page;
    this.append(page, table, table.head, isCut && table.head === 0);
  }

  /** Adds notes that are printed on the page after the table, as far as marks ask for them. */
  addNotes(notes: readonly Note[]): void {
    const asked = new Set(this.cells.flatMap((c) => c.marks));
    for (const n of notes)
      if (n.mark !== null && asked.has(n.mark) && !this.notes.some((o) => o.mark === n.mark))
        this.notes.push(n);
  }

  /** Adds a part of the table from the next page; a repeated head is left out. */
  add(page: number, table: PageTable): void {
    this.repeated += table.head;
    this.lastTable = table;
    this.lastPage = page;
    this.append(page, table, 0, true);
  }

  /** `keptHead` head rows of the part are kept; the others are a repetition. */
  private append(page: number, table: PageTable, keptHead: number, isCut: boolean): void {
    const { grid } = table;
    const skipped = table.head - keptHead;
    this.pages.push(page);
    this.notes.push(
      ...table.notes.filter((n) => !this.notes.some((o) => o.mark === n.mark && o.text === n.text)),
    );
    this.printed += grid.rows;
    const paths = bannerPaths(grid, table.head);
    const offset = this.rows.length - skipped;
    const refused = isCut ? this.topRows(page, grid, skipped) : new Set<number>();
    for (let r = skipped; r < grid.rows; r++) {
      const path = paths[r]!.length > 0 ? paths[r]! : this.carried;
      const is_banner = r >= table.head && isBanner(grid, r);
      this.rows.push({
        page,
        is_header: r < keptHead,
        is_banner,
        banner: path.length > 0 && r >= table.head ? path.join(SEPARATOR) : null,
      });
    }
    this.carry(grid, paths);
    for (const c of grid.cells) {
      if (c.row < skipped || refused.has(c.row)) continue;
      this.cells.push(draftOf(page, c, offset));
    }
  }

  /** The banners open at the end of a part hold on the next page. */
  private carry(grid: Grid, paths: readonly (readonly string[])[]): void {
    const last = paths.at(-1) ?? [];
    const own = grid.rows > 0 && isBanner(grid, grid.rows - 1);
    const text = own
      ? grid.cells.filter((c) => c.row === grid.rows - 1).map((c) => cellText(c.pieces).text)
      : [];
    const open = [...last, ...text];
    if (open.length > 0) this.carried = open;
  }

  /**
   * Rows at a page top whose first cell is empty: text that plainly goes on is joined with the row before, a cell that
   * was seen to span rows goes on spanning, and anything else is refused.
   */
  private topRows(page: number, grid: Grid, from: number): Set<number> {
    const refused = new Set<number>();
    const before = this.rows.length - 1;
    for (let r = from; r < grid.rows; r++) {
      const row = grid.cells.filter((c) => c.row <= r && c.row + c.row_span > r);
      if (row.some((c) => c.col === 0)) break;
      refused.add(r);
      const label = this.cells.find((c) => c.col === 0 && c.row + c.row_span - 1 >= before && c.row_span > 1);
      if (r === from && this.goesOn(row, before)) this.joinRow(page, row, before);
      else if (label) {
        label.row_span += 1;
        label.findings.push('spans_page_break');
        refused.delete(r);
      } else this.refuse(page, r, row, 'first_cell_empty_at_page_top');
    }
    return refused;
  }

  /** Every cell of the row plainly goes on with the one above, and, unless all begin small, some other cell has ended. */
  private goesOn(row: readonly GridCell[], before: number): boolean {
    const last = this.cells.filter((d) => d.col > 0 && covers(d, before));
    const pairs = row.map((c) => ({
      text: cellText(c.pieces).text,
      above: last.find((d) => d.col === c.col && d.col_span === c.col_span),
    }));
    if (pairs.some((p) => p.above === undefined || isValue(p.text))) return false;
    if (pairs.every((p) => beginsSmall(p.text))) return true;
    return pairs.length < last.length && pairs.every((p) => goesOnAs(p.above!.text, p.text));
  }

  private joinRow(page: number, row: readonly GridCell[], before: number): void {
    this.joinedRows++;
    for (const c of row) {
      const above = this.cells.find((d) => d.col === c.col && covers(d, before))!;
      const read = cellText(c.pieces);
      above.text = `${above.text} ${read.text}`.trim();
      above.parts.push({ page, box: c.box, printed: read.printed });
      above.marks.push(...read.marks);
    }
  }

  private refuse(page: number, row: number, cells: readonly GridCell[], reason: RowReject['reason']): void {
    const box = cells.reduce<Box>(
      (b, c) => [
        Math.min(b[0], c.box[0]),
        Math.min(b[1], c.box[1]),
        Math.max(b[2], c.box[2]),
        Math.max(b[3], c.box[3]),
      ],
      [Infinity, Infinity, -Infinity, -Infinity],
    );
    this.rejects.push({
      page,
      row,
      reason,
      printed: cells.map((c) => cellText(c.pieces).printed).join(' | '),
      box,
    });
  }

  build(): {
    table: DocumentTable;
    rejects: RowReject[];
    repeated: number;
    joinedRows: number;
    printed: number;
  } {
    this.refuseUnmapped();
    const kept = this.rows.map((_, r) => this.cells.some((c) => covers(c, r)));
    const number = kept.map((_, r) => kept.slice(0, r).filter(Boolean).length);
    const noted = new Set(this.notes.map((n) => n.mark));
    const cells = this.cells.map((c): TableCell => {
      const unlinked = c.marks.some((m) => !noted.has(m));
      return {
        row: number[c.row]!,
        col: c.col,
        row_span: number[c.row + c.row_span - 1]! - number[c.row]! + 1,
        col_span: c.col_span,
        text: c.text,
        parts: c.parts,
        marks: [...new Set(c.marks)],
        findings: [...new Set([...c.findings, ...(unlinked ? ['mark_without_note'] : [])])].sort(),
      };
    });
    return {
      table: {
        pages: this.pages,
        cols: this.first.grid.cols,
        caption: this.first.caption,
        notes: this.notes,
        rows: this.rows.flatMap((r, i) => (kept[i] ? [{ ...r, row: number[i]! }] : [])),
        cells: cells.sort((a, b) => a.row - b.row || a.col - b.col),
        findings: this.findings,
        is_ruled: this.first.kind !== 'text',
      },
      rejects: this.rejects,
      repeated: this.repeated,
      joinedRows: this.joinedRows,
      printed: this.printed,
    };
  }

  /**
   * A row with a glyph that has no known character is refused whole, with the rows that share a cell with it: a dropped
   * letter changes a name. Below such a head, all rows are.
   */
  private refuseUnmapped(): void {
    const bad = new Set(this.cells.filter((c) => !c.isMapped).flatMap(span));
    if ([...bad].some((r) => this.rows[r]!.is_header))
      for (const c of this.cells) for (const r of span(c)) bad.add(r);
    for (let size = 0; size !== bad.size; ) {
      size = bad.size;
      for (const c of this.cells) if (span(c).some((r) => bad.has(r))) for (const r of span(c)) bad.add(r);
    }
    for (const r of [...bad].sort((a, b) => a - b)) {
      const row = this.cells.filter((c) => covers(c, r));
      this.rejects.push({
        page: this.rows[r]!.page,
        row: r,
        reason: 'unmapped_glyph',
        printed: row.flatMap((c) => c.parts.map((p) => p.printed)).join(' | '),
        box: row[0]!.parts[0]!.box,
      });
    }
    const left = this.cells.filter((c) => !span(c).some((r) => bad.has(r)));
    this.cells.splice(0, this.cells.length, ...left);
  }
}

const span = (c: Draft): number[] => Array.from({ length: c.row_span }, (_, i) => c.row + i);
const covers = (c: Draft, row: number): boolean => c.row <= row && c.row + c.row_span > row;

const beginsSmall = (text: string): boolean => /^[a-z(,;]/.test(text);

/** Text goes on when it begins small, or when the text before it has no end and it is no number. */
const goesOnAs = (before: string, text: string): boolean =>
  beginsSmall(text) || (!/[.!?:;)\]"”]$/.test(before) && !/^[\d<>≤≥]/.test(text));

function draftOf(page: number, c: GridCell, offset: number): Draft {
  const read = cellText(c.pieces);
  return {
    row: c.row + offset,
    col: c.col,
    row_span: c.row_span,
    col_span: c.col_span,
    text: read.text,
    parts: [{ page, box: c.box, printed: read.printed }],
    marks: [...read.marks],
    findings: [
      ...(read.is_spacing_doubtful ? ['spacing_doubtful'] : []),
      ...(read.is_doubtful ? ['glyph_doubtful'] : []),
    ],
    isMapped: read.is_mapped,
  };
}
