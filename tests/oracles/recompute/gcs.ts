/** Glasgow Coma Scale: parts, totals with the tube rule, parts carried forward up to six hours. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { ChartRow } from './extract.js';
import { groupBy } from './extract.js';
import type { Num } from './read.js';
import { within } from './registry.js';
import { averaged, max, min, type Point, statistic } from './series.js';
import { HOUR, isInside } from './window.js';

const EYE = 220739;
const VERBAL = 223900;
const MOTOR = 223901;
const TUBE = 'No Response-ETT';
const LIMITS: Record<number, { low: number; high: number }> = {
  [EYE]: { low: 1, high: 4 },
  [VERBAL]: { low: 1, high: 5 },
  [MOTOR]: { low: 1, high: 6 },
};

/** One charting of the scale; verbal 0 means a tube. */
export interface Charting {
  readonly time: number;
  readonly eye: Num;
  readonly verbal: Num;
  readonly motor: Num;
}

/** A charting with its total; parts are its own, else carried. */
export interface Scored extends Charting {
  readonly total: number;
  /** Total with the verbal part of a tube estimated from eye and motor. */
  readonly unhidden: Num;
}

/** F161 to F164, F166, F170 (single parts are plain chart statistics). */
export function gcsFeatures(c: Case, sheet: Sheet): void {
  const scored = scoredChartings(c);
  const totals = scored.map((s): Point => ({ time: s.time, order: 0, value: s.total }));
  put(sheet, 'F161', statistic('first', totals));
  put(sheet, 'F162', statistic('last', totals));
  put(sheet, 'F163', statistic('min', totals));
  put(sheet, 'F164', statistic('max', totals));
  put(sheet, 'F166', verbalMinimum(c));
  put(sheet, 'F170', min(scored.map((s) => s.unhidden).filter((x) => x !== null)));
}

/** The charting with the lowest total; the latest of equals (the neurological part of APS III reads it). */
export function lowestCharting(c: Case): Scored | null {
  const scored = scoredChartings(c);
  const lowest = min(scored.map((s) => s.total));
  return scored.filter((s) => s.total === lowest).at(-1) ?? null;
}

function verbalMinimum(c: Case): Num {
  const spoken = c.charts.filter((r) => r.itemid === VERBAL && (r.value ?? '').trim() !== TUBE);
  const points = spoken
    .filter((r) => r.valuenum !== null && r.valuenum >= 1 && r.valuenum <= 5)
    .map((r) => ({ time: r.charttime, order: 0, value: r.valuenum! }));
  return statistic('min', averaged(points, 'item'));
}

/** Chartings of the window in order of time, each with its total. */
export function scoredChartings(c: Case): Scored[] {
  const isConcept = c.options.profile === 'oracle';
  const all = chartingsOf(isConcept ? c.allCharts : c.charts);
  const scored = all.map((now, i) => (isConcept ? scoreOfConcept(now, all[i - 1]) : scoreOf(now, all)));
  return scored.filter((s): s is Scored => s !== null && isInside(c.windows.chart, s.time, null));
}

function chartingsOf(rows: readonly ChartRow[]): Charting[] {
  const relevant = rows.filter((r) => [EYE, VERBAL, MOTOR].includes(r.itemid));
  const times = [...groupBy(relevant, (r) => r.charttime).entries()].sort((a, b) => a[0] - b[0]);
  return times.map(([time, group]) => ({
    time,
    eye: highest(group, EYE),
    verbal: highest(group, VERBAL),
    motor: highest(group, MOTOR),
  }));
}

function highest(rows: readonly ChartRow[], itemid: number): Num {
  const values = rows.filter((r) => r.itemid === itemid).map((r) => within(r.valuenum, LIMITS[itemid]!));
  const isTube = rows.some((r) => r.itemid === VERBAL && (r.value ?? '').trim() === TUBE);
  return itemid === VERBAL && isTube ? 0 : max(values.filter((value) => value !== null));
}

/** A part that is missing now is the latest one under six hours old; without one there is no total. */
function scoreOf(now: Charting, all: readonly Charting[]): Scored | null {
  const recent = all.filter((x) => x.time <= now.time && x.time > now.time - 6 * HOUR);
  const eye = recent.findLast((x) => x.eye !== null)?.eye ?? null;
  const verbal = recent.findLast((x) => x.verbal !== null)?.verbal ?? null;
  const motor = recent.findLast((x) => x.motor !== null)?.motor ?? null;
  const unhidden = eye === null || motor === null ? null : (eye + motor) * 1.5;
  if (verbal === 0) return { time: now.time, eye, verbal, motor, total: 15, unhidden };
  if (eye === null || verbal === null || motor === null) return null;
  const total = eye + verbal + motor;
  return { time: now.time, eye, verbal, motor, total, unhidden: total };
}

/** The public concept looks back one charting, less than six hours old, and takes what is still missing for normal. */
function scoreOfConcept(now: Charting, before: Charting | undefined): Scored {
  const near = before && before.time > now.time - 6 * HOUR ? before : undefined;
  const eye = now.eye ?? near?.eye ?? null;
  const motor = now.motor ?? near?.motor ?? null;
  const verbal = now.verbal ?? near?.verbal ?? null;
  const isTubed = verbal === 0;
  // After a tube the other parts of that charting are not carried either: they count as normal.
  const carried = near?.verbal === 0 ? now : { eye, motor, verbal };
  const sum = (carried.eye ?? 4) + (carried.verbal ?? 5) + (carried.motor ?? 6);
  const parts = (eye ?? 4) + (motor ?? 6);
  return {
    time: now.time,
    eye,
    verbal,
    motor,
    total: isTubed ? 15 : sum,
    unhidden: isTubed ? parts * 1.5 : sum,
  };
}
