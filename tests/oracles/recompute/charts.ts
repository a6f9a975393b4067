/** Numeric quantities of chartevents: unit rules, limits, one value a charttime, then the statistic. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { ChartRow } from './extract.js';
import type { Num } from './read.js';
import { feature, idsOf, REGISTRY, type Row, valueLimits, within } from './registry.js';
import { averaged, type Point, statistic } from './series.js';

const STATISTICS = ['first', 'last', 'min', 'max', 'mean', 'std', 'count'];

/** Features that other files of the recomputation compute although they look like plain chart statistics. */
const ELSEWHERE = new Set(['F003', 'F004', 'F160', ...idsOf(161, 164), 'F166', 'F170']);

const NIBP_AND_LINE = idsOf(93, 107);
const RESPIRATORY_RATE = idsOf(108, 113);
const TEMPERATURE = idsOf(114, 118);
/** The registry rows that ask for one mean per charttime over all their items. */
const POOLED = new Set([...NIBP_AND_LINE, ...RESPIRATORY_RATE, ...TEMPERATURE]);

/** Every plain chart statistic of the registry. */
export function chartFeatures(c: Case, sheet: Sheet): void {
  for (const row of REGISTRY) {
    const isPlain = row.source === 'icu.chartevents' && STATISTICS.includes(row.statistic);
    if (isPlain && !ELSEWHERE.has(row.id)) put(sheet, row.id, chartStatistic(c, row));
  }
}

function chartStatistic(c: Case, row: Row): Num {
  const points = seriesOf(c, row.id);
  if (row.statistic === 'count' && points.length === 0) return c.charts.length > 0 ? 0 : null;
  return statistic(row.statistic, points);
}

/**
 * The values of a registry row's items in the window, one for each charttime (and item, unless pooled). The public
 * concept rounds temperatures to two decimals.
 */
export function seriesOf(c: Case, id: string): Point[] {
  const by = c.options.profile === 'oracle' || POOLED.has(id) ? 'time' : 'item';
  const points = averaged(valuesOf(c.charts, feature(id), limitsOf(c, id)), by);
  const round = c.options.profile === 'oracle' && TEMPERATURE.includes(id);
  return round ? points.map((p) => ({ ...p, value: Math.round(p.value * 100) / 100 })) : points;
}

/** The public concepts have no upper limit for bedside glucose. */
function limitsOf(c: Case, id: string): { low: number; high: number } {
  const limits = valueLimits(feature(id));
  const open = c.options.profile === 'oracle' && idsOf(126, 128).includes(id);
  return open ? { low: Number.MIN_VALUE, high: Number.POSITIVE_INFINITY } : limits;
}

/** Converted values inside the limits, one for each row. */
export function valuesOf(
  rows: readonly ChartRow[],
  row: Row,
  limits: { low: number; high: number } = valueLimits(row),
): Point[] {
  const points: Point[] = [];
  for (const r of rows) {
    const order = row.itemids.indexOf(r.itemid);
    const value = order === -1 ? null : within(converted(r), limits);
    if (value !== null) points.push({ time: r.charttime, order, value });
  }
  return points;
}

/** The unit rule of the item (mimic.md 2.3 and the registry's unit_conversion). */
export function converted(r: ChartRow): Num {
  const x = r.valuenum;
  switch (r.itemid) {
    case 223761: // temperature in F: raw limits first, so Celsius typed here is dropped
      return x !== null && x >= 70 && x <= 120 ? (x - 32) / 1.8 : null;
    case 223762: // temperature in C: over 50 it is F typed into the C item
      return x !== null && x > 50 ? (x >= 70 && x <= 120 ? (x - 32) / 1.8 : null) : x;
    case 223835:
      return fio2Percent(x);
    case 224684:
    case 224685:
    case 224686: // tidal volume: below 2 it is litres
      return x !== null && x < 2 ? x * 1000 : x;
    case 224359: // QTc: below 2 it is seconds
      return x !== null && x < 2 ? x * 1000 : x;
    case 223791: // pain level
      return x ?? leadingNumber(r.value);
    case 224733:
    case 223907: // pupils
      return pupil(r.value) ?? x;
    case 226531: // weight in lb
      return x === null ? null : x * 0.45359237;
    case 226707: // height in inches
      return x === null ? null : x * 2.54;
    default:
      return x;
  }
}

/** FiO2 in percent: 0.2 to 1 is a fraction, over 1 and below 20 is dropped, 20 to 100 is percent. */
export function fio2Percent(x: Num): Num {
  if (x === null) return null;
  if (x >= 0.2 && x <= 1) return x * 100;
  return x >= 20 && x <= 100 ? x : null;
}

/** The number a text begins with. */
export function leadingNumber(text: string | null): Num {
  const found = /^\s*([+-]?\d+(\.\d+)?)/.exec(text ?? '');
  return found ? Number(found[1]) : null;
}

function pupil(text: string | null): Num {
  const word = (text ?? '').trim().toLowerCase();
  if (word === 'pinpoint') return 1;
  if (word === 'fully dilated') return 9;
  return leadingNumber(text);
}
