/** Dose ladders: the bands that rules of one source set for one drug over one measure, their edges, holes and overlaps. */
import type { Bounds, Condition, DrugRef, MEASURES } from '../../../schemas/condition.js';
import type { Action, Rule } from '../../../schemas/rule.js';
import { canonicalJson } from '../canonical-json.js';
import { compareBounds, gapBetween, intersection, isPoint } from './band-bounds.js';
import { within } from './bounds.js';
import { printCondition, printRef } from './expression.js';
import { type BandRule, readBands } from './rule-bands.js';

type Measure = (typeof MEASURES)[number];

/** One band of a rule. A rule that names two bands (`< 15 or > 95`) has one entry for each. */
export interface Band {
  readonly rule_id: string;
  readonly bounds: Bounds;
  readonly action: Action['kind'];
  readonly dose_text: string | null;
  /** The source states it as the usual dose. */
  readonly is_usual: boolean;
  /** Other grounds of the same rule, any of which does without the band (`or dialysis`). */
  readonly or: readonly Condition[];
}

/** Numbers between two bands that no band holds. */
export interface Hole {
  readonly bounds: Bounds;
  /** False for a step between whole numbers (29 to 30) that only a fraction falls into. */
  readonly has_whole_number: boolean;
}

export interface Ladder {
  readonly source_id: string;
  /** The drug with its limits; `form` repeats that of the reference. */
  readonly drug: DrugRef;
  readonly form: DrugRef['form'];
  readonly population: Condition;
  /** Values of the facet `indication`, sorted; empty where the bands name none. */
  readonly indication: readonly string[];
  /** Everything the bands ask of the use of the drug (indication, purpose, phase, regimen), in the text form, sorted. */
  readonly use: readonly string[];
  /** Further conditions that the bands share (a disease, another drug), in the text form, sorted. */
  readonly state: readonly string[];
  readonly measure: Measure;
  readonly unit: Bounds['unit'];
  /** From low to high. */
  readonly bands: readonly Band[];
  /** Edges that two bands print as theirs; never used as values. */
  readonly ambiguous: readonly number[];
  /** Edges where one band ends and the next begins, and one of them owns the edge. */
  readonly touching: readonly number[];
  readonly holes: readonly Hole[];
  /** Pairs of bands of two rules that share more than an edge. */
  readonly overlaps: readonly { readonly rule_ids: readonly [string, string]; readonly bounds: Bounds }[];
}

/**
 * The ladders of rules. Bands belong together when source, drug, population, measure and state are the same. A rule that
 * asks less of the use (edoxaban under 15 mL/min, whatever it is given for) also stands in the ladders of rules that ask more.
 */
export function ladders(rules: readonly Rule[]): Ladder[] {
  const groups = new Map<string, BandRule[]>();
  for (const read of rules.flatMap(readBands)) {
    const key = canonicalJson([
      read.rule.source_id,
      printRef(read.drug),
      printCondition(read.rule.population),
      read.measure,
      read.unit,
      read.state,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), read]);
  }
  return [...groups.keys()].sort().flatMap((key) => laddersOf(groups.get(key)!));
}

/** One ladder for every use that a rule of the group asks for. */
function laddersOf(group: readonly BandRule[]): Ladder[] {
  const uses = new Map(group.map((g) => [g.use.join('; '), g.use]));
  return [...uses.keys()].sort().map((key) => {
    const use = uses.get(key)!;
    return toLadder(
      group.filter((g) => g.use.every((u) => use.includes(u))),
      use,
    );
  });
}

function toLadder(rules: readonly BandRule[], use: readonly string[]): Ladder {
  const [first] = rules as [BandRule];
  const bands = rules.flatMap(toBands).sort(compareBands);
  const indication = rules.flatMap((r) => r.indication);
  return {
    source_id: first.rule.source_id,
    drug: first.drug,
    form: first.drug.form,
    population: first.rule.population,
    indication: [...new Set(indication)].sort(),
    use,
    state: first.state,
    measure: first.measure,
    unit: first.unit,
    bands,
    ...edgesOf(bands),
    holes: holesOf(bands),
    overlaps: overlapsOf(bands),
  };
}

function toBands({ rule, bounds, or }: BandRule): Band[] {
  const { kind, dose_text } = rule.action;
  return bounds.map((b) => ({
    rule_id: rule.rule_id,
    bounds: b,
    action: kind,
    dose_text,
    is_usual: kind === 'state normal dose',
    or,
  }));
}

const compareBands = (a: Band, b: Band): number =>
  compareBounds(a.bounds, b.bounds) || (a.rule_id < b.rule_id ? -1 : a.rule_id > b.rule_id ? 1 : 0);

/** Pairs of bands of two rules. */
function pairs(bands: readonly Band[]): [Band, Band][] {
  return bands.flatMap((a, i) =>
    bands.slice(i + 1).flatMap((b): [Band, Band][] => (a.rule_id === b.rule_id ? [] : [[a, b]])),
  );
}

function edgesOf(bands: readonly Band[]): Pick<Ladder, 'ambiguous' | 'touching'> {
  const ambiguous = new Set<number>();
  const touching = new Set<number>();
  for (const [a, b] of pairs(bands)) {
    const both = intersection(a.bounds, b.bounds);
    // A band of one number (15 mL/min) that another one begins at is no shared edge: the number is the band.
    if (both && isPoint(both) && !isPoint(a.bounds) && !isPoint(b.bounds)) ambiguous.add(both.low!);
    for (const [low, high] of [
      [a.bounds, b.bounds],
      [b.bounds, a.bounds],
    ] as const)
      if (low.high !== null && low.high === high.low && low.high_inclusive !== high.low_inclusive)
        touching.add(low.high);
  }
  const sorted = (s: Set<number>): number[] => [...s].sort((a, b) => a - b);
  return { ambiguous: sorted(ambiguous), touching: sorted(touching) };
}

/** What lies between bands; what lies under the lowest and over the highest is open, not a hole. */
function holesOf(bands: readonly Band[]): Hole[] {
  const holes: Hole[] = [];
  let reached = bands[0]!.bounds;
  for (const { bounds } of bands.slice(1)) {
    const gap = gapBetween(reached, bounds);
    if (gap) holes.push({ bounds: gap, has_whole_number: hasWholeNumber(gap) });
    if (endsAfter(bounds, reached)) reached = bounds;
  }
  return holes;
}

const endsAfter = (a: Bounds, b: Bounds): boolean =>
  b.high !== null &&
  (a.high === null || a.high > b.high || (a.high === b.high && a.high_inclusive && !b.high_inclusive));

function hasWholeNumber(gap: Bounds): boolean {
  const from = Math.ceil(gap.low!);
  return within(from, gap) || within(from + 1, gap);
}

function overlapsOf(bands: readonly Band[]): Ladder['overlaps'][number][] {
  return pairs(bands).flatMap(([a, b]) => {
    const bounds = intersection(a.bounds, b.bounds);
    const is_edge = bounds !== null && isPoint(bounds) && !isPoint(a.bounds) && !isPoint(b.bounds);
    return bounds === null || is_edge ? [] : [{ rule_ids: [a.rule_id, b.rule_id] as const, bounds }];
  });
}

/** The one band that holds a value; null in a hole, on an ambiguous edge, and where several rules hold it. */
export function bandAt(ladder: Ladder, value: number): Band | null {
  const held = ladder.bands.filter((b) => within(value, b.bounds));
  return held.length === 1 ? held[0]! : null;
}
