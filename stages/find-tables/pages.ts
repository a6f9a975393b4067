/** Pages in reading position, rebuilt from the tables of words and rules. */
import type { SqlRow, StageContext } from '../contract.js';
import type { Box, Piece, Rule } from '../lib/pdf/types.js';
import { type Turn, toReading, turnBox } from '../lib/pdf/upright.js';

export interface LoadedPage {
  readonly page: number;
  readonly turn: Turn;
  readonly pieces: Piece[];
  readonly rules: { readonly across: Rule[]; readonly down: Rule[] };
}

interface BoxRow {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}
type WordRow = BoxRow & {
  readonly page: number;
  readonly text: string;
  readonly baseline: number;
  readonly size: number;
  readonly font: string;
  readonly is_mapped: boolean;
  readonly is_doubtful: boolean;
};
type RuleRow = BoxRow & {
  readonly page: number;
  readonly is_across: boolean;
  readonly thickness: number;
  readonly breaks: string | null;
};

/** The pages of a document, in order. */
export async function loadPages(ctx: StageContext, document_id: string): Promise<LoadedPage[]> {
  const of = { document_id };
  const pages = await ctx.sql.rows<{ page: number; reading_angle: Turn } & SqlRow>(
    'select page, reading_angle from pdf_pages where document_id = $document_id order by page',
    of,
  );
  const out = new Map<number, LoadedPage>(
    pages.map((p) => [
      p.page,
      { page: p.page, turn: p.reading_angle, pieces: [], rules: { across: [], down: [] } },
    ]),
  );
  const words = await ctx.sql.rows<WordRow & SqlRow>(
    'select * from pdf_words where document_id = $document_id order by page, word',
    of,
  );
  for (const w of words) out.get(w.page)!.pieces.push(pieceOf(w, out.get(w.page)!.turn));
  const rules = await ctx.sql.rows<RuleRow & SqlRow>(
    'select * from pdf_rules where document_id = $document_id order by page, rule',
    of,
  );
  for (const r of rules) {
    const page = out.get(r.page)!;
    (r.is_across ? page.rules.across : page.rules.down).push(ruleOf(r, page.turn));
  }
  return [...out.values()];
}

const reading = (r: BoxRow, turn: Turn): Box =>
  turnBox([r.x0, r.y0, r.x1, r.y1], (x, y) => toReading(turn, x, y));

function pieceOf(w: WordRow, turn: Turn): Piece {
  const [x0, , x1] = reading(w, turn);
  const { text, baseline: base, size, font, is_mapped, is_doubtful } = w;
  return { text, x0, x1, base, size, font, is_mapped, is_doubtful };
}

function ruleOf(r: RuleRow, turn: Turn): Rule {
  const [x0, y0, x1, y1] = reading(r, turn);
  const place = r.is_across ? { at: y0, from: x0, to: x1 } : { at: x0, from: y0, to: y1 };
  return {
    ...place,
    thickness: r.thickness,
    breaks: r.breaks === null ? [] : r.breaks.split(' ').map(Number),
  };
}
