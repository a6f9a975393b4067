/** Where tables may stand: rules that meet, and stacks of rules of one length with columns of text between them. */
import { phrasesOf, type TextLine } from './text-lines.js';
import type { Box, Placed, Rule, Rules } from './types.js';

export interface Region {
  readonly box: Box;
  readonly rules: Rules;
  readonly kind: 'grid' | 'stack' | 'text';
}

/** Rules that come this near, in points, meet. */
const TOUCH = 3;
/** Ends of stacked rules differ by at most this. */
const SAME_END = 4;
/** Rules at one height with gaps up to this are read as one broken rule. */
const BROKEN = 15;

/** Grids first, then stacks that touch no grid. */
export function ruledRegions(
  rules: Rules,
  lines: readonly TextLine[],
  space: (p: Placed) => number,
): Region[] {
  const grids = mergeOverlapping(
    components(rules).filter(
      (c) => c.down.length > 0 && c.across.length > 1 && c.across.some((r) => r.to - r.from > 40),
    ),
  );
  const gridRegions = grids.map((box) => region('grid', box, rules));
  const free = rules.across.filter((r) => !grids.some((g) => isWithin(r, g)));
  const stacks = stackBoxes(free, lines, space).filter((s) => !grids.some((g) => overlaps(g, s)));
  return [...gridRegions, ...stacks.map((box) => region('stack', box, rules))].sort(
    (a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0],
  );
}

const region = (kind: Region['kind'], box: Box, rules: Rules): Region => ({
  kind,
  box,
  rules: rulesIn(rules, box),
});

/** Rules that lie inside a box. */
export function rulesIn(rules: Rules, box: Box): Rules {
  return {
    across: rules.across.filter((r) => isWithin(r, box)),
    down: rules.down.filter(
      (r) => r.at >= box[0] - TOUCH && r.at <= box[2] + TOUCH && r.to > box[1] && r.from < box[3],
    ),
  };
}

const isWithin = (r: Rule, b: Box): boolean =>
  r.at >= b[1] - TOUCH && r.at <= b[3] + TOUCH && r.from >= b[0] - TOUCH * 2 && r.to <= b[2] + TOUCH * 2;

export const overlaps = (a: Box, b: Box): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

interface Component {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
}

/** Groups of rules that meet, directly or through others. */
function components(rules: Rules): Component[] {
  const all = [
    ...rules.across.map((rule) => ({ rule, isAcross: true })),
    ...rules.down.map((rule) => ({ rule, isAcross: false })),
  ];
  const parent = all.map((_, i) => i);
  const find = (i: number): number => {
    let root = i;
    while (parent[root] !== root) root = parent[root]!;
    parent[i] = root;
    return root;
  };
  const n = rules.across.length;
  for (let a = 0; a < n; a++) {
    for (let d = n; d < all.length; d++) if (meet(all[a]!.rule, all[d]!.rule)) parent[find(a)] = find(d);
  }
  const groups = new Map<number, { across: Rule[]; down: Rule[] }>();
  for (const [i, one] of all.entries()) {
    const root = find(i);
    const group = groups.get(root) ?? { across: [], down: [] };
    (one.isAcross ? group.across : group.down).push(one.rule);
    groups.set(root, group);
  }
  return [...groups.values()];
}

const meet = (across: Rule, down: Rule): boolean =>
  down.at >= across.from - TOUCH &&
  down.at <= across.to + TOUCH &&
  across.at >= down.from - TOUCH &&
  across.at <= down.to + TOUCH;

function boxOfRules(c: Component): Box {
  const xs = [...c.across.flatMap((r) => [r.from, r.to]), ...c.down.map((r) => r.at)];
  const ys = [...c.down.flatMap((r) => [r.from, r.to]), ...c.across.map((r) => r.at)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function mergeOverlapping(found: readonly Component[]): Box[] {
  let boxes = found.map(boxOfRules);
  for (;;) {
    const merged: Box[] = [];
    for (const b of boxes) {
      const i = merged.findIndex((m) => overlaps(m, b));
      if (i < 0) merged.push(b);
      else merged[i] = unite(merged[i]!, b);
    }
    if (merged.length === boxes.length) return merged;
    boxes = merged;
  }
}

export const unite = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

interface Span {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Rules at one height, with small gaps bridged. */
function broken(rules: readonly Rule[]): Span[] {
  const out: Span[] = [];
  for (const r of [...rules].sort((a, b) => a.at - b.at || a.from - b.from)) {
    const i = out.findIndex(
      (s) => Math.abs(s.at - r.at) < 1 && r.from - s.to < BROKEN && s.from - r.to < BROKEN,
    );
    if (i < 0) out.push(r);
    else out[i] = { at: r.at, from: Math.min(out[i]!.from, r.from), to: Math.max(out[i]!.to, r.to) };
  }
  return out;
}

/** Tables in stacks; the widest stack comes first, and rules inside its tables belong to it. */
function stackBoxes(rules: readonly Rule[], lines: readonly TextLine[], space: (p: Placed) => number): Box[] {
  const stacks: Span[][] = [];
  for (const s of broken(rules).filter((x) => x.to - x.from > 60)) {
    const stack = stacks.find(
      (t) => Math.abs(t[0]!.from - s.from) <= SAME_END && Math.abs(t[0]!.to - s.to) <= SAME_END,
    );
    if (stack) stack.push(s);
    else stacks.push([s]);
  }
  const width = (t: readonly Span[]): number => t[0]!.to - t[0]!.from;
  const taken: Box[] = [];
  for (const stack of stacks.sort((a, b) => width(b) - width(a))) {
    const runs = tabularRuns(stack, lines, space).filter((b) => !taken.some((t) => overlaps(t, b)));
    taken.push(...runs);
  }
  return taken;
}

/** The runs of intervals between stacked rules that hold columns of text. */
function tabularRuns(
  stack: readonly Span[],
  lines: readonly TextLine[],
  space: (p: Placed) => number,
): Box[] {
  const out: Box[] = [];
  let start: number | null = null;
  const close = (end: number): void => {
    if (start !== null) out.push([stack[0]!.from, stack[start]!.at, stack[0]!.to, stack[end]!.at]);
    start = null;
  };
  for (let i = 1; i < stack.length; i++) {
    const box: Box = [stack[0]!.from, stack[i - 1]!.at, stack[0]!.to, stack[i]!.at];
    if (isTabular(box, lines, space)) start ??= i - 1;
    else close(i - 1);
  }
  close(stack.length - 1);
  return out;
}

/** True when at least half of the lines in a box are broken into columns and do not read as prose. */
function isTabular(box: Box, lines: readonly TextLine[], space: (p: Placed) => number): boolean {
  const inside = lines.flatMap((l) => {
    const pieces = l.pieces.filter((p) => (p.x0 + p.x1) / 2 > box[0] - 3 && (p.x0 + p.x1) / 2 < box[2] + 3);
    return l.base > box[1] && l.base < box[3] + 1 && pieces.length > 0 ? [{ ...l, pieces }] : [];
  });
  const phrases = inside.map((l) => phrasesOf(l, space));
  const several = phrases.filter((p) => p.length > 1);
  if (several.length === 0 || several.length < 0.4 * inside.length) return false;
  return !isProse(
    several.map((ps) => ps.map((p) => ({ width: p.x1 - p.x0, words: p.pieces.length }))),
    box,
  );
}

/** Two or three columns of running text: long phrases that fill the width. */
function isProse(lines: readonly (readonly { width: number; words: number }[])[], box: Box): boolean {
  const long = lines.filter((ps) => {
    const words = ps.reduce((s, p) => s + p.words, 0) / ps.length;
    const filled = ps.reduce((s, p) => s + p.width, 0) / (box[2] - box[0]);
    return words > 4 && filled > 0.75;
  });
  return long.length > 0.6 * lines.length;
}
