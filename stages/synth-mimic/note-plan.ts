/**
 * What a block of stays shares out before its subjects are made: how many reports each has, in which layouts, and how
 * many masks its note carries. Counts over a block are exact, as dirty_rows.csv asks.
 */
import { shuffle } from './diagnoses.js';
import { unitsOf } from './dirt.js';
import { exp } from './math.js';
import type { Choice, DirtyRule } from './numbers.js';
import { STANDARD_LAYOUT } from './radiology.js';
import type { Streams } from './rng.js';

/** What the notes and reports of one stay have to carry. */
export interface NotePlan {
  /** Layout of each report in order of time; as many reports as layouts. */
  readonly layouts: readonly string[];
  /** Masked places of D78 in the discharge note. */
  readonly masks: number;
  /** A further discharge note of D83: of the last earlier admission, or an addendum where there was none. */
  readonly hasSecondNote: boolean;
}

/** A block of stays: the first one, how many, of how many in all. */
export interface Block {
  readonly first: number;
  readonly size: number;
}

/** Mean number of reports a stay: 3 of D87 are 48 percent of all (radiology_formats.csv). */
const REPORTS_PER_STAY = 6.25;
const MOST_REPORTS = 18;

/** What planning looks at. `fewest` says how many reports a stay needs at least. */
export interface Planning {
  readonly rules: readonly DirtyRule[];
  readonly streams: Streams;
  readonly layouts: readonly Choice[];
  readonly faults: readonly ReadonlySet<string>[];
  readonly fewest: (k: number) => number;
  readonly hasPrior: (k: number) => boolean;
  readonly isDirty: boolean;
}

/** The plans of a block of stays, in order. */
export function planNotes(block: Block, p: Planning): NotePlan[] {
  const { first, size } = block;
  const units = (id: string): number => {
    const rule = p.rules.find((r) => r.id === id)!;
    return unitsOf(rule, first + size) - (first === 0 ? 0 : unitsOf(rule, first));
  };
  const draw = (name: string) => (k: number) => p.streams(first + k, name).float();
  const stays = Array.from({ length: size }, (_, k) => k);
  const reports = Math.round(REPORTS_PER_STAY * (first + size)) - Math.round(REPORTS_PER_STAY * first);
  const counts = reportCounts(reports, stays.map(p.fewest), stays.map(draw('reports')));
  const all = counts.reduce((a, b) => a + b, 0);
  const layouts = shareLayouts(p.layouts, all, Math.min(all, units('D87')));
  shuffle(layouts, p.streams(first, 'layouts'));
  const withNote = stays.filter((k) => !p.faults[k]!.has('D84'));
  const masks = evenly(units('D78'), ranked(withNote, draw('fault D78')));
  const can = (k: number): boolean => p.hasPrior(k) || !p.faults[k]!.has('D84');
  const prefers = draw('fault D83');
  const seconds = ranked(stays.filter(can), (k) => prefers(k) + (p.hasPrior(k) ? 1 : 0));
  const second = new Set(seconds.slice(0, Math.max(0, units('D83') - withNote.length)));
  let at = 0;
  return stays.map((k) => {
    const own = layouts.slice(at, at + counts[k]!);
    at += own.length;
    return {
      layouts: p.isDirty ? own : own.map(() => STANDARD_LAYOUT),
      masks: masks.get(k) ?? 0,
      hasSecondNote: second.has(k),
    };
  });
}

/** Stays by rank, highest first. */
function ranked(stays: readonly number[], rank: (k: number) => number): number[] {
  return stays
    .map((k) => ({ k, rank: rank(k) }))
    .sort((a, b) => b.rank - a.rank || a.k - b.k)
    .map((x) => x.k);
}

/** Shares units evenly: everybody gets the whole part, the first ones of the ranking one more. */
function evenly(units: number, stays: readonly number[]): Map<number, number> {
  const whole = Math.floor(units / Math.max(1, stays.length));
  const rest = units - whole * stays.length;
  return new Map(stays.map((k, n) => [k, whole + (n < rest ? 1 : 0)]));
}

/** How unevenly reports fall on stays. */
const SPREAD = 1.6;

/** Reports of each stay: what it needs, and the rest by a skewed draw; the sum is exact unless the needs exceed it. */
function reportCounts(total: number, fewest: readonly number[], draws: readonly number[]): number[] {
  const weights = draws.map((u) => exp(SPREAD * u));
  const counts = [...fewest];
  let left = total - counts.reduce((a, b) => a + b, 0);
  const sum = weights.reduce((a, b) => a + b, 0);
  const most = left;
  counts.forEach((n, k) => {
    const more = Math.min(Math.floor((most * weights[k]!) / sum), MOST_REPORTS - n);
    if (most <= 0 || more <= 0) return;
    counts[k] = n + more;
    left -= more;
  });
  for (const k of ranked(
    counts.map((_, n) => n),
    (n) => weights[n]!,
  ))
    if (left-- > 0) counts[k]!++;
  return counts;
}

/** `all` layouts of which `odd` are not the standard one, in the shares of radiology_formats.csv; largest remainder. */
function shareLayouts(choices: readonly Choice[], all: number, odd: number): string[] {
  const others = choices.filter((c) => c.value !== STANDARD_LAYOUT);
  const sum = others.reduce((a, c) => a + c.weight, 0);
  const exact = others.map((c) => (odd * c.weight) / sum);
  const counts = exact.map(Math.floor);
  const rest = odd - counts.reduce((a, b) => a + b, 0);
  const byRemainder = ranked(
    others.map((_, n) => n),
    (n) => exact[n]! - counts[n]!,
  );
  for (const n of byRemainder.slice(0, rest)) counts[n]!++;
  return [
    ...Array.from({ length: all - odd }, () => STANDARD_LAYOUT),
    ...others.flatMap((c, n) => Array.from({ length: counts[n]! }, () => c.value)),
  ];
}
