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

export function pickAge(
  wanted: readonly Literal[],
  profile: Profile,
  random: RandomStream,
  like?: Scenario,
): Patient['age'] {
  const bounds = wanted.flatMap(({ predicate, want }) =>
    predicate.type === 'age' && predicate.kind === 'chronological'
      ? [{ bounds: predicate.bounds, want }]
      : [],
  );
  const before = like?.patient.age;
  if (before && bounds.every((b) => agesFit([b], before))) return before;
  const [from, to] = like ? OTHER_AGES[profile] : LIKELY_AGES[profile];
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

export function pickGestation(
  wanted: readonly Literal[],
  is_pregnant: boolean,
  random: RandomStream,
  like?: Scenario,
): number | null {
  if (!is_pregnant) return null;
  const bounds = wanted.flatMap(({ predicate, want }) =>
    predicate.type === 'gestation' ? [{ bounds: predicate.bounds, want }] : [],
  );
  const before = like?.patient.gestation_weeks;
  if (before && pickNumber({ unit: 'wk', values: [before] }, bounds, 'gestation', random) !== undefined)
    return before;
  const value = pickNumber(GESTATION_GRID, bounds, 'gestation', random);
  if (value === undefined) throw new NoScenario('no week of gestation fits');
  return value;
}

const KIDNEY = ['CrCl', 'eGFR', 'CrCl_per_area', 'serum_creatinine'] as const;

export function pickMeasures(
  wanted: readonly Literal[],
  profile: Profile,
  random: RandomStream,
  like?: Scenario,
): Patient['measures'] {
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
  return { ...out, ...(like ? kidneyOf(like) : normalKidney(profile, random)) };
}

const kidneyOf = (s: Scenario): Patient['measures'] =>
  Object.fromEntries(Object.entries(s.patient.measures).filter(([k]) => k === 'CrCl' || k === 'eGFR'));

/** Clearance and eGFR of an adult whose kidneys are no part of the question. */
function normalKidney(profile: Profile, random: RandomStream): Patient['measures'] {
  const base = profile === 'older_adult' ? 90 : 98;
  const clearance = base + random.below(12);
  return {
    CrCl: { value: clearance, unit: 'mL/min' },
    eGFR: { value: clearance - 2 - random.below(5), unit: 'mL/min/{1.73_m2}' },
  };
}
