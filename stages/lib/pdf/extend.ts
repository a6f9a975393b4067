/** Grows a ruled region over the lines below its last rule (and the head above its first) that keep its columns. */
import { type Border, columnBorders } from './columns.js';
import { isCaption, isNote } from './notes.js';
import { partsOf } from './parts.js';
import { type Region, rulesIn } from './regions.js';
import { cutAtEdges, type Phrase, phrasesOf, type TextLine, textOf } from './text-lines.js';
import { type Box, bottom, median, type Placed, type Rules, top } from './types.js';

export interface Surroundings {
  readonly lines: readonly TextLine[];
  readonly rules: Rules;
  readonly space: (p: Placed) => number;
}

/** How far apart, in type sizes, lines of one table stand when no row distance is known. */
const NEXT_LINE = 2.6;
/** A head above the first rule stands this near to it and has at most so many lines. */
const HEAD = { near: 1.2, lines: 4 } as const;

/** The region with what belongs to it above and below. */
export function extend(region: Region, around: Surroundings): Region {
  const inside = restricted(around.lines, region.box).filter((l) =>
    isBetween(l, region.box[1], region.box[3]),
  );
  const phrases = inside.map((l) => phrasesOf(l, around.space));
  const borders = columnBorders(region, phrases);
  if (borders.length === 0) return region;
  const y1 = growDown(region, inside, borders, around);
  const y0 = growUp(region, borders, around);
  if (y1 === region.box[3] && y0 === region.box[1]) return region;
  const box: Box = [region.box[0], y0, region.box[2], y1];
  return { ...region, box, rules: rulesIn(around.rules, box) };
}

const isBetween = (l: TextLine, y0: number, y1: number): boolean => {
  const y = l.base - 0.3 * l.size;
  return y > y0 && y < y1;
};

/** Lines cut to the width of a box; lines that stick out of it are left out whole. */
function restricted(lines: readonly TextLine[], box: Box): TextLine[] {
  return lines.flatMap((l) => {
    const pieces = l.pieces.filter((p) => p.x1 > box[0] - 6 && p.x0 < box[2] + 6);
    return pieces.length > 0 ? [{ ...l, pieces }] : [];
  });
}

function growDown(
  region: Region,
  inside: readonly TextLine[],
  borders: readonly Border[],
  around: Surroundings,
): number {
  const pitch = median(inside.slice(1).map((l, i) => l.base - inside[i]!.base));
  let last = region.box[3];
  let end = last;
  let [rows, labels] = [0, 0];
  const under = restricted(around.lines, region.box).filter((l) => top(l) > region.box[3] - 1);
  const phrases = cutAtEdges(under.map((l) => phrasesOf(l, around.space)));
  for (const [i, line] of under.entries()) {
    const away = top(line) - last;
    if (away > Math.max(NEXT_LINE * line.size, rows > 0 ? 0 : pitch)) break;
    const kind = fits(line, phrases[i]!, borders, region, around);
    if (kind === 'no') break;
    last = bottom(line);
    if (kind === 'row') {
      rows++;
      end = last + 0.1 * line.size;
    } else if (kind === 'label') labels++;
  }
  return rows >= 2 && rows >= 0.4 * (rows + labels) ? Math.max(end, region.box[3]) : region.box[3];
}

/** `row`: parts in several columns; `label`, `loose`: one part in the first or in another column; `no`: no column kept. */
function fits(
  line: TextLine,
  phrases: readonly Phrase[],
  borders: readonly Border[],
  region: Region,
  { space }: Surroundings,
): 'row' | 'loose' | 'label' | 'no' {
  const text = textOf(line.pieces);
  if (isCaption(text) || isNote(line.pieces)) return 'no';
  if (line.pieces[0]!.x0 < region.box[0] - 6 || line.pieces.at(-1)!.x1 > region.box[2] + 6) return 'no';
  const parts = partsOf(phrases, borders, { space, isRuledAt: () => false, starts: [] });
  const wide = parts.filter((p) => p.to > p.from);
  if (wide.length > 1 || (wide.length === 1 && (parts.length < 2 || wide[0]!.to > wide[0]!.from + 1)))
    return 'no';
  if (new Set(parts.map((p) => p.from)).size > 1) return 'row';
  return parts[0]!.from > 0 ? 'loose' : 'label';
}

function growUp(region: Region, borders: readonly Border[], around: Surroundings): number {
  const above = restricted(around.lines, region.box)
    .filter((l) => bottom(l) < region.box[1] + 1)
    .reverse();
  let next = region.box[1];
  let start = next;
  for (const line of above.slice(0, HEAD.lines)) {
    if (
      next - bottom(line) > HEAD.near * line.size ||
      fits(line, phrasesOf(line, around.space), borders, region, around) !== 'row'
    )
      break;
    if (isProseLine(phrasesOf(line, around.space))) break;
    next = top(line);
    start = next - 1;
  }
  return start;
}

const isProseLine = (phrases: readonly Phrase[]): boolean =>
  phrases.reduce((s, p) => s + p.pieces.length, 0) > 5 * phrases.length;
