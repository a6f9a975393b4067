/** The graphics and text state of a PDF page while its operators are followed. */
import type { Box } from '../../../stages/contract.js';
import { apply, IDENTITY, type Matrix, multiply } from './pdf-matrix.js';

export interface FontFacts {
  readonly name: string;
  /** Glyph widths times this are em. */
  readonly widthScale: number;
  readonly isVertical: boolean;
}

/** What save and restore keep. */
export interface GraphicsState {
  readonly ctm: Matrix;
  readonly clip: Box;
  readonly fill: string;
  readonly stroke: string;
  readonly lineWidth: number;
  readonly font: FontFacts | null;
  readonly fontSize: number;
  readonly charSpacing: number;
  readonly wordSpacing: number;
  readonly horizontalScale: number;
  readonly leading: number;
  readonly rise: number;
  readonly renderingMode: number;
}

export const startState = (view: Box): GraphicsState => ({
  ctm: IDENTITY,
  clip: view,
  fill: '#000000',
  stroke: '#000000',
  lineWidth: 1,
  font: null,
  fontSize: 0,
  charSpacing: 0,
  wordSpacing: 0,
  horizontalScale: 1,
  leading: 0,
  rise: 0,
  renderingMode: 0,
});

/** The smallest upright box round points x, y, x, y... */
export function boxOf(points: ArrayLike<number>): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 1 < points.length; i += 2) {
    x0 = Math.min(x0, points[i]!);
    x1 = Math.max(x1, points[i]!);
    y0 = Math.min(y0, points[i + 1]!);
    y1 = Math.max(y1, points[i + 1]!);
  }
  return [x0, y0, x1, y1];
}

/** What two boxes share; empty boxes have x0 > x1 or y0 > y1. */
export const intersect = (a: Box, b: Box): Box => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

/** The state inside a form: its matrix applied, clipped to its box. */
export function enterForm(
  state: GraphicsState,
  matrix: Matrix,
  box: ArrayLike<number> | null,
): GraphicsState {
  const ctm = multiply(state.ctm, matrix);
  if (!box) return { ...state, ctm };
  const corners = [
    [box[0]!, box[1]!],
    [box[2]!, box[1]!],
    [box[2]!, box[3]!],
    [box[0]!, box[3]!],
  ].flatMap(([x, y]) => apply(ctm, x!, y!));
  return { ...state, ctm, clip: intersect(state.clip, boxOf(corners)) };
}
