/**
 * Prints a table as a PDF and says what a reader should find in it, cell by cell. The same rows and options give the same
 * bytes. Widths and line breaks are those of the standard fonts, so nothing depends on the machine.
 */
import { type Pdf, printPdf } from './print-pdf.js';

export interface PrintedCell {
  readonly text: string;
  readonly row_span?: number;
  readonly col_span?: number;
  /** A raised mark behind the text. */
  readonly mark?: string;
  readonly is_underlined?: boolean;
}

/** A row of cells (places covered by a span are left out), or a text across all columns. */
export type PrintedRow = readonly (string | PrintedCell)[] | { readonly banner: string };

export interface TableOptions {
  readonly columns: readonly { readonly head: string; readonly width: number }[];
  /** `grid`: every cell has a border; `rules`: above and below the head and below the table; `none`. Default grid. */
  readonly borders?: 'grid' | 'rules' | 'none';
  /** How the text is cut when it is drawn; default line. */
  readonly by?: 'line' | 'word' | 'letter';
  /** Print the head on every page; default true. */
  readonly repeatHead?: boolean;
  /** Let a row run over the page end, line by line; default false. */
  readonly splitRows?: boolean;
  readonly caption?: string;
  readonly notes?: readonly { readonly mark: string; readonly text: string }[];
  /** A line that runs up the left margin of every page. */
  readonly marginLine?: string;
  readonly size?: [number, number];
  /** Points from the top of the page to the table; default 60. */
  readonly top?: number;
  readonly left?: number;
}

/** A cell as it should be found. */
export interface ExpectedCell {
  readonly row: number;
  readonly col: number;
  readonly row_span: number;
  readonly col_span: number;
  readonly text: string;
  readonly marks: readonly string[];
  /** Page of its first printed part, 1-based. */
  readonly page: number;
}

export interface PrintedTable {
  readonly bytes: Uint8Array;
  readonly cells: readonly ExpectedCell[];
  readonly pages: number;
}

const FONT = 'Helvetica';
const BOLD = 'Helvetica-Bold';
const SIZE = 9;
const LEADING = 11;
const PAD = 3;
const BOTTOM = 70;

interface Box {
  readonly x: number;
  readonly width: number;
  readonly lines: readonly string[];
  readonly cell: PrintedCell;
  readonly col: number;
}

/** Prints rows under a head. */
export async function printTable(rows: readonly PrintedRow[], options: TableOptions): Promise<PrintedTable> {
  let printed: Omit<PrintedTable, 'bytes'> = { cells: [], pages: 0 };
  const bytes = await printPdf(
    (doc) => {
      printed = new Printer(doc, options).print(rows);
    },
    { size: options.size ?? [595, 842] },
  );
  return { bytes, ...printed };
}

const asCell = (c: string | PrintedCell): PrintedCell => (typeof c === 'string' ? { text: c } : c);

/** Draws one table into a document, from the top of its current page. */
export class Printer {
  private readonly doc: Pdf;
  private readonly o: TableOptions;
  private readonly xs: readonly number[];
  private readonly cells: ExpectedCell[] = [];
  private page = 1;
  private y: number;
  private row = 0;
  /** Rows still to be covered by a span, by column. */
  private readonly open = new Map<number, { left: number; span: number }>();

  constructor(doc: Pdf, options: TableOptions) {
    this.doc = doc;
    this.o = options;
    const xs = [options.left ?? 60];
    for (const c of options.columns) xs.push(xs.at(-1)! + c.width);
    this.xs = xs;
    this.y = options.top ?? 60;
  }

  print(rows: readonly PrintedRow[]): Omit<PrintedTable, 'bytes'> {
    this.startPage();
    if (this.o.caption) this.caption(this.o.caption);
    this.head(true);
    for (const row of rows) this.printRow(row);
    this.closeRules();
    this.notes();
    return { cells: this.cells, pages: this.page };
  }

  private startPage(): void {
    const { marginLine } = this.o;
    if (!marginLine) return;
    const [, height] = this.o.size ?? [595, 842];
    this.doc.save().rotate(-90, { origin: [20, height - 80] });
    this.doc
      .font(FONT)
      .fontSize(7)
      .text(marginLine, 20, height - 80, { lineBreak: false });
    this.doc.restore();
  }

  private caption(text: string): void {
    this.doc
      .font(BOLD)
      .fontSize(SIZE + 1)
      .text(text, this.xs[0]!, this.y - 20, { lineBreak: false });
  }

  private head(isFirst: boolean): void {
    const cells = this.o.columns.map((c) => ({ text: c.head }));
    this.rule(this.y);
    const boxes = this.boxes(cells, BOLD, new Map());
    const height = this.heightOf(boxes);
    for (const b of boxes) this.draw(b, this.y, BOLD);
    if (isFirst) this.note(boxes);
    this.frames(boxes, this.y, height);
    this.y += height;
    this.rule(this.y);
  }

  private boxes(cells: readonly PrintedCell[], font: string, open = this.open): Box[] {
    const out: Box[] = [];
    let col = 0;
    for (const cell of cells) {
      while ((open.get(col)?.left ?? 0) > 0) col += open.get(col)!.span;
      const span = cell.col_span ?? 1;
      const width = this.xs[col + span]! - this.xs[col]!;
      out.push({
        x: this.xs[col]!,
        width,
        col,
        cell,
        lines: this.wrap(cell.text, width - 2 * PAD - 6, font),
      });
      col += span;
    }
    return out;
  }

  private wrap(text: string, width: number, font: string): string[] {
    this.doc.font(font).fontSize(SIZE);
    const lines: string[] = [];
    for (const word of text.split(' ')) {
      const next = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && this.doc.widthOfString(next) <= width) lines[lines.length - 1] = next;
      else lines.push(word);
    }
    return lines;
  }

  private heightOf(boxes: readonly Box[]): number {
    return (
      Math.max(...boxes.filter((b) => (b.cell.row_span ?? 1) === 1).map((b) => b.lines.length), 1) * LEADING +
      2 * PAD
    );
  }

  private printRow(row: PrintedRow): void {
    if ('banner' in row) {
      this.body([{ text: row.banner, col_span: this.o.columns.length }], BOLD);
      return;
    }
    this.body(row.map(asCell), FONT);
  }

  private body(cells: readonly PrintedCell[], font: string): void {
    const boxes = this.boxes(cells, font);
    const height = this.heightOf(boxes);
    const room = this.bottom() - this.y;
    if (height > room && !this.o.splitRows) this.turn();
    if (height <= room || !this.o.splitRows) this.whole(boxes, height, font);
    else this.split(boxes, Math.floor((room - 2 * PAD) / LEADING), font);
  }

  private whole(boxes: readonly Box[], height: number, font: string): void {
    for (const b of boxes) this.draw(b, this.y, font);
    this.note(boxes);
    this.frames(boxes, this.y, height);
    this.endRow(boxes);
    this.y += height;
  }

  /** Prints the first lines of a row, turns the page, and prints the rest. */
  private split(boxes: readonly Box[], lines: number, font: string): void {
    if (lines < 1) {
      this.turn();
      this.whole(boxes, this.heightOf(boxes), font);
      return;
    }
    const first = boxes.map((b) => ({ ...b, lines: b.lines.slice(0, lines) }));
    for (const b of first) this.draw(b, this.y, font);
    this.note(boxes);
    this.frames(first, this.y, this.heightOf(first));
    this.y += this.heightOf(first);
    this.turn();
    const rest = boxes.map((b) => ({ ...b, lines: b.lines.slice(lines) }));
    for (const b of rest) this.draw(b, this.y, font);
    this.frames(rest, this.y, this.heightOf(rest));
    this.endRow(boxes);
    this.y += this.heightOf(rest);
  }

  private endRow(boxes: readonly Box[]): void {
    for (const [col, o] of this.open) this.open.set(col, { ...o, left: o.left - 1 });
    for (const b of boxes) {
      const rows = b.cell.row_span ?? 1;
      if (rows > 1) this.open.set(b.col, { left: rows - 1, span: b.cell.col_span ?? 1 });
    }
  }

  private bottom(): number {
    return (this.o.size ?? [595, 842])[1] - BOTTOM;
  }

  private turn(): void {
    this.closeRules();
    this.doc.addPage();
    this.page++;
    this.y = this.o.top ?? 60;
    this.startPage();
    if (this.o.repeatHead ?? true) this.head(false);
    else this.rule(this.y);
  }

  private note(boxes: readonly Box[]): void {
    for (const b of boxes) {
      const { text, mark, row_span = 1, col_span = 1 } = b.cell;
      if (text !== '')
        this.cells.push({
          row: this.row,
          col: b.col,
          row_span,
          col_span,
          text,
          marks: mark ? [mark] : [],
          page: this.page,
        });
    }
    this.row++;
  }

  private draw(b: Box, y: number, font: string): void {
    const doc = this.doc.font(font).fontSize(SIZE);
    for (const [i, line] of b.lines.entries()) {
      const [x, at] = [b.x + PAD, y + PAD + i * LEADING];
      this.text(line, x, at);
      const width = doc.widthOfString(line);
      if (b.cell.is_underlined)
        doc
          .lineWidth(0.5)
          .moveTo(x, at + SIZE)
          .lineTo(x + width, at + SIZE)
          .stroke();
      if (b.cell.mark && i === b.lines.length - 1) {
        doc.fontSize(SIZE * 0.6);
        this.text(b.cell.mark, x + width, at - 1.5);
        doc.fontSize(SIZE);
      }
    }
  }

  /** Draws a line whole, word by word or letter by letter, each piece at its place. */
  private text(line: string, x: number, y: number): void {
    const pattern = { line: /.+/g, word: /\S+/g, letter: /\S/g }[this.o.by ?? 'line'];
    for (const m of line.matchAll(pattern)) {
      const before = this.doc.widthOfString(line.slice(0, m.index));
      this.doc.text(m[0], x + before, y, { lineBreak: false });
    }
  }

  private frames(boxes: readonly Box[], y: number, height: number): void {
    if ((this.o.borders ?? 'grid') !== 'grid') return;
    const [left, right] = [this.xs[0]!, this.xs.at(-1)!];
    this.doc.lineWidth(0.5);
    for (const x of [left, right])
      this.doc
        .moveTo(x, y)
        .lineTo(x, y + height)
        .stroke();
    for (const b of boxes) {
      this.doc
        .moveTo(b.x + b.width, y)
        .lineTo(b.x + b.width, y + height)
        .stroke();
      this.doc
        .moveTo(b.x, y)
        .lineTo(b.x + b.width, y)
        .stroke();
    }
    for (const [col, o] of this.open) {
      if (o.left < 1) continue;
      const x = this.xs[col + o.span]!;
      this.doc
        .moveTo(x, y)
        .lineTo(x, y + height)
        .stroke();
    }
  }

  private closeRules(): void {
    if ((this.o.borders ?? 'grid') === 'none') return;
    this.doc.lineWidth(0.5).moveTo(this.xs[0]!, this.y).lineTo(this.xs.at(-1)!, this.y).stroke();
  }

  private rule(y: number): void {
    if ((this.o.borders ?? 'grid') === 'none') return;
    this.doc.lineWidth(0.8).moveTo(this.xs[0]!, y).lineTo(this.xs.at(-1)!, y).stroke();
  }

  private notes(): void {
    let y = this.y + 6;
    for (const n of this.o.notes ?? []) {
      this.doc
        .font(FONT)
        .fontSize(5)
        .text(n.mark, this.xs[0]!, y - 1, { lineBreak: false });
      this.doc.fontSize(8).text(n.text, this.xs[0]! + 6, y, { lineBreak: false });
      y += 11;
    }
  }
}
