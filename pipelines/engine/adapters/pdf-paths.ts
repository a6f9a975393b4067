/** Paths of a page: from the library's number lists to straight-sided shapes in page points. */
import type { Box, PdfShape } from '../../../stages/contract.js';
import { apply, type Matrix, scaleOf } from './pdf-matrix.js';
import type { GraphicsState } from './pdf-state.js';

/** Path opcodes of pdfjs-dist 5.4.296 (`DrawOPS`, which the package does not export), with their operand counts. */
export const PATH = { moveTo: 0, lineTo: 1, curveTo: 2, closePath: 3 } as const;
const OPERANDS: readonly number[] = [2, 2, 6, 0];
/** A curve this close to its chord, in points, is a line. */
const STRAIGHT = 0.1;

export interface Subpath {
  readonly points: readonly number[];
  readonly isStraight: boolean;
  readonly isClosed: boolean;
}

/** Splits a path into its subpaths, in page points. Throws on an opcode that this version does not have. */
export function subpaths(path: ArrayLike<number>, ctm: Matrix): Subpath[] {
  const out: Subpath[] = [];
  let points: number[] = [];
  let isStraight = true;
  const end = (isClosed: boolean): void => {
    if (points.length >= 4) out.push({ points, isStraight, isClosed });
    points = isClosed ? points.slice(0, 2) : [];
    isStraight = true;
  };
  for (let i = 0; i < path.length; ) {
    const code = path[i]!;
    const operands = OPERANDS[code];
    if (operands === undefined) throw new Error(`unknown path opcode ${code}`);
    if (code === PATH.moveTo) end(false);
    if (code === PATH.moveTo) points = [];
    const added = transformed(path, i + 1, operands, ctm);
    if (code === PATH.curveTo && !isFlat([...points.slice(-2), ...added])) isStraight = false;
    points.push(...added);
    if (code === PATH.closePath) end(true);
    i += 1 + operands;
  }
  end(false);
  return out;
}

function transformed(path: ArrayLike<number>, from: number, n: number, ctm: Matrix): number[] {
  const out: number[] = [];
  for (let i = from; i < from + n; i += 2) out.push(...apply(ctm, path[i]!, path[i + 1]!));
  return out;
}

/** True when the inner control points lie on the chord from the first to the last point. */
function isFlat(points: readonly number[]): boolean {
  const n = points.length;
  const [x0, y0, x1, y1] = [points[0]!, points[1]!, points[n - 2]!, points[n - 1]!];
  const length = Math.hypot(x1 - x0, y1 - y0);
  for (let i = 2; i < n - 2; i += 2) {
    const [dx, dy] = [points[i]! - x0, points[i + 1]! - y0];
    const away = length === 0 ? Math.hypot(dx, dy) : Math.abs(dx * (y1 - y0) - dy * (x1 - x0)) / length;
    if (away > STRAIGHT) return false;
  }
  return true;
}

/** The shapes that painting a path leaves. */
export function shapesOf(
  parts: readonly Subpath[],
  paint: { readonly isFilled: boolean; readonly isStroked: boolean },
  state: GraphicsState,
): PdfShape[] {
  const make = (kind: 'fill' | 'stroke', s: Subpath): PdfShape => ({
    kind,
    points: s.points,
    is_straight: s.isStraight,
    is_closed: s.isClosed,
    width: kind === 'stroke' ? Math.max(state.lineWidth * scaleOf(state.ctm), 0.1) : 0,
    color: kind === 'stroke' ? state.stroke : state.fill,
    clip: state.clip as Box,
  });
  return parts.flatMap((s) => [
    ...(paint.isFilled ? [make('fill', s)] : []),
    ...(paint.isStroked ? [make('stroke', s)] : []),
  ]);
}
