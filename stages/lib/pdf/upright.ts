/** Turns a page into reading position, whatever its rotation and however its text is drawn. */
import type { Box, PdfGlyph } from '../../contract.js';

/** Reading directions: the text runs right, up, left or down in the page's own space. */
export type Turn = 0 | 90 | 180 | 270;
const TURNS: readonly Turn[] = [0, 90, 180, 270];
/** Text more slanted than this, in degrees, belongs to no reading direction. */
const SLANT = 4;

/** The direction in which a glyph runs, or null when it is slanted or has no length. */
export function turnOf(g: Pick<PdfGlyph, 'x0' | 'y0' | 'x1' | 'y1'>): Turn | null {
  const [dx, dy] = [g.x1 - g.x0, g.y1 - g.y0];
  if (Math.hypot(dx, dy) < 1e-6) return null;
  const angle = ((Math.atan2(dy, dx) * 180) / Math.PI + 360) % 360;
  return TURNS.find((t) => Math.abs(((angle - t + 540) % 360) - 180) <= SLANT) ?? null;
}

/** The direction of most glyphs; the page is read that way. */
export function mainTurn(glyphs: readonly PdfGlyph[]): Turn {
  const count = new Map<Turn, number>(TURNS.map((t) => [t, 0]));
  for (const g of glyphs) {
    const turn = g.text.trim() === '' ? null : turnOf(g);
    if (turn !== null) count.set(turn, count.get(turn)! + 1);
  }
  return TURNS.reduce((best, t) => (count.get(t)! > count.get(best)! ? t : best), 0);
}

/** A point of the page in reading position. */
export function toReading(turn: Turn, x: number, y: number): [number, number] {
  if (turn === 0) return [x, -y];
  if (turn === 90) return [y, x];
  if (turn === 180) return [-x, y];
  return [-y, -x];
}

/** A point in reading position back on the page: each of the four mappings is its own inverse. */
export const toPage = toReading;

/** A box through such a mapping; corners are put in order. */
export function turnBox(box: Box, map: (x: number, y: number) => [number, number]): Box {
  const [ax, ay] = map(box[0], box[1]);
  const [bx, by] = map(box[2], box[3]);
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}
