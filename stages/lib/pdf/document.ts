/** From pages as they are drawn to the tables of a document. */
import type { PdfPage } from '../../contract.js';
import { type Joined, joinPages, type PageOfTables } from './join-pages.js';
import { leftEdges, pageTables } from './page-tables.js';
import { piecesOf, turnedText } from './pieces.js';
import { rulesOf } from './rules.js';
import { linesOf, place, textOf } from './text-lines.js';
import type { Piece, Rules } from './types.js';
import { mainTurn, type Turn } from './upright.js';

/** A page in reading position. */
export interface ReadPage {
  readonly page: number;
  readonly turn: Turn;
  readonly pieces: readonly Piece[];
  readonly rules: Rules;
  /** Text that runs in another direction; it is no part of any line. */
  readonly turned: string;
  readonly hidden_n: number;
}

/** Pieces and rules of a page. */
export function readPage(page: PdfPage): ReadPage {
  const visible = page.glyphs.filter((g) => g.is_visible);
  const turn = mainTurn(visible);
  return {
    page: page.page,
    turn,
    pieces: piecesOf(visible, turn),
    rules: rulesOf(page.shapes, turn),
    turned: turnedText(visible, turn),
    hidden_n: page.glyphs.length - visible.length,
  };
}

/** Lines at the top and at the bottom of a page that may repeat on every page. */
const EDGE_LINES = 3;

/** The tables of a document; `pages` in order. */
export function documentTables(pages: readonly Pick<ReadPage, 'page' | 'pieces' | 'rules'>[]): Joined {
  const found: PageOfTables[] = [];
  for (const p of pages) {
    const lines = linesOf(place(p.pieces));
    const before = found.at(-1)?.tables.at(-1);
    const known = before && !before.grid.borders.every((b) => b.is_ruled) ? leftEdges(before.grid) : [];
    const tables = pageTables({ ...p, known });
    const first = tables[0]?.grid.box[1] ?? Infinity;
    found.push({
      page: p.page,
      tables,
      edges: [...lines.slice(0, EDGE_LINES), ...lines.slice(-EDGE_LINES)].map((l) => textOf(l.pieces)),
      before: lines.filter((l) => l.base < first),
    });
  }
  return joinPages(found);
}
