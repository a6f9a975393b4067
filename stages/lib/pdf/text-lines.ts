/** Lines, phrases and words from pieces. */
import { GAP } from './pieces.js';
import { median, type Piece, type Placed } from './types.js';

/** Words on one baseline; `base` and `size` are those of its largest type. */
export interface TextLine {
  readonly base: number;
  readonly size: number;
  readonly pieces: readonly Placed[];
}

/** Pieces of a line that stand closer than columns do. */
export interface Phrase {
  readonly x0: number;
  readonly x1: number;
  readonly base: number;
  readonly size: number;
  readonly pieces: readonly Placed[];
}

/** Smaller type raised or lowered beside larger type: limits in em of the larger one. */
const BESIDE = { after: 0.35, before: 0.6, overlap: -0.2, raised: 0.15, lowered: -0.04 } as const;
const SMALLER = 0.88;
/** Baselines this near (em) are one line. */
const ONE_LINE = 0.28;

/** Gives raised and lowered type the baseline of the text that it belongs to. */
export function place(pieces: readonly Piece[]): Placed[] {
  const out: Placed[] = pieces.map((p) => ({ ...p, line: p.base, raised: 'no' }));
  const largest = Math.max(0, ...pieces.map((p) => p.size));
  // A second pass for marks that stand beside other marks.
  for (let pass = 0; pass < 2; pass++) {
    const byBase = out.map((p, i) => ({ p, i })).sort((a, b) => a.p.base - b.p.base);
    let from = 0;
    for (const { p, i } of byBase) {
      while (byBase[from]!.p.base < p.base - largest) from++;
      if (p.raised !== 'no') continue;
      const host = hostOf(p, candidates(byBase, from, p.base + largest));
      if (!host) continue;
      const shift = (host.line - p.base) / host.size;
      const raised = shift > BESIDE.raised ? 'super' : shift < BESIDE.lowered ? 'sub' : 'no';
      out[i] = { ...p, line: host.line, raised };
    }
  }
  return out;
}

function* candidates(sorted: readonly { readonly p: Placed }[], from: number, to: number): Iterable<Placed> {
  for (let k = from; k < sorted.length && sorted[k]!.p.base <= to; k++) yield sorted[k]!.p;
}

function hostOf(p: Placed, near: Iterable<Placed>): Placed | undefined {
  let best: Placed | undefined;
  let nearest = Infinity;
  for (const h of near) {
    const isLarger = p.size < SMALLER * h.size && h.raised === 'no';
    const isNeighbour =
      h.raised !== 'no' && Math.abs(h.base - p.base) < 0.3 && Math.abs(h.size - p.size) < 0.5;
    if (h === p || !(isLarger || isNeighbour)) continue;
    const shift = (h.line - p.base) / h.size;
    if (isLarger && (shift < -0.35 || shift > 0.75)) continue;
    const after = (p.x0 - h.x1) / h.size;
    const before = (h.x0 - p.x1) / h.size;
    const isBeside =
      (after > BESIDE.overlap && after < BESIDE.after) || (before > BESIDE.overlap && before < BESIDE.before);
    const distance = Math.max(after, before);
    if (isBeside && distance < nearest) [best, nearest] = [h, distance];
  }
  return best;
}

/** Lines from top to bottom, pieces from left to right. */
export function linesOf(placed: readonly Placed[]): TextLine[] {
  const groups: Placed[][] = [];
  for (const p of [...placed].sort((a, b) => a.line - b.line || a.x0 - b.x0)) {
    const last = groups.at(-1);
    if (last && p.line - last[0]!.line <= ONE_LINE * Math.min(p.size, last[0]!.size)) last.push(p);
    else groups.push([p]);
  }
  return groups.map((g) => ({
    base: median(g.filter((p) => p.raised === 'no').map((p) => p.line)) || g[0]!.line,
    size: Math.max(...g.map((p) => p.size)),
    pieces: g.sort((a, b) => a.x0 - b.x0),
  }));
}

/** A space that nothing tells otherwise, and the widest that is believed of type of uneven width, in em. */
const SPACE = { usual: 0.25, widest: 0.36 } as const;

/** The usual space of each font on a page, in em: the lower quartile of its gaps, since gaps of columns are wider. */
export function spacesOf(placed: readonly Placed[]): (p: Placed) => number {
  const gaps = new Map<string, number[]>();
  for (const line of linesOf(placed)) {
    for (let i = 1; i < line.pieces.length; i++) {
      const [a, b] = [line.pieces[i - 1]!, line.pieces[i]!];
      const gap = (b.x0 - a.x1) / b.size;
      if (gap > GAP.space && gap < 0.9) gaps.set(b.font, [...(gaps.get(b.font) ?? []), gap]);
    }
  }
  const even = evenFonts(placed);
  const usual = new Map(
    [...gaps].map(([font, list]) => {
      const quartile = [...list].sort((a, b) => a - b)[Math.floor(list.length / 4)]!;
      return [font, list.length < 3 ? SPACE.usual : Math.min(quartile, SPACE.widest)];
    }),
  );
  return (p) => even.get(p.font) ?? usual.get(p.font) ?? SPACE.usual;
}

/** Fonts whose glyphs are all equally wide, with that width in em: their space is as wide. */
function evenFonts(placed: readonly Placed[]): Map<string, number> {
  const widths = new Map<string, number[]>();
  for (const p of placed) {
    if (p.text.length < 2) continue;
    const width = (p.x1 - p.x0) / p.size / [...p.text].length;
    widths.set(p.font, [...(widths.get(p.font) ?? []), width]);
  }
  return new Map(
    [...widths]
      .filter(([, w]) => w.length >= 5 && Math.max(...w) - Math.min(...w) < 0.03)
      .map(([font, w]) => [font, w[0]!]),
  );
}

/** Splits a line where gaps are wider than `factor` usual spaces (at least `least` em). */
export function phrasesOf(
  line: TextLine,
  space: (p: Placed) => number,
  { factor, least }: { readonly factor: number; readonly least: number } = { factor: 1.6, least: 0.45 },
): Phrase[] {
  const groups: Placed[][] = [];
  let end = -Infinity;
  for (const p of line.pieces) {
    const widest = Math.max(factor * space(p), least) * Math.min(p.size, line.size);
    const last = groups.at(-1);
    if (last && p.x0 - end <= widest) last.push(p);
    else groups.push([p]);
    end = Math.max(end, p.x1);
  }
  return groups.map(phrase);
}

/** A phrase of given pieces, which stand from left to right. */
export function phrase(pieces: readonly Placed[]): Phrase {
  return {
    x0: Math.min(...pieces.map((p) => p.x0)),
    x1: Math.max(...pieces.map((p) => p.x1)),
    base: pieces[0]!.line,
    size: Math.max(...pieces.map((p) => p.size)),
    pieces,
  };
}

/** The text of pieces of one line; a gap above `space` em is a blank. */
export function textOf(pieces: readonly Placed[], space: number = GAP.space): string {
  let out = '';
  for (const [i, p] of pieces.entries()) {
    const before = pieces[i - 1];
    const size = before ? Math.min(before.size, p.size) : p.size;
    if (before && (p.x0 - before.x1) / size > space) out += ' ';
    out += p.text;
  }
  return out;
}

/** True when the text would have other blanks if spaces were judged more or less strictly. */
export function isSpacingSensitive(pieces: readonly Placed[]): boolean {
  return textOf(pieces, GAP.none) !== textOf(pieces, GAP.sure);
}

/** Starts of phrases this near, in points, are one left edge; so many lines make it an edge of a column. */
const EDGE = { near: 0.6, lines: 4, share: 0.6 } as const;

/**
 * Cuts phrases that run into the next column: where phrases of several lines start at one x, a word that starts there
 * starts a cell, however small the gap before it. `known` edges come from the page before.
 */
export function cutAtEdges(lines: readonly (readonly Phrase[])[], known: readonly number[] = []): Phrase[][] {
  const edges = [...columnEdges(lines), ...known];
  return lines.map((phrases) =>
    phrases.flatMap((p) => {
      const groups: Placed[][] = [[]];
      for (const [i, piece] of p.pieces.entries()) {
        const before = p.pieces[i - 1];
        const isApart = before !== undefined && piece.x0 - before.x1 > 0.1 * piece.size;
        if (isApart && edges.some((x) => Math.abs(x - piece.x0) <= EDGE.near)) groups.push([]);
        groups.at(-1)!.push(piece);
      }
      return groups.map(phrase);
    }),
  );
}

function columnEdges(lines: readonly (readonly Phrase[])[]): number[] {
  const starts = lines.flatMap((l) => l.slice(1).map((p) => p.x0)).sort((a, b) => a - b);
  const pieces = lines.flatMap((l) => l.flatMap((p) => p.pieces.slice(1).map((q) => q.x0)));
  const edges: number[] = [];
  for (const x of starts) {
    if (edges.length > 0 && x - edges.at(-1)! <= 2 * EDGE.near) continue;
    const near = (y: number): boolean => Math.abs(y - x) <= EDGE.near;
    const [n, others] = [starts.filter(near).length, pieces.filter(near).length];
    if (n >= EDGE.lines && n >= EDGE.share * (n + others)) edges.push(x);
  }
  return edges;
}
