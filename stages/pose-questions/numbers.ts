/** Numbers for vignettes: plausible, and away from every printed edge. */
import type { Bounds, MEASURES, Unit } from '../../schemas/condition.js';
import type { RandomStream } from '../contract.js';
import { within } from '../lib/rules/bounds.js';

export interface Wanted {
  readonly bounds: Bounds;
  readonly want: boolean;
}

/** Plausible values of a number in one unit, ascending. */
export interface Grid {
  readonly unit: Unit;
  readonly values: readonly number[];
}

const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) =>
    Number((from + i * step).toFixed(4)),
  );

type Measure = (typeof MEASURES)[number];

/** Values that a vignette may give, by measure and unit. */
const MEASURE_GRIDS: Readonly<Partial<Record<Measure, readonly Grid[]>>> = {
  CrCl: [{ unit: 'mL/min', values: range(8, 118) }],
  CrCl_per_area: [{ unit: 'mL/min/{1.73_m2}', values: range(8, 118) }],
  eGFR: [{ unit: 'mL/min/{1.73_m2}', values: range(8, 108) }],
  serum_creatinine: [
    { unit: 'mg/dL', values: range(0.7, 3, 0.1) },
    { unit: 'umol/L', values: range(60, 260, 2) },
  ],
  weight: [{ unit: 'kg', values: range(38, 98) }],
  QT: [{ unit: 'ms', values: range(380, 540, 2) }],
  QTc: [{ unit: 'ms', values: range(380, 540, 2) }],
};

export const measureGrids = (m: Measure): readonly Grid[] => MEASURE_GRIDS[m] ?? [];

/** Completed units of age that a vignette may give. */
export const AGE_GRIDS: readonly Grid[] = [
  { unit: 'd', values: range(3, 27) },
  { unit: 'mo', values: range(2, 23) },
  { unit: 'a', values: range(2, 89) },
];
export const GESTATION_GRID: Grid = { unit: 'wk', values: range(6, 39) };

/**
 * At least 10 % from a numeric bound, a week from a gestational bound, a year from an age bound in years (a tenth of the
 * bound, at least one unit, where the age is in smaller units).
 */
export function isClear(value: number, b: Bounds, kind: 'measure' | 'age' | 'gestation'): boolean {
  return [b.low, b.high].every((edge) => {
    if (edge === null) return true;
    const margin =
      kind === 'measure'
        ? edge * 0.1
        : kind === 'gestation'
          ? 1
          : b.unit === 'a'
            ? 1
            : Math.max(1, edge * 0.1);
    return Math.abs(value - edge) >= margin - 1e-9;
  });
}

/** A value of the grid that is inside all wanted bounds and outside the others, clear of all; undefined when there is none. */
export function pickNumber(
  grid: Grid,
  wanted: readonly Wanted[],
  kind: 'measure' | 'age' | 'gestation',
  random: RandomStream,
  prefer: (value: number) => boolean = () => true,
): number | undefined {
  const fits = grid.values.filter((v) =>
    wanted.every((w) => within(v, w.bounds) === w.want && isClear(v, w.bounds, kind)),
  );
  const preferred = fits.filter(prefer);
  const from = preferred.length > 0 ? preferred : fits;
  return from.length === 0 ? undefined : from[random.below(from.length)];
}
