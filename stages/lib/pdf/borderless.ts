/** Tables without rules: blocks of lines that keep the same columns and do not read as columns of prose. */
import { columnBorders } from './columns.js';
import { isCaption, isNote } from './notes.js';
import { partsOf } from './parts.js';
import { overlaps, type Region } from './regions.js';
import { cutAtEdges, type Phrase, phrasesOf, type TextLine, textOf } from './text-lines.js';
import { type Box, bottom, median, type Placed, top } from './types.js';

/** Lines of one block stand at most this far apart, in type sizes or usual line distances. */
const APART = { sizes: 3.2, pitches: 1.8 } as const;
/** A table has at least so many lines in several columns. */
const ROWS = 3;
/** Columns narrower filled than this are no prose. */
const PROSE_FILL = 0.65;
/** List signs and numbers belong to the text behind them. */
const LIST_SIGN = /^([•▪■●◦–—-]|\(?[0-9ivx]{1,3}[.)]|\(?[a-z][.)])$/i;

interface Row {
  readonly line: TextLine;
  readonly phrases: readonly Phrase[];
}

/** Regions of tables among lines that belong to no ruled table. */
export function borderlessRegions(
  lines: readonly TextLine[],
  taken: readonly Box[],
  space: (p: Placed) => number,
  known: readonly number[] = [],
): Region[] {
  const left = lines.map((l) => free(l, taken)).filter((l): l is TextLine => l !== null);
  const phrases = cutAtEdges(
    left.map((line) => joinSigns(phrasesOf(line, space))),
    known,
  );
  return blocks(left.map((line, i) => ({ line, phrases: phrases[i]! })))
    .map((block) => trim(block, space))
    .filter((block) => isTabular(block, known))
    .map((block) => ({ kind: 'text' as const, box: boxOf(block), rules: { across: [], down: [] } }))
    .filter((r) => !taken.some((t) => overlaps(t, r.box)));
}

/** The pieces of a line outside all boxes; null when none is left. */
function free(l: TextLine, taken: readonly Box[]): TextLine | null {
  const pieces = l.pieces.filter((p) => {
    const [x, y] = [(p.x0 + p.x1) / 2, p.line - 0.3 * p.size];
    return !taken.some((b) => x > b[0] && x < b[2] && y > b[1] && y < b[3]);
  });
  return pieces.length > 0 ? { ...l, pieces } : null;
}

function joinSigns(phrases: readonly Phrase[]): Phrase[] {
  const [first, second, ...rest] = phrases;
  if (!first || !second || !LIST_SIGN.test(textOf(first.pieces))) return [...phrases];
  return [{ ...second, x0: first.x0, pieces: [...first.pieces, ...second.pieces] }, ...rest];
}

function blocks(rows: readonly Row[]): Row[][] {
  const out: Row[][] = [];
  let block: Row[] = [];
  const close = (): void => {
    if (block.filter((r) => r.phrases.length > 1).length >= ROWS) out.push(block);
    block = [];
  };
  for (const row of rows) {
    const last = block.at(-1);
    const text = textOf(row.line.pieces);
    const isStop = isCaption(text) || (row.phrases.length === 1 && isNote(row.line.pieces));
    if (isStop || (last && isFar(block, row))) close();
    if (!isStop) block.push(row);
  }
  close();
  return out;
}

function isFar(block: readonly Row[], row: Row): boolean {
  const gap = row.line.base - block.at(-1)!.line.base;
  const pitch = median(block.slice(1).map((r, i) => r.line.base - block[i]!.line.base));
  return gap > Math.max(APART.sizes * row.line.size, APART.pitches * pitch) || gap < 0;
}

/** Drops lines at both ends that are not part of the table: headings, sentences. */
function trim(block: readonly Row[], space: (p: Placed) => number): Row[] {
  let from = block.findIndex((r) => r.phrases.length > 1);
  const to = block.findLastIndex((r) => r.phrases.length > 1);
  const core = block.slice(from, to + 1);
  const borders = columnBorders(
    { kind: 'text', box: boxOf(core), rules: { across: [], down: [] } },
    core.map((r) => r.phrases),
  );
  const startsInside = (r: Row): boolean => {
    const parts = partsOf(r.phrases, borders, { space, isRuledAt: () => false, starts: [] });
    return parts.length === 1 && parts[0]!.from > 0 && parts[0]!.from === parts[0]!.to;
  };
  while (from > 0 && startsInside(block[from - 1]!)) from--;
  let end = to;
  while (end + 1 < block.length && startsInside(block[end + 1]!)) end++;
  return block.slice(from, end + 1);
}

function boxOf(block: readonly Row[]): Box {
  return [
    Math.min(...block.map((r) => r.line.pieces[0]!.x0)) - 1,
    Math.min(...block.map((r) => top(r.line))) - 1,
    Math.max(...block.flatMap((r) => r.line.pieces.map((p) => p.x1))) + 1,
    Math.max(...block.map((r) => bottom(r.line))) + 1,
  ];
}

/** Most lines have several columns, and these are those of the page before, or half of them are filled as no prose is. */
function isTabular(block: readonly Row[], known: readonly number[]): boolean {
  const several = block.filter((r) => r.phrases.length > 1);
  if (several.length < ROWS) return false;
  const box = boxOf(block);
  const region: Region = { kind: 'text', box, rules: { across: [], down: [] } };
  const borders = columnBorders(
    region,
    block.map((r) => r.phrases),
  );
  if (borders.length === 0) return false;
  const isKnown = known.length > 0 && known.length === borders.length;
  const loose = block.filter((r) => r.phrases.length === 1 && r.phrases[0]!.x0 > borders[0]!.x).length;
  if (several.length + loose < 0.4 * block.length) return false;
  const edges = [box[0], ...borders.map((b) => b.x), box[2]];
  const fills = edges.slice(1).map((right, c) => {
    const left = edges[c]!;
    const widths = several.flatMap((r) =>
      r.phrases
        .filter((p) => p.x0 >= left - 1 && p.x1 <= right + 1)
        .map((p) => (p.x1 - p.x0) / (right - left)),
    );
    return { fill: median(widths), n: widths.length };
  });
  const short = fills.filter((f) => f.fill < PROSE_FILL && f.n > 0).length;
  const crossing = several.filter((r) =>
    r.phrases.some((p) => borders.some((b) => p.x0 < b.x - 1 && p.x1 > b.x + 1)),
  ).length;
  return (isKnown || short >= 0.5 * fills.length) && crossing <= 0.25 * several.length;
}
