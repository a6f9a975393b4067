/** Scores of the product and of pdf-parse on the documents with cell truth. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PDFParse } from 'pdf-parse';
import { cellText } from '../../stages/lib/pdf/cell-text.js';
import { documentTables, type ReadPage } from '../../stages/lib/pdf/document.js';
import { pageTables } from '../../stages/lib/pdf/page-tables.js';
import { toReading, turnBox } from '../../stages/lib/pdf/upright.js';
import { PDF_TABLES } from '../support/pdf-data.js';
import { pagesOf } from '../support/pdf-tables.js';
import { type Measures, measures, type Score, type ScoredTable, scoreDocument } from './adjacency.js';
import { epaTables, truthRegions, truthTables } from './truth.js';

export const pdfPath = (name: string): string => join(PDF_TABLES, `${name}.pdf`);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(pdfPath(name)));

/** What is printed in the cells of the tables that the product finds by itself. */
export function foundTables(pages: readonly ReadPage[]): ScoredTable[] {
  return documentTables(pages).tables.map((t) => ({
    page: t.pages[0]!,
    cells: t.cells.map((c) => ({ ...c, text: c.parts.map((p) => p.printed).join('\n') })),
  }));
}

/** The same where the regions of the tables are given. */
export function structureTables(
  pages: readonly ReadPage[],
  regions: readonly { readonly page: number; readonly box: readonly [number, number, number, number] }[],
): ScoredTable[] {
  return pages.flatMap((p) => {
    const boxes = regions
      .filter((r) => r.page === p.page)
      .map((r) => turnBox(r.box, (x, y) => toReading(p.turn, x, y)));
    return pageTables(p, boxes).map(({ grid }) => ({
      page: p.page,
      cells: grid.cells.map((c) => ({ ...c, text: cellText(c.pieces).printed })),
    }));
  });
}

/** pdf-parse's own tables: rows of texts, without spans. */
export async function peerTables(name: string): Promise<ScoredTable[]> {
  const parser = new PDFParse({ data: bytesOf(name), verbosity: 0 });
  try {
    const { pages } = await parser.getTable();
    return pages.flatMap((p) =>
      p.tables.map((rows) => ({
        page: p.num,
        cells: rows.flatMap((row, r) =>
          row.map((text, c) => ({ row: r, col: c, row_span: 1, col_span: 1, text: text ?? '' })),
        ),
      })),
    );
  } finally {
    await parser.destroy();
  }
}

export interface DocumentScore {
  readonly name: string;
  readonly pages: number;
  readonly end_to_end: Score & Measures;
  readonly structure: Score & Measures;
}

const scored = (found: readonly ScoredTable[], expected: readonly ScoredTable[]): Score & Measures => {
  const score = scoreDocument(found, expected);
  return { ...score, ...measures(score) };
};

/** End to end and with regions given. */
export async function scoreProduct(name: string): Promise<DocumentScore> {
  const pages = await pagesOf(bytesOf(name), name);
  const expected = truthTables(name);
  return {
    name,
    pages: pages.length,
    end_to_end: scored(foundTables(pages), expected),
    structure: scored(structureTables(pages, truthRegions(name)), expected),
  };
}

/** The peer, end to end. */
export async function scorePeer(name: string): Promise<Score & Measures> {
  return scored(await peerTables(name), truthTables(name));
}

/** The EPA page, the product and the peer. */
export async function scoreEpa(): Promise<{
  readonly product: Score & Measures;
  readonly peer: Score & Measures;
}> {
  const name = 'epa-spanning-cells';
  const pages = await pagesOf(bytesOf(name), name);
  return {
    product: scored(foundTables(pages), epaTables()),
    peer: scored(await peerTables(name), epaTables()),
  };
}
