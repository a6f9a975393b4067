/** The numbers of a patient that wanted literals leave open: age, weeks, measures. */
import type { Patient } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import type { Literal } from './literals.js';
import { AGE_GRIDS, GESTATION_GRID, type Grid, measureGrids, pickNumber } from './numbers.js';
import { NoScenario, type Profile, type Scenario } from './scenario-types.js';

const LIKELY_AGES: Readonly<Record<Profile, readonly [number, number]>> = {
  older_adult: [68, 88],
  adult: [28, 58],
  pregnant: [22, 39],
  child: [3, 16],
};

/** Ages of the other member where its age must differ: near enough that nothing else would. */
const OTHER_AGES: Readonly<Record<Profile, readonly [number, number]>> = {
  older_adult: [50, 63],
  adult: [28, 58],
  pregnant: [22, 39],
  child: [24, 45],
};

interface AgeSpec {
  readonly profile: Profile;
  readonly random: RandomStream;
  readonly like: Scenario | undefined;
  /** An illness of later life is wanted. */
  readonly is_late: boolean;
}
const LATE_FROM = 46;

export function pickAge(wanted: readonly Literal[], spec: AgeSpec): Patient['age'] {
  const { profile, random, like, is_late } = spec;
  const bounds = wanted.flatMap(({ predicate, want }) =>
    predicate.type === 'age' && predicate.kind === 'chronological'
      ? [{ bounds: predicate.bounds, want }]
      : [],
  );
  const before = like?.patient.age;
  if (before && bounds.every((b) => agesFit([b], before))) return before;
  const [start, to] = like ? OTHER_AGES[profile] : LIKELY_AGES[profile];
  const from = is_late && profile === 'adult' ? LATE_FROM : start;
  const grids = [...AGE_GRIDS].reverse();
  const converted = (grid: Grid) =>
    bounds.map((b) => ({ want: b.want, bounds: inUnit(b.bounds, grid.unit) }));
  for (const grid of preferUnit(
    grids,
    bounds.map((b) => b.bounds.unit),
  )) {
    const likely = (v: number): boolean => grid.unit !== 'a' || (v >= from && v <= to);
    const value = pickNumber(grid, converted(grid), 'age', random, likely);
    if (value !== undefined) return { value, unit: grid.unit as 'a' | 'mo' | 'd' };
  }
  throw new NoScenario('no age fits');
}

const agesFit = (wanted: Parameters<typeof pickNumber>[1], age: NonNullable<Patient['age']>): boolean =>
  wanted.every((w) => {
    const value = (age.value * DAYS_IN[age.unit]!) / DAYS_IN[w.bounds.unit]!;
    return (
      pickNumber({ unit: w.bounds.unit, values: [value] }, [w], 'age', { below: () => 0 } as never) !==
      undefined
    );
  });

const DAYS_IN: Readonly<Record<string, number>> = { a: 365.25, mo: 365.25 / 12, wk: 7, d: 1 };

function inUnit<B extends { low: number | null; high: number | null; unit: string }>(b: B, unit: string): B {
  if (b.unit === unit) return b;
  const factor = DAYS_IN[b.unit]! / DAYS_IN[unit]!;
  return {
    ...b,
    unit,
    low: b.low === null ? null : b.low * factor,
    high: b.high === null ? null : b.high * factor,
  };
}

/** Grids in the unit of the smallest bound first. */
function preferUnit(grids: readonly Grid[], units: readonly string[]): Grid[] {
  const finest = ['d', 'wk', 'mo', 'a'].find((u) => units.includes(u));
  return [...grids].sort((a, b) => Number(b.unit === finest) - Number(a.unit === finest));
}

export function pickPostmenstrual(wanted: readonly Literal[], random: RandomStream): number | null {
  const bounds = wanted.flatMap(({ predicate, want }) =>
    predicate.type === 'age' && predicate.kind === 'postmenstrual'
      ? [{ bounds: predicate.bounds, want }]
      : [],
  );
  if (bounds.length === 0) return null;
  const values = Array.from({ length: 20 }, (_, i) => 30 + i);
  const value = pickNumber({ unit: 'wk', values }, bounds, 'gestation', random);
  if (value === undefined) throw new NoScenario('no postmenstrual age fits');
  return value;
}

interface GestationSpec {
  readonly random: RandomStream;
  readonly like: Scenario | undefined;
  /** Birth is not expected soon, which nobody can say at term. */
  readonly is_early: boolean;
}
const TERM_NEARS = 36;

export function pickGestation(wanted: readonly Literal[], spec: GestationSpec): number {
  const { random, like, is_early } = spec;
  const bounds = wanted.flatMap(({ predicate, want }) =>
    predicate.type === 'gestation' ? [{ bounds: predicate.bounds, want }] : [],
  );
  const before = like?.patient.gestation_weeks;
  if (before && pickNumber({ unit: 'wk', values: [before] }, bounds, 'gestation', random) !== undefined)
    return before;
  const value = pickNumber(GESTATION_GRID, bounds, 'gestation', random, (v) => !is_early || v < TERM_NEARS);
  if (value === undefined) throw new NoScenario('no week of gestation fits');
  return value;
}

const KIDNEY = ['CrCl', 'eGFR', 'CrCl_per_area', 'serum_creatinine'] as const;

/** Clearances that an illness or a stage of the kidneys leaves; null where nothing is known of them. */
export type Kidneys = readonly [from: number, to: number] | 'untold' | null;

interface MeasureSpec {
  readonly profile: Profile;
  readonly random: RandomStream;
  readonly like: Scenario | undefined;
  readonly kidneys: Kidneys;
}

export function pickMeasures(wanted: readonly Literal[], spec: MeasureSpec): Patient['measures'] {
  const { profile, random, like, kidneys } = spec;
  const out: Patient['measures'] = {};
  const names = [
    ...new Set(wanted.map((w) => (w.predicate.type === 'measure' ? w.predicate.measure : 'CrCl'))),
  ];
  for (const measure of names) {
    const bounds = wanted.flatMap(({ predicate: p, want }) =>
      p.type === 'measure' && p.measure === measure ? [{ bounds: p.bounds, want }] : [],
    );
    const grid = measureGrids(measure).find((g) => g.unit === bounds[0]!.bounds.unit);
    if (!grid || bounds.some((b) => b.bounds.unit !== grid.unit))
      throw new NoScenario(`no values of ${measure} in that unit`);
    const before = like?.patient.measures[measure];
    const keep =
      before?.unit === grid.unit &&
      pickNumber({ ...grid, values: [before.value] }, bounds, 'measure', random) !== undefined;
    const value = keep ? before!.value : pickNumber(grid, bounds, 'measure', random);
    if (value === undefined) throw new NoScenario(`no value of ${measure} fits`);
    out[measure] = { value, unit: grid.unit };
  }
  if (profile === 'child' || profile === 'pregnant' || KIDNEY.some((k) => out[k])) return { ...out };
  if (kidneys === 'untold') return { ...out };
  const before = like && kidneyOf(like);
  if (before && (kidneys === null || isWithin(before.CrCl?.value, kidneys))) return { ...out, ...before };
  return { ...out, ...(kidneys ? kidneyFrom(kidneys, random) : normalKidney(profile, random)) };
}

const isWithin = (v: number | undefined, [from, to]: readonly [number, number]): boolean =>
  v === undefined || (v >= from && v <= to);

const kidneyOf = (s: Scenario): Patient['measures'] =>
  Object.fromEntries(Object.entries(s.patient.measures).filter(([k]) => k === 'CrCl' || k === 'eGFR'));

/** Clearance and eGFR of an adult whose kidneys are no part of the question. */
function normalKidney(profile: Profile, random: RandomStream): Patient['measures'] {
  const base = profile === 'older_adult' ? 90 : 98;
  return kidneyFrom([base, base + 11], random, 5);
}

/** Clearance in a range and an eGFR a little under it. */
function kidneyFrom(
  [from, to]: readonly [number, number],
  random: RandomStream,
  spread = 2,
): Patient['measures'] {
  const clearance = from + random.below(to - from + 1);
  return {
    CrCl: { value: clearance, unit: 'mL/min' },
    eGFR: { value: clearance - 2 - random.below(spread), unit: 'mL/min/{1.73_m2}' },
  };
}
