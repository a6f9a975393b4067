/** Glasgow Coma Scale: parts, totals with the tube rule, parts carried forward up to six hours. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { ChartRow } from './extract.js';
import { groupBy } from './extract.js';
import type { Num } from './read.js';
import { averaged, max, min, type Point, statistic } from './series.js';
import { HOUR, isInside } from './window.js';

const EYE = 220739;
const VERBAL = 223900;
const MOTOR = 223901;
const TUBE = 'No Response-ETT';

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
  readonly unhidden: number;
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
  put(sheet, 'F170', min(scored.map((s) => s.unhidden)));
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
  const source = c.options.profile === 'oracle' ? c.allCharts : c.charts;
  const all = chartingsOf(source);
  const scored = all.map((now, i) => scoreOf(now, all[i - 1]));
  return scored.filter((s) => isInside(c.windows.chart, s.time, null));
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
  const values = rows
    .filter((r) => r.itemid === itemid)
    .map((r) => (itemid === VERBAL && (r.value ?? '').trim() === TUBE ? 0 : r.valuenum));
  return max(values.filter((value) => value !== null));
}

/** A part that is missing now is taken from the charting before when that is less than six hours old, else normal. */
function scoreOf(now: Charting, before: Charting | undefined): Scored {
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
