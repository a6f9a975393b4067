/** From a region to cells: borders, slots, and which slots are one cell. */
import { type Border, columnBorders } from './columns.js';
import { columnStarts, partsOf } from './parts.js';
import type { Region } from './regions.js';
import { isValue, type Part, type RowLine, rowBorders } from './rows.js';
import { cutAtEdges, phrasesOf, type TextLine, textOf } from './text-lines.js';
import type { Box, Placed, Rule } from './types.js';
import { bottom, top } from './types.js';

export interface GridCell {
  readonly row: number;
  readonly col: number;
  readonly row_span: number;
  readonly col_span: number;
  readonly pieces: readonly Placed[];
  readonly box: Box;
}

export interface Grid {
  readonly box: Box;
  readonly rows: number;
  readonly cols: number;
  readonly cells: readonly GridCell[];
  readonly borders: readonly Border[];
  /** Rows above the first full rule that has text above and below it; 0 when there is none. */
  readonly head_rows: number;
  /** True when that rule sets the head apart: few other rows are ruled off. */
  readonly is_head_ruled: boolean;
}

/** Share of a slot's side that a rule must cover. */
const SIDE = 0.5;

/** Builds the grid of a region from the text lines inside it; `known` are left edges of columns from the page before. */
export function gridOf(
  region: Region,
  lines: readonly TextLine[],
  space: (p: Placed) => number,
  known: readonly number[] = [],
): Grid {
  const phrases = cutAtEdges(
    lines.map((l) => phrasesOf(l, space)),
    known,
  );
  const heights = ruleHeights(region);
  const bodyTop = bodyStart(region, heights, lines);
  const body = phrases.filter((_, i) => lines[i]!.base > bodyTop);
  const borders = columnBorders(region, body.length > 0 ? body : phrases);
  const isRuledAt = (x: number, y: number): boolean =>
    region.rules.down.some((r) => Math.abs(r.at - x) <= 3 && r.from <= y && r.to >= y);
  const first = phrases.map((p) => partsOf(p, borders, { space, isRuledAt, starts: [] }));
  const starts = columnStarts(first, borders.length + 1);
  const rowLines = lines.map((l, i) => ({
    base: l.base,
    size: l.size,
    parts: partsOf(phrases[i]!, borders, { space, isRuledAt, starts }),
  }));
  const ruled = heights.filter((y) => y > region.box[1] + 4 && y < region.box[3] - 4);
  const isLattice = (y0: number, y1: number): boolean => {
    const n = borders.filter((b) => covered(region.rules.down, b.rule_x, y0, y1, 3) >= SIDE).length;
    return n >= Math.max(1, 0.5 * borders.length);
  };
  const cuts = rowBorders({
    lines: rowLines,
    borders,
    edges: [region.box[0], region.box[2]],
    ruled,
    bodyTop,
    isLattice,
  });
  return new GridBuilder(region, borders, cuts, ruled, rowLines, bodyTop).build();
}

/** Heights at which rules run across, rules at nearly one height taken together. */
function ruleHeights(region: Region): number[] {
  const out: number[][] = [];
  for (const r of [...region.rules.across].sort((a, b) => a.at - b.at)) {
    const last = out.at(-1);
    if (last && r.at - last.at(-1)! <= 2.5) last.push(r.at);
    else out.push([r.at]);
  }
  return out.map((ys) => ys.reduce((a, b) => a + b, 0) / ys.length);
}

function covered(rules: readonly Rule[], at: number, from: number, to: number, near: number): number {
  const parts = rules
    .filter((r) => Math.abs(r.at - at) <= near)
    .map((r) => [Math.max(r.from, from), Math.min(r.to, to)] as const)
    .filter(([a, b]) => b > a)
    .sort((a, b) => a[0] - b[0]);
  let [sum, end] = [0, -Infinity];
  for (const [a, b] of parts) {
    sum += Math.max(0, b - Math.max(a, end));
    end = Math.max(end, b);
  }
  return to > from ? sum / (to - from) : 0;
}

/** True when rules at one height run from edge to edge. */
function isFull(rules: readonly Rule[], y: number, x0: number, x1: number): boolean {
  const ends = (x: number): number => covered(rules, y, x - 8, x + 8, 2.5);
  return covered(rules, y, x0, x1, 2.5) >= 0.85 && ends(x0) >= 0.35 && ends(x1) >= 0.35;
}

/** The height of the first full rule that has text above and below it. */
function bodyStart(region: Region, heights: readonly number[], lines: readonly TextLine[]): number {
  const [x0, y0, x1] = region.box;
  for (const y of heights) {
    if (y < y0 + 4 || !isFull(region.rules.across, y, x0, x1)) continue;
    const isBelow = (l: TextLine): boolean => l.base - 0.3 * l.size > y;
    if (lines.some(isBelow) && lines.some((l) => !isBelow(l))) return y;
  }
  return y0;
}

interface Slot {
  readonly row: number;
  readonly from: number;
  to: number;
  rows: number;
  parts: Part[];
}

class GridBuilder {
  private readonly region: Region;
  private readonly borders: readonly Border[];
  private readonly cuts: readonly number[];
  private readonly ruled: readonly number[];
  private readonly lines: readonly RowLine[];
  private readonly bodyTop: number;
  private readonly xs: readonly number[];
  private readonly ys: readonly number[];

  constructor(
    region: Region,
    borders: readonly Border[],
    cuts: readonly number[],
    ruled: readonly number[],
    lines: readonly RowLine[],
    bodyTop: number,
  ) {
    this.region = region;
    this.borders = borders;
    this.cuts = cuts;
    this.ruled = ruled;
    this.lines = lines;
    this.bodyTop = bodyTop;
    this.xs = [region.box[0], ...borders.map((b) => b.x), region.box[2]];
    this.ys = [region.box[1], ...cuts, region.box[3]];
  }

  build(): Grid {
    const rows = this.ys.slice(1).map((_, r) => this.mergeAcross(r));
    const merged = this.mergeDown(rows);
    return this.pack(merged);
  }

  private hasDown(row: number, border: number): boolean {
    const x = this.borders[border]!.rule_x;
    return covered(this.region.rules.down, x, this.ys[row]! + 1, this.ys[row + 1]! - 1, 3) >= SIDE;
  }

  private hasAcross(cut: number, from: number, to: number): boolean {
    const y = this.cuts[cut]!;
    return covered(this.region.rules.across, y, this.xs[from]! + 1, this.xs[to + 1]! - 1, 2.6) >= SIDE;
  }

  private partsIn(row: number): Part[] {
    const [y0, y1] = [this.ys[row]!, this.ys[row + 1]!];
    return this.lines.flatMap((l) =>
      l.parts.filter((p) => {
        const y = p.phrase.base - 0.3 * p.phrase.size;
        return (y >= y0 || row === 0) && (y < y1 || row === this.ys.length - 2);
      }),
    );
  }

  /** Slots of one row; those that text crosses, and those between which a rule stands elsewhere but not here, are one. */
  private mergeAcross(row: number): Slot[] {
    const parts = this.partsIn(row);
    const joined = this.borders.map((_, b) => parts.some((p) => p.from <= b && p.to > b));
    for (const [from, to] of this.openRuns(row)) {
      if (this.isOneText(parts, joined, from, to)) for (let b = from; b < to; b++) joined[b] = true;
    }
    for (const [from, to] of this.bracketed(row)) {
      if (this.isOneText(parts, joined, from, to)) for (let b = from; b < to; b++) joined[b] = true;
    }
    const slots: Slot[] = [];
    for (let c = 0; c <= this.borders.length; c++) {
      if (c > 0 && joined[c - 1]) slots.at(-1)!.to = c;
      else slots.push({ row, from: c, to: c, rows: 1, parts: [] });
    }
    for (const p of parts) slots.find((s) => p.from >= s.from && p.from <= s.to)!.parts.push(p);
    return slots;
  }

  /** Runs of columns that vertical rules part in most rows, but not in this one. */
  private openRuns(row: number): [number, number][] {
    const height = this.region.box[3] - this.region.box[1];
    const isOpen = this.borders.map((b, i) => {
      const usual = covered(
        this.region.rules.down,
        b.rule_x,
        this.region.box[1],
        this.region.box[1] + height,
        3,
      );
      return b.is_ruled && usual >= 0.3 && !this.hasDown(row, i);
    });
    return runs(isOpen);
  }

  /** Columns under one stretch of a rule that does not run through: the rule brackets them below a common head. */
  private bracketed(row: number): [number, number][] {
    const cut = row < this.cuts.length ? this.cuts[row]! : null;
    if (cut === null || this.ys[row + 1]! > this.bodyTop + 3) return [];
    const n = this.borders.length + 1;
    return this.region.rules.across
      .filter((r) => Math.abs(r.at - cut) <= 2.6)
      .flatMap((r): [number, number][] => {
        const inside = Array.from({ length: n }, (_, c) => c).filter(
          (c) => covered([r], r.at, this.xs[c]! + 1, this.xs[c + 1]! - 1, 1) >= SIDE,
        );
        if (inside.length < 2 || inside.length === n) return [];
        return [[inside[0]!, inside.at(-1)!]];
      });
  }

  /** True when the columns hold one text: its phrases stand in joined columns, or near each other on one line. */
  private isOneText(parts: readonly Part[], joined: readonly boolean[], from: number, to: number): boolean {
    const inside = parts
      .filter((p) => p.to >= from && p.from <= to)
      .sort((a, b) => a.from - b.from || a.phrase.base - b.phrase.base);
    if (inside.length === 0 || inside.some((p) => p.from < from || p.to > to)) return false;
    const start = (p: Part): number => {
      let c = p.from;
      while (c > from && joined[c - 1]) c--;
      return c;
    };
    return inside.every(
      (p, i) => i === 0 || start(p) === start(inside[0]!) || inside.some((q) => goesOnBeside(q, p)),
    );
  }

  /** Slots of neighbouring rows with equal columns are one cell where the border between them is missing. */
  private mergeDown(rows: readonly Slot[][]): Slot[] {
    const out: Slot[] = [...rows[0]!];
    const open = new Map<string, Slot>(rows[0]!.map((s) => [`${s.from}-${s.to}`, s]));
    for (let r = 1; r < rows.length; r++) {
      const next = new Map<string, Slot>();
      for (const slot of rows[r]!) {
        const key = `${slot.from}-${slot.to}`;
        const above = open.get(key);
        if (above && this.isOneDown(above, slot, r - 1)) {
          above.rows++;
          above.parts.push(...slot.parts);
          next.set(key, above);
        } else {
          out.push(slot);
          next.set(key, slot);
        }
      }
      open.clear();
      for (const [k, s] of next) open.set(k, s);
    }
    return out;
  }

  private isOneDown(above: Slot, below: Slot, cut: number): boolean {
    if (this.hasAcross(cut, above.from, above.to)) return false;
    const y = this.cuts[cut]!;
    const isHead = y < this.bodyTop - 1;
    const isRuled = this.ruled.some((h) => Math.abs(h - y) < 0.01);
    if (!isRuled)
      return (
        isHead &&
        above.parts.length + below.parts.length > 0 &&
        (above.parts.length === 0 || below.parts.length === 0)
      );
    if (isHead) return true;
    const straddles = [...above.parts, ...below.parts].some(
      (p) => top(p.phrase) < y - 1 && bottom(p.phrase) > y + 1,
    );
    if (straddles) return true;
    if (above.parts.length > 0 && below.parts.length > 0 && this.isRowBreak(cut)) return false;
    return this.isBoxed(above) && this.isBoxed(below);
  }

  /** True when, where no rule runs, values stand below values: the row ends there for all columns. */
  private isRowBreak(cut: number): boolean {
    const [above, below] = [this.partsIn(cut), this.partsIn(cut + 1)];
    return above.some((a) => {
      const b = below.find((p) => p.from === a.from && p.to === a.to);
      return (
        b &&
        isValue(textOf(a.phrase.pieces)) &&
        isValue(textOf(b.phrase.pieces)) &&
        !this.hasAcross(cut, a.from, a.to)
      );
    });
  }

  private isBoxed(s: Slot): boolean {
    const left = s.from === 0 || this.hasDown(s.row + s.rows - 1, s.from - 1);
    const right = s.to === this.borders.length || this.hasDown(s.row + s.rows - 1, s.to);
    return left && right && this.borders.some((b) => b.is_ruled);
  }

  private isHeadRuled(rows: number): boolean {
    const [x0, , x1] = this.region.box;
    const full = this.ruled.filter((y) => isFull(this.region.rules.across, y, x0, x1));
    return this.bodyTop > this.region.box[1] && full.length <= Math.max(2, 0.15 * rows);
  }

  /** Drops rows and columns without any text and numbers the rest. */
  private pack(slots: readonly Slot[]): Grid {
    const full = slots.filter((s) => s.parts.length > 0);
    const rowsUsed = used(
      this.ys.length - 1,
      full.map((s) => [s.row, s.row + s.rows - 1]),
    );
    const colsUsed = used(
      this.xs.length - 1,
      full.map((s) => [s.from, s.to]),
    );
    const cells = full.map((s) => {
      const [r0, r1] = [rowsUsed[s.row]!, rowsUsed[s.row + s.rows - 1]!];
      const [c0, c1] = [colsUsed[s.from]!, colsUsed[s.to]!];
      return {
        row: r0,
        col: c0,
        row_span: r1 - r0 + 1,
        col_span: c1 - c0 + 1,
        pieces: s.parts.flatMap((p) => p.phrase.pieces),
        box: [this.xs[s.from]!, this.ys[s.row]!, this.xs[s.to + 1]!, this.ys[s.row + s.rows]!] as Box,
      };
    });
    const head = this.ys.slice(1).filter((y) => y <= this.bodyTop + 1).length;
    return {
      box: this.region.box,
      rows: Math.max(0, ...cells.map((c) => c.row + c.row_span)),
      cols: Math.max(0, ...cells.map((c) => c.col + c.col_span)),
      cells: cells.sort((a, b) => a.row - b.row || a.col - b.col),
      borders: this.borders,
      head_rows: this.bodyTop > this.region.box[1] ? rowsUsed[Math.min(head, rowsUsed.length - 1)]! : 0,
      is_head_ruled: this.isHeadRuled(rowsUsed.filter((_, i) => i < this.ys.length - 1).length),
    };
  }
}

/** Runs [from, to] of columns whose inner borders are all open. */
function runs(isOpen: readonly boolean[]): [number, number][] {
  const out: [number, number][] = [];
  for (const [b, open] of isOpen.entries()) {
    if (!open) continue;
    const last = out.at(-1);
    if (last && last[1] === b) last[1] = b + 1;
    else out.push([b, b + 1]);
  }
  return out;
}

/** New numbers of rows or columns when those that start no cell's text are dropped. */
function used(n: number, spans: readonly (readonly [number, number])[]): number[] {
  const isUsed = Array.from({ length: n }, (_, i) => spans.some(([a]) => a === i));
  let next = -1;
  return isUsed.map((u) => Math.max(0, u ? ++next : next));
}

/** True when a phrase follows another one on its line with a gap that no two columns have. */
function goesOnBeside(left: Part, right: Part): boolean {
  const gap = (right.phrase.x0 - left.phrase.x1) / right.phrase.size;
  return left !== right && Math.abs(left.phrase.base - right.phrase.base) < 1 && gap > -0.1 && gap < 0.6;
}
