/** Rules of a page: straight strokes and thin filled boxes, joined where they continue each other. */
import type { Box, PdfShape } from '../../contract.js';
import type { Piece, Rule, Rules } from './types.js';
import { type Turn, toReading, turnBox } from './upright.js';

/** Filled boxes up to this thick, in points, are rules; thicker ones are shading. */
const THIN = 3;
/** How far a stroke may lean, in points, and how far apart two ends may be to be one rule. */
const LEAN = 0.7;
const JOIN = 1.2;
/** The shortest rule, in points. */
const SHORT = 3;

interface Stroke {
  readonly isAcross: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly thickness: number;
}

/** All rules in reading position. White ones count only on shading. */
export function rulesOf(shapes: readonly PdfShape[], turn: Turn): Rules {
  const boxes = shadings(shapes, turn);
  const strokes = shapes.flatMap((s) => strokesOf(s, turn, boxes));
  return {
    across: joinStrokes(strokes.filter((s) => s.isAcross)),
    down: joinStrokes(strokes.filter((s) => !s.isAcross)),
  };
}

/** Filled boxes that are no rules, white ones left out. */
export function shadings(shapes: readonly PdfShape[], turn: Turn): Box[] {
  return shapes
    .filter((s) => s.kind === 'fill' && !isWhite(s.color))
    .map((s) => turnBox(clipped(s), (x, y) => toReading(turn, x, y)))
    .filter((b) => b[2] - b[0] > THIN && b[3] - b[1] > THIN);
}

const isWhite = (color: string): boolean => color === '#ffffff' || color === 'none';

function clipped(s: PdfShape): Box {
  const xs = s.points.filter((_, i) => i % 2 === 0);
  const ys = s.points.filter((_, i) => i % 2 === 1);
  return [
    Math.max(Math.min(...xs), s.clip[0]),
    Math.max(Math.min(...ys), s.clip[1]),
    Math.min(Math.max(...xs), s.clip[2]),
    Math.min(Math.max(...ys), s.clip[3]),
  ];
}

function strokesOf(s: PdfShape, turn: Turn, boxes: readonly Box[]): Stroke[] {
  const map = (x: number, y: number): [number, number] => toReading(turn, x, y);
  const raw = s.kind === 'fill' ? thinBox(s, map) : segments(s, map);
  return raw.filter(
    (r) => r.to - r.from >= SHORT && (!isWhite(s.color) || boxes.some((b) => isInside(r, b))),
  );
}

function isInside(r: Stroke, b: Box): boolean {
  const middle = (r.from + r.to) / 2;
  const [x, y] = r.isAcross ? [middle, r.at] : [r.at, middle];
  return x >= b[0] - 1 && x <= b[2] + 1 && y >= b[1] - 1 && y <= b[3] + 1;
}

type Map = (x: number, y: number) => [number, number];

function thinBox(s: PdfShape, map: Map): Stroke[] {
  const [x0, y0, x1, y1] = turnBox(clipped(s), map);
  const [width, height] = [x1 - x0, y1 - y0];
  if (width < 0 || height < 0) return [];
  if (height <= THIN && width > 2 * height)
    return [{ isAcross: true, at: (y0 + y1) / 2, from: x0, to: x1, thickness: height }];
  if (width <= THIN && height > 2 * width)
    return [{ isAcross: false, at: (x0 + x1) / 2, from: y0, to: y1, thickness: width }];
  return [];
}

function segments(s: PdfShape, map: Map): Stroke[] {
  if (!s.is_straight) return [];
  const points: [number, number][] = [];
  for (let i = 0; i + 1 < s.points.length; i += 2) points.push([s.points[i]!, s.points[i + 1]!]);
  if (s.is_closed) points.push(points[0]!);
  const out: Stroke[] = [];
  for (let i = 1; i < points.length; i++) {
    const clip: Box = s.clip;
    const [ax, ay] = inside(points[i - 1]!, clip);
    const [bx, by] = inside(points[i]!, clip);
    const [x0, y0, x1, y1] = turnBox([ax, ay, bx, by], map);
    if (isClippedAway(points[i - 1]!, points[i]!, clip)) continue;
    if (y1 - y0 <= LEAN && x1 - x0 > y1 - y0)
      out.push({ isAcross: true, at: (y0 + y1) / 2, from: x0, to: x1, thickness: s.width });
    else if (x1 - x0 <= LEAN)
      out.push({ isAcross: false, at: (x0 + x1) / 2, from: y0, to: y1, thickness: s.width });
  }
  return out;
}

const inside = ([x, y]: readonly [number, number], c: Box): [number, number] => [
  Math.min(Math.max(x, c[0]), c[2]),
  Math.min(Math.max(y, c[1]), c[3]),
];

function isClippedAway(a: readonly [number, number], b: readonly [number, number], c: Box): boolean {
  const margin = 1;
  return (
    Math.max(a[0], b[0]) < c[0] - margin ||
    Math.min(a[0], b[0]) > c[2] + margin ||
    Math.max(a[1], b[1]) < c[1] - margin ||
    Math.min(a[1], b[1]) > c[3] + margin
  );
}

/** Strokes on one line that touch become one rule; double rules become one, too. */
function joinStrokes(strokes: readonly Stroke[]): Rule[] {
  const lanes: Stroke[][] = [];
  for (const s of [...strokes].sort((a, b) => a.at - b.at)) {
    const last = lanes.at(-1);
    if (last && s.at - last.at(-1)!.at <= JOIN && s.at - last[0]!.at <= 2 * JOIN) last.push(s);
    else lanes.push([s]);
  }
  return lanes.flatMap(joinLane);
}

function joinLane(lane: readonly Stroke[]): Rule[] {
  const sorted = [...lane].sort((a, b) => a.from - b.from || a.to - b.to);
  const groups: Stroke[][] = [];
  let end = -Infinity;
  for (const s of sorted) {
    if (s.from <= end + JOIN) groups.at(-1)!.push(s);
    else groups.push([s]);
    end = Math.max(s.from <= end + JOIN ? end : -Infinity, s.to);
  }
  return groups.map((g) => {
    const to = Math.max(...g.map((s) => s.to));
    const from = g[0]!.from;
    const ends = g.flatMap((s) => [s.from, s.to]).filter((x) => x > from + JOIN && x < to - JOIN);
    const length = g.reduce((sum, s) => sum + s.to - s.from, 0);
    return {
      at: g.reduce((sum, s) => sum + s.at * (s.to - s.from), 0) / length,
      from,
      to,
      thickness: Math.max(...g.map((s) => s.thickness)),
      breaks: [...new Set(ends.map((x) => Math.round(x * 10) / 10))].sort((a, b) => a - b),
    };
  });
}

/** True for a rule that underlines text: just below it, no longer than it, touched by no other rule. */
export function isUnderline(rule: Rule, pieces: readonly Piece[], rules: Rules): boolean {
  const touches = rules.down.some(
    (d) => d.at >= rule.from - 2 && d.at <= rule.to + 2 && d.from <= rule.at + 2 && d.to >= rule.at - 2,
  );
  if (touches) return false;
  const above = pieces.filter(
    (p) =>
      rule.at - p.base > -0.05 * p.size &&
      rule.at - p.base < 0.32 * p.size &&
      p.x1 > rule.from - 1 &&
      p.x0 < rule.to + 1,
  );
  if (above.length === 0) return false;
  const [from, to] = [Math.min(...above.map((p) => p.x0)), Math.max(...above.map((p) => p.x1))];
  const covered = above.reduce((sum, p) => sum + Math.min(p.x1, rule.to) - Math.max(p.x0, rule.from), 0);
  return rule.from >= from - 2 && rule.to <= to + 2 && covered >= 0.6 * (rule.to - rule.from);
}
