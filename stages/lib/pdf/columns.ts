/** The borders between the columns of a region: ruled ones and corridors that no text crosses. */
import type { Region } from './regions.js';
import type { Phrase } from './text-lines.js';
import type { Rule } from './types.js';

export interface Border {
  readonly x: number;
  /** True when a vertical rule draws it somewhere in the region. */
  readonly is_ruled: boolean;
  /** Where that rule stands; a border may leave it where text below runs past it. */
  readonly rule_x: number;
}

/** The narrowest corridor: em and points. */
const CORRIDOR = { em: 0.3, points: 2 } as const;
/** So many phrases that start at one x make it the left edge of a column, however narrow the corridor before it. */
const EDGE_LINES = 4;
/** Share of lines that may cross a corridor (spanning heads, overlong text). */
const CROSSING = 0.1;
/** The same where a corridor takes the place of a rule. */
const CLEAR = 0.03;

/** Borders from left to right; the outer edges of the region are not among them. `lines` are those of the body. */
export function columnBorders(region: Region, lines: readonly (readonly Phrase[])[]): Border[] {
  const several = lines.filter((l) => l.length > 1);
  const found = corridors(several.length > 0 ? several : lines, region);
  const free = corridors(lines, region, CLEAR);
  const drawn = ruledBorders(region);
  const ruled = drawn.map((x) => besideText(x, region, lines, free));
  const extra = found.filter((c) => {
    if (ruled.some((x) => x >= c.from - 3 && x <= c.to + 3)) return false;
    return isNeeded(c, ruled, lines, region);
  });
  const texts = extra.map((c) => snap(c, region.rules.across));
  return [
    ...ruled.map((x, i) => ({ x, is_ruled: true, rule_x: drawn[i]! })),
    ...texts.map((x) => ({ x, is_ruled: false, rule_x: x })),
  ].sort((a, b) => a.x - b.x);
}

/** Places of vertical rules, the outer frame left out. */
function ruledBorders(region: Region): number[] {
  const [x0, , x1] = region.box;
  const places: Rule[][] = [];
  for (const r of [...region.rules.down].sort((a, b) => a.at - b.at)) {
    const last = places.at(-1);
    if (last && r.at - last.at(-1)!.at <= 3) last.push(r);
    else places.push([r]);
  }
  return places
    .filter((p) => p.reduce((s, r) => s + r.to - r.from, 0) >= 8)
    .map((p) => p.reduce((s, r) => s + r.at, 0) / p.length)
    .filter((x) => x > x0 + 4 && x < x1 - 4);
}

/** A rule that stops above the body marks a column, but text below may run past it: the border is then the corridor. */
function besideText(
  x: number,
  region: Region,
  lines: readonly (readonly Phrase[])[],
  found: readonly Corridor[],
): number {
  const bases = lines.flatMap((l) => l.map((p) => p.base));
  const [y0, y1] = [Math.min(...bases), Math.max(...bases)];
  const beside = region.rules.down.filter((r) => Math.abs(r.at - x) <= 3);
  const ruled = beside.reduce((s, r) => s + Math.max(0, Math.min(r.to, y1) - Math.max(r.from, y0)), 0);
  const crossing = lines.filter((l) => l.some((p) => p.x0 < x - 2 && p.x1 > x + 2)).length;
  if (lines.length < 4 || ruled > 0.2 * (y1 - y0) || crossing < 3) return x;
  const away = (c: Corridor): number => Math.max(c.from - x, x - c.to, 0);
  const near = [...found].sort((a, b) => away(a) - away(b))[0];
  return near && away(near) > 0 && away(near) < 60 ? (near.from + near.to) / 2 : x;
}

interface Corridor {
  readonly from: number;
  readonly to: number;
}

/** Strips between the leftmost and the rightmost text that (nearly) no phrase crosses. */
function corridors(
  lines: readonly (readonly Phrase[])[],
  region: Region,
  crossing: number = CROSSING,
): Corridor[] {
  const phrases = lines.flat();
  if (phrases.length === 0) return [];
  const allowed = Math.floor(crossing * lines.length);
  const size = Math.max(...phrases.map((p) => p.size));
  const narrow = Math.max(CORRIDOR.points, CORRIDOR.em * Math.min(size, 12));
  const events = phrases
    .flatMap((p) => [
      { x: p.x0, step: 1 },
      { x: p.x1, step: -1 },
    ])
    .sort((a, b) => a.x - b.x || b.step - a.step);
  const isEdge = (x: number): boolean =>
    phrases.filter((p) => Math.abs(p.x0 - x) <= 0.6).length >= EDGE_LINES;
  const out: Corridor[] = [];
  let [covered, since] = [0, null as number | null];
  let seen = false;
  for (const e of events) {
    const before = covered;
    covered += e.step;
    if (before > allowed && covered <= allowed) since = e.x;
    else if (before <= allowed && covered > allowed) {
      const width = since === null ? 0 : e.x - since;
      if (since !== null && seen && (width >= narrow || (width > 0.2 && isEdge(e.x))))
        out.push({ from: since, to: e.x });
      seen = true;
      since = null;
    }
  }
  return out.filter((c) => c.to > region.box[0] && c.from < region.box[2]);
}

/** A corridor separates two columns only if some line has text on both sides; beside rules, most lines must. */
function isNeeded(
  c: Corridor,
  ruled: readonly number[],
  lines: readonly (readonly Phrase[])[],
  region: Region,
): boolean {
  const left = Math.max(region.box[0] - 5, ...ruled.filter((x) => x < c.from));
  const right = Math.min(region.box[2] + 5, ...ruled.filter((x) => x > c.to));
  const sides = lines.map((l) => [
    l.some((p) => p.x0 >= left - 2 && p.x1 <= c.to),
    l.some((p) => p.x0 >= c.from && p.x1 <= right + 2),
  ]);
  const both = sides.filter(([a, b]) => a && b).length;
  const any = sides.filter(([a, b]) => a || b).length;
  if (ruled.length === 0) return both > 0;
  return both >= 3 && both >= 0.5 * any;
}

/** The border stands where rules are broken inside the corridor, else in its middle. */
function snap(c: Corridor, across: readonly Rule[]): number {
  const ends = across.flatMap((r) => [...r.breaks, r.from, r.to]).filter((x) => x > c.from && x < c.to);
  if (ends.length === 0) return (c.from + c.to) / 2;
  const middle = (c.from + c.to) / 2;
  return ends.reduce((best, x) => (Math.abs(x - middle) < Math.abs(best - middle) ? x : best));
}
