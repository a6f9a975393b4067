/** The tables of one page in reading position, with their captions and notes. */
import { borderlessRegions } from './borderless.js';
import { extend } from './extend.js';
import { type Grid, type GridCell, gridOf } from './grid.js';
import { headRows } from './heads.js';
import { isCaption, isNote, type Note, notesOf } from './notes.js';
import { overlaps, type Region, ruledRegions } from './regions.js';
import { isUnderline } from './rules.js';
import { linesOf, phrasesOf, place, spacesOf, type TextLine, textOf } from './text-lines.js';
import { type Box, bottom, type Piece, type Placed, type Rules, top } from './types.js';

export interface PageInput {
  readonly pieces: readonly Piece[];
  readonly rules: Rules;
  /** Left edges of the columns of a table without row rules that ends the page before. */
  readonly known?: readonly number[];
}

/** A table of one page. */
export interface PageTable {
  readonly grid: Grid;
  readonly kind: Region['kind'];
  readonly head: number;
  readonly caption: string | null;
  readonly notes: readonly Note[];
  /** Lines between this table and the one above (or the top of the page), without its own caption. */
  readonly above: readonly string[];
  /** Lines below the table down to the next one (or the end of the page), without its notes. */
  readonly below: readonly string[];
}

/** Finds the tables of a page, from top to bottom. `given` regions take the place of the search. */
export function pageTables({ pieces, rules, known = [] }: PageInput, given?: readonly Box[]): PageTable[] {
  const placed = place(pieces);
  const space = spacesOf(placed);
  const lines = linesOf(placed);
  const real: Rules = { ...rules, across: rules.across.filter((r) => !isUnderline(r, pieces, rules)) };
  const ruled = dropCovered(
    ruledRegions(real, lines, space).map((r) => extend(r, { lines, rules: real, space })),
  );
  const grids = (
    regions: readonly Region[],
    edges: readonly number[] = [],
  ): { region: Region; grid: Grid }[] =>
    regions
      .map((region) => ({ region, grid: gridOf(region, linesIn(placed, region.box), space, edges) }))
      .filter(({ region, grid }) => isTable(grid, region.kind !== 'text'));
  if (given) return given.map((box) => inRegion(box, { placed, rules: real, space, lines }));
  const found = grids(ruled);
  const more = grids(
    borderlessRegions(
      lines,
      found.map((f) => f.region.box),
      space,
      known,
    ),
    known,
  );
  return [...found, ...more]
    .sort((a, b) => a.region.box[1] - b.region.box[1] || a.region.box[0] - b.region.box[0])
    .map(({ region, grid }, i, all) =>
      finish(
        region,
        grid,
        lines,
        all.map((a) => a.region.box),
        i,
      ),
    );
}

interface Around {
  readonly placed: readonly Placed[];
  readonly rules: Rules;
  readonly space: (p: Placed) => number;
  readonly lines: readonly TextLine[];
}

function inRegion(box: Box, { placed, rules, space, lines }: Around): PageTable {
  const [x0, y0, x1, y1] = [box[0] - 4, box[1] - 4, box[2] + 4, box[3] + 4];
  const region: Region = {
    kind: 'grid',
    box,
    rules: {
      across: rules.across.filter((r) => r.at > y0 && r.at < y1 && r.from < x1 && r.to > x0),
      down: rules.down.filter((r) => r.at > x0 && r.at < x1 && r.from < y1 && r.to > y0),
    },
  };
  return finish(region, gridOf(region, linesIn(placed, box), space), lines, [box], 0);
}

/** A region that a larger one has grown over is dropped. */
function dropCovered(regions: readonly Region[]): Region[] {
  const area = (r: Region): number => (r.box[2] - r.box[0]) * (r.box[3] - r.box[1]);
  return regions.filter(
    (r) => !regions.some((o) => o !== r && area(o) > area(r) && overlaps(shrink(o.box), r.box)),
  );
}

const shrink = (b: Box): Box => [b[0] + 1, b[1] + 1, b[2] - 1, b[3] - 1];

/** Lines of the pieces whose middle lies in a box. */
export function linesIn(placed: readonly Placed[], box: Box): TextLine[] {
  return linesOf(
    placed.filter((p) => {
      const [x, y] = [(p.x0 + p.x1) / 2, p.line - 0.3 * p.size];
      return x > box[0] - 2 && x < box[2] + 2 && y > box[1] - 1 && y < box[3] + 1;
    }),
  );
}

/** Share of the places of a table that have text: less in charts, and in columns of text that only seem to be rows. */
const FILL = { ruled: 0.3, text: 0.5 } as const;

/** At least two rows and two columns, more than one cell in nearly half of the rows, and no scattered labels of a chart. */
function isTable(g: Grid, isRuled: boolean): boolean {
  if (g.rows < 2 || g.cols < 2) return false;
  const perRow = Array.from(
    { length: g.rows },
    (_, r) => g.cells.filter((c) => c.row <= r && c.row + c.row_span > r).length,
  );
  const slots = g.cells.reduce((sum, c) => sum + c.row_span * c.col_span, 0);
  const filled = isRuled
    ? slots >= FILL.ruled * g.rows * g.cols
    : g.cells.length >= FILL.text * g.rows * g.cols;
  return perRow.filter((n) => n > 1).length >= 0.45 * g.rows && filled;
}

/** Takes caption rows and note rows out of the grid and looks for both around it. */
function finish(
  region: Region,
  raw: Grid,
  lines: readonly TextLine[],
  boxes: readonly Box[],
  at: number,
): PageTable {
  const { grid, caption, notes } = strip(raw);
  const outside = lines
    .map((l) => ({ ...l, pieces: beside(l, region.box) }))
    .filter(
      (l) =>
        l.pieces.length > 0 &&
        !boxes.some((b) => top(l) > b[1] - 4 && bottom(l) < b[3] + 4 && overlapsAcross(l, b)),
    );
  const previous = Math.max(-Infinity, ...boxes.filter((_, i) => i < at).map((b) => b[3]));
  const next = Math.min(Infinity, ...boxes.filter((_, i) => i > at).map((b) => b[1]));
  const above = outside.filter((l) => bottom(l) < region.box[1] + 2 && top(l) > previous - 2);
  const below = outside.filter((l) => top(l) > region.box[3] - 2 && bottom(l) < next + 2);
  const title = captionAbove(above, region.box[1]);
  const foot = notesBelow(below, region.box[3]);
  return {
    grid,
    kind: region.kind,
    head: headRows(grid),
    caption: caption ?? title.text,
    notes: [...notes, ...notesOf(foot)],
    above: above.slice(0, above.length - title.n).map((l) => textOf(l.pieces)),
    below: below.slice(foot.length).map((l) => textOf(l.pieces)),
  };
}

/** The pieces of a line whose phrases reach over or under a box; wide gaps part columns of a page. */
function beside(l: TextLine, box: Box): Placed[] {
  return phrasesOf(l, () => 0.25, { factor: 4, least: 1.3 })
    .filter((p) => p.x1 > box[0] - 4 && p.x0 < box[2] + 4)
    .flatMap((p) => p.pieces);
}

const overlapsAcross = (l: TextLine, b: Box): boolean => l.pieces.some((p) => p.x0 < b[2] && p.x1 > b[0]);

/** A caption is the nearest line with a table number above the table, with the lines down to the table. */
function captionAbove(above: readonly TextLine[], y: number): { text: string | null; n: number } {
  let next = y;
  for (let n = 1; n <= Math.min(5, above.length); n++) {
    const line = above.at(-n)!;
    if (next - bottom(line) > 2.2 * line.size) break;
    next = top(line);
    if (isCaption(textOf(line.pieces)))
      return {
        text: above
          .slice(-n)
          .map((l) => textOf(l.pieces))
          .join(' '),
        n,
      };
  }
  return { text: null, n: 0 };
}

/** Lines below a table from the first one that is a note, as long as they stand close. */
function notesBelow(below: readonly TextLine[], y: number): TextLine[] {
  const out: TextLine[] = [];
  let last = y;
  for (const line of below) {
    const gap = top(line) - last;
    const starts = notesOf([line]).length > 0;
    if (gap > (starts ? 3 : 1.6) * line.size || isCaption(textOf(line.pieces))) break;
    if (out.length === 0 && !starts) break;
    if (out.length > 0 && line.size > 1.15 * out[0]!.size) break;
    out.push(line);
    last = bottom(line);
  }
  return out;
}

/** Caption rows at the top and note rows at the bottom are no rows of the table. */
function strip(g: Grid): { grid: Grid; caption: string | null; notes: Note[] } {
  const isWide = (r: number): GridCell | null => {
    const cells = g.cells.filter((c) => c.row <= r && c.row + c.row_span > r);
    return cells.length === 1 && cells[0]!.col === 0 && cells[0]!.col_span === g.cols ? cells[0]! : null;
  };
  const text = (c: GridCell): string =>
    linesOf(c.pieces)
      .map((l) => textOf(l.pieces))
      .join(' ');
  let from = 0;
  const first = isWide(0);
  if (first && isCaption(text(first))) from = first.row_span;
  let to = g.rows;
  let firstNote = g.rows;
  for (let r = g.rows - 1; r > from && isWide(r); r--) if (isNote(isWide(r)!.pieces)) firstNote = r;
  to = firstNote;
  const notes = g.cells.filter((c) => c.row >= to).flatMap((c) => linesOf(c.pieces));
  return {
    grid: {
      ...g,
      rows: to - from,
      head_rows: Math.max(0, g.head_rows - from),
      cells: g.cells.filter((c) => c.row >= from && c.row < to).map((c) => ({ ...c, row: c.row - from })),
    },
    caption: from > 0 ? text(first!) : null,
    notes: notesOf(notes),
  };
}

/** Left edges of the columns of a grid (the first one left out) at which most of their cells start. */
export function leftEdges(g: Grid): number[] {
  return Array.from({ length: g.cols - 1 }, (_, i) => i + 1).flatMap((col) => {
    const starts = g.cells
      .filter((c) => c.col === col && c.col_span === 1)
      .map((c) => Math.min(...c.pieces.map((p) => p.x0)))
      .sort((a, b) => a - b);
    const middle = starts[Math.floor(starts.length / 2)];
    if (middle === undefined || starts.length < 4) return [];
    return starts.filter((x) => Math.abs(x - middle) < 0.6).length >= 0.7 * starts.length ? [middle] : [];
  });
}
