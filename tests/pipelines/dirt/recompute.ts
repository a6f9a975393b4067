/** Statistics of a series, recomputed from the rows as plainly as possible. */
import { expect } from 'vitest';
import { FEATURES, isSame, type Values, type World } from './world.js';

export interface Point {
  readonly at: string;
  readonly num: number;
}
export type Statistics = Readonly<Record<string, number | null>>;

const mean = (xs: readonly number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;

function byTime(points: readonly Point[]): [string, number[]][] {
  const at = new Map<string, number[]>();
  for (const p of points) at.set(p.at, [...(at.get(p.at) ?? []), p.num]);
  return [...at].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Charted values: one a charttime (the mean of its rows), then the statistic. */
export function chartStatistics(points: readonly Point[]): Statistics {
  const values = byTime(points).map(([, xs]) => mean(xs));
  return statistics(values, values);
}

/** Laboratory values: extremes of all results; first and last are the mean of their charttime. */
export function labStatistics(points: readonly Point[]): Statistics {
  return statistics(
    byTime(points).map(([, xs]) => mean(xs)),
    points.map((p) => p.num),
  );
}

function statistics(inOrder: readonly number[], all: readonly number[]): Statistics {
  if (all.length === 0) return { first: null, last: null, min: null, max: null, mean: null };
  return {
    first: inOrder[0]!,
    last: inOrder.at(-1)!,
    min: Math.min(...all),
    max: Math.max(...all),
    mean: mean(inOrder),
  };
}

/** Every feature that reads exactly these itemids (and is named so) has the recomputed value. */
export function expectFeatures(
  values: Values,
  stay: number,
  itemids: readonly number[],
  expected: Statistics,
  names = /./,
): void {
  const wrong: string[] = [];
  let compared = 0;
  for (const f of FEATURES) {
    if (f.itemids.join() !== itemids.join() || !(f.statistic in expected) || !names.test(f.name)) continue;
    if (f.window.startsWith('DER')) continue;
    compared++;
    const [got, wanted] = [values.cell(stay, f.name), expected[f.statistic]!];
    if (!isSame(got, wanted, 1e-8)) wrong.push(`${stay} ${f.name}: ${got}, expected ${wanted}`);
  }
  expect(wrong).toEqual([]);
  expect(compared).toBeGreaterThan(0);
}

export interface ChartRow {
  readonly stay_id: number;
  readonly itemid: number;
  readonly charttime: string;
  readonly value: string | null;
  readonly valuenum: number | null;
}

/** Charted rows of the first day, by stay. */
export async function chartRows(
  w: World,
  side: 'dirty' | 'clean',
  itemids: readonly number[],
): Promise<Map<number, ChartRow[]>> {
  const rows = await w.sql<ChartRow>(`
    select e.stay_id, e.itemid, cast(e.charttime as varchar) as charttime, e.value, e.valuenum
    from ${side}_chartevents e join ${side}_cohort c using (stay_id)
    where e.itemid in (${itemids.join()}) and e.charttime >= c.t0 and e.charttime < c.t0 + interval 24 hour`);
  return grouped(rows, (r) => r.stay_id);
}

export interface LabRow {
  readonly stay_id: number;
  readonly labevent_id: number;
  readonly specimen_id: number;
  readonly itemid: number;
  readonly charttime: string;
  readonly storetime: string;
  readonly value: string | null;
  readonly valuenum: number | null;
  readonly comments: string | null;
  /** Filed before the first day ended. */
  readonly is_filed: boolean;
}

/** Results of the patient in the first day (or from `lookback` hours before it), by stay and itemid. */
export async function labRows(
  w: World,
  side: 'dirty' | 'clean',
  lookback = 0,
): Promise<(stay: number, itemid: number) => LabRow[]> {
  const rows = await w.sql<LabRow>(`
    select c.stay_id, e.labevent_id, e.specimen_id, e.itemid, cast(e.charttime as varchar) as charttime,
      cast(e.storetime as varchar) as storetime, e.value, e.valuenum, e.comments,
      e.storetime < c.t0 + interval 24 hour as is_filed
    from ${side}_labevents e join ${side}_cohort c using (subject_id)
    where e.charttime >= c.t0 - interval ${lookback} hour and e.charttime < c.t0 + interval 24 hour`);
  const by = grouped(rows, (r) => `${r.stay_id} ${r.itemid}`);
  return (stay, itemid) => by.get(`${stay} ${itemid}`) ?? [];
}

/** Plausible numbers, one a specimen: the one that was filed last. */
export function labPoints(rows: readonly LabRow[], limits: readonly [number, number]): Point[] {
  const inOrder = [...rows].sort((a, b) =>
    a.storetime < b.storetime ? -1 : a.storetime > b.storetime ? 1 : a.labevent_id - b.labevent_id,
  );
  const bySpecimen = new Map<number, Point>();
  for (const r of inOrder) {
    const num = r.valuenum;
    if (num === null || num < limits[0] || num > limits[1]) continue;
    bySpecimen.set(r.specimen_id, { at: r.charttime, num });
  }
  return [...bySpecimen.values()];
}

/** Plausible limits of the features that read one itemid alone. */
export function limitsOf(itemid: number): [number, number] {
  const f = FEATURES.find((x) => x.itemids.join() === String(itemid))!;
  return [f.plausible_low!, f.plausible_high!];
}

/** True where some feature reads this itemid and no other. */
export const isReadAlone = (itemid: number): boolean =>
  FEATURES.some(
    (f) => f.itemids.join() === String(itemid) && ['first', 'last', 'min', 'max'].includes(f.statistic),
  );

function grouped<R, K>(rows: readonly R[], by: (row: R) => K): Map<K, R[]> {
  const out = new Map<K, R[]>();
  for (const row of rows) {
    const list = out.get(by(row));
    if (list) list.push(row);
    else out.set(by(row), [row]);
  }
  return out;
}
