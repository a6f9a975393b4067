/** Puts phrases into columns: a phrase that crosses a border is cut there only where its words stand apart. */
import type { Border } from './columns.js';
import type { Part } from './rows.js';
import { type Phrase, phrase } from './text-lines.js';
import type { Placed } from './types.js';

/** A gap at a border wider than this many usual spaces parts two cells. */
const APART = 1.45;
/** The same where a border that is ruled elsewhere has no rule. */
const APART_OPEN = 2.6;

/** What tells where a phrase may be cut. */
export interface Cutting {
  readonly space: (p: Placed) => number;
  /** True when a vertical rule stands at x beside a line with this baseline. */
  readonly isRuledAt: (x: number, base: number) => boolean;
  /** The left edges at which the cells of each column usually begin. */
  readonly starts: readonly (number | null)[];
}

/** Parts of one line, from left to right. */
export function partsOf(phrases: readonly Phrase[], given: readonly Border[], cutting: Cutting): Part[] {
  // Beside a rule the border is where the rule stands.
  const y = phrases[0] ? phrases[0].base - 0.3 * phrases[0].size : 0;
  const borders = given.map((b) =>
    b.is_ruled && cutting.isRuledAt(b.rule_x, y) ? { ...b, x: b.rule_x } : b,
  );
  return phrases
    .flatMap((p) => cutAt(p, borders, cutting))
    .map((p) => ({ phrase: p, ...columnsOf(p, borders) }));
}

function cutAt(p: Phrase, borders: readonly Border[], cutting: Cutting): Phrase[] {
  const groups: Placed[][] = [[]];
  for (const [i, piece] of p.pieces.entries()) {
    const before = p.pieces[i - 1];
    if (before && isCut(before, piece, borders, cutting)) groups.push([]);
    groups.at(-1)!.push(piece);
  }
  return groups.map((g) => phrase(g));
}

function isCut(
  before: Placed,
  piece: Placed,
  borders: readonly Border[],
  { space, isRuledAt, starts }: Cutting,
): boolean {
  const size = Math.min(before.size, piece.size);
  const gap = (piece.x0 - before.x1) / size;
  const slack = 0.25 * size;
  const at = borders.findIndex((b) => b.x > before.x1 - slack && b.x < piece.x0 + slack);
  const start = starts.findIndex((x, c) => c > 0 && x !== null && Math.abs(x - piece.x0) < 0.12 * size);
  if (start > 0 && gap > 0.1 && before.x1 > borders[start - 1]!.x - size * 3) return true;
  if (at < 0) return false;
  const border = borders[at]!;
  if (isRuledAt(border.rule_x, piece.line - 0.3 * piece.size)) return true;
  return gap > (border.is_ruled ? APART_OPEN : APART) * space(piece);
}

/** The columns that a phrase covers: those that hold more than a sliver of it. */
function columnsOf(p: Phrase, borders: readonly Border[]): { from: number; to: number } {
  const sliver = Math.min(0.45 * p.size, 0.3 * (p.x1 - p.x0));
  const from = borders.filter((b) => b.x < p.x0 + sliver).length;
  const to = borders.filter((b) => b.x < p.x1 - sliver).length;
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

/** Left edges shared by most cells of a column, or null. */
export function columnStarts(lines: readonly (readonly Part[])[], columns: number): (number | null)[] {
  return Array.from({ length: columns }, (_, c) => {
    const edges = lines.flatMap((l) => l.filter((p) => p.from === c && p.to === c).map((p) => p.phrase.x0));
    if (edges.length < 3) return null;
    const sorted = [...edges].sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)]!;
    return sorted.filter((x) => Math.abs(x - middle) < 0.5).length >= 0.7 * sorted.length ? middle : null;
  });
}
