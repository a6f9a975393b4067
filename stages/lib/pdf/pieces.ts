/** Builds pieces of text from glyphs by their places alone, so that the way a printer cut its text does not matter. */
import type { PdfGlyph } from '../../contract.js';
import { LIGATURES } from './ligatures.js';
import type { Piece } from './types.js';
import { type Turn, toReading, turnOf } from './upright.js';

/** Gaps in em. Below `none` there is no space, above `sure` there is one; `space` decides between them. */
export const GAP = { none: 0.08, space: 0.13, sure: 0.19 } as const;
/** Glyphs of one run: baselines this near, sizes this near (parts of the size). */
const SAME_BASE = 0.06;
const SAME_SIZE = 0.04;

interface Upright {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly base: number;
  readonly size: number;
  readonly font: string;
  readonly is_mapped: boolean;
  readonly is_doubtful: boolean;
}

/** Glyphs that run in another direction than the page, joined in drawing order for a report. */
export function turnedText(glyphs: readonly PdfGlyph[], turn: Turn): string {
  return glyphs
    .filter((g) => turnOf(g) !== turn && turnOf(g) !== null)
    .map((g) => g.text)
    .join('')
    .trim();
}

/** The pieces of the text that runs in the page's direction, in reading order. */
export function piecesOf(glyphs: readonly PdfGlyph[], turn: Turn): Piece[] {
  const upright = glyphs
    .filter((g) => g.is_visible && g.text.trim() !== '' && turnOf(g) === turn)
    .map((g) => stand(g, turn));
  const pieces: Piece[] = [];
  for (const run of baselines(dropDoubles(upright))) pieces.push(...cut(run));
  return pieces.sort((a, b) => a.base - b.base || a.x0 - b.x0);
}

function stand(g: PdfGlyph, turn: Turn): Upright {
  const [x0, base] = toReading(turn, g.x0, g.y0);
  const [x1] = toReading(turn, g.x1, g.y1);
  const text = LIGATURES.get(g.text) ?? g.text.normalize('NFC');
  return {
    text,
    x0,
    x1,
    base,
    size: g.size,
    font: g.font,
    is_mapped: g.is_mapped,
    is_doubtful: g.is_doubtful,
  };
}

/** Bold type is sometimes printed twice, a hair apart. */
function dropDoubles(glyphs: readonly Upright[]): Upright[] {
  const seen = new Map<string, Upright[]>();
  return glyphs.filter((g) => {
    const key = `${g.text} ${Math.round(g.base)}`;
    const near = [-1, 0, 1].flatMap((d) => seen.get(`${g.text} ${Math.round(g.base) + d}`) ?? []);
    const isDouble = near.some(
      (o) => Math.hypot(o.x0 - g.x0, o.base - g.base) < 0.12 * g.size && Math.abs(o.size - g.size) < 0.5,
    );
    if (!isDouble) seen.set(key, [...(seen.get(key) ?? []), g]);
    return !isDouble;
  });
}

/** Glyphs of one baseline and one size, from left to right. */
function baselines(glyphs: readonly Upright[]): Upright[][] {
  const bySize = [...glyphs].sort((a, b) => a.size - b.size);
  const sizes: Upright[][] = [];
  for (const g of bySize) {
    const last = sizes.at(-1);
    if (last && g.size - last[0]!.size <= SAME_SIZE * g.size) last.push(g);
    else sizes.push([g]);
  }
  return sizes.flatMap((group) => {
    const runs: Upright[][] = [];
    for (const g of group.sort((a, b) => a.base - b.base)) {
      const last = runs.at(-1);
      if (last && g.base - last.at(-1)!.base <= SAME_BASE * g.size) last.push(g);
      else runs.push([g]);
    }
    return runs.map((run) => run.sort((a, b) => a.x0 - b.x0 || a.x1 - b.x1));
  });
}

function cut(run: readonly Upright[]): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (let i = 1; i <= run.length; i++) {
    const gap = i < run.length ? (run[i]!.x0 - run[i - 1]!.x1) / run[i]!.size : Infinity;
    if (gap <= GAP.none && gap > -0.6) continue;
    out.push(join(run.slice(from, i)));
    from = i;
  }
  return out;
}

function join(glyphs: readonly Upright[]): Piece {
  const first = glyphs[0]!;
  return {
    text: glyphs.map((g) => g.text).join(''),
    x0: first.x0,
    x1: Math.max(...glyphs.map((g) => g.x1)),
    base: first.base,
    size: first.size,
    font: first.font,
    is_mapped: glyphs.every((g) => g.is_mapped),
    is_doubtful: glyphs.some((g) => g.is_doubtful),
  };
}
