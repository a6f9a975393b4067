/** chartevents of one stay. */
import { caregiver, plants, record, type Stay, type Subject } from './context.js';
import { clamp, round } from './math.js';
import type { Item } from './numbers.js';
import type { Stream } from './rng.js';
import type { ChartRow } from './rows.js';
import { isOn } from './stay.js';
import { HOUR, MINUTE, timeText, toMinute } from './time.js';
import { type SeriesOf, seenProb } from './values.js';

/** Share of the charting kept after the first day in a compact extract. */
const LATER_COMPACT = 0.35;
const DAY_SECONDS = 24 * HOUR;

/** Appends rows; storetime never crosses the end of the first day, so that only the ledger does (D17). */
export interface Charting {
  readonly add: (
    t: number,
    itemid: number,
    value: string | null,
    valuenum: number | null,
    unit: string | null,
    lag?: number,
  ) => ChartRow;
  readonly rows: ChartRow[];
}

/** A writer of chart rows for one stay. */
export function charting(s: Subject, stay: Stay): Charting {
  const r = s.stream(`chart ${stay.n}`);
  const windowEnd = stay.t0 + DAY_SECONDS;
  const nurse = [caregiver(r), caregiver(r), caregiver(r)];
  const rows: ChartRow[] = [];
  const add: Charting['add'] = (t, itemid, value, valuenum, unit, lag = 12) => {
    let storetime = t + Math.floor(lag * (0.2 + 1.6 * r.float())) * MINUTE + r.int(0, 59);
    if (t < windowEnd && storetime >= windowEnd) storetime = Math.max(t, windowEnd - MINUTE);
    const row: ChartRow = {
      subject_id: stay.subject_id,
      hadm_id: stay.hadm_id,
      stay_id: stay.stay_id,
      caregiver_id: nurse[r.int(0, 2)]!,
      charttime: t,
      storetime,
      itemid,
      value,
      valuenum,
      valueuom: unit,
      warning: 0,
    };
    rows.push(row);
    return row;
  };
  return { add, rows };
}

/** Times at which vital signs are charted: the minute of entry, then about hourly. */
export function chartTimes(s: Subject, stay: Stay): number[] {
  const r = s.stream(`grid ${stay.n}`);
  const out = [stay.t0];
  const firstHour = Math.ceil((stay.t0 + 10 * MINUTE) / HOUR) * HOUR;
  for (let t = firstHour; t < stay.horizon; t += HOUR) {
    const isLater = t >= stay.t0 + DAY_SECONDS;
    const isKept = !isLater || s.config.size === 'full' || r.chance(LATER_COMPACT);
    if (isKept) out.push(t);
    // A few sets between the hours.
    if (isKept && r.chance(0.06)) out.push(t + r.int(1, 3) * 15 * MINUTE);
  }
  const inside = out.filter((t) => t < stay.horizon).sort((a, b) => a - b);
  const last = toMinute(stay.horizon - MINUTE);
  if (inside[inside.length - 1]! < last && s.config.size === 'compact') inside.push(last);
  return [...new Set(inside)];
}

/** The times of one item: each charting time with the item's own frequency, at least one on the first day. */
function itemTimes(item: Item, times: readonly number[], r: Stream): number[] {
  const p = clamp(item.perDay / 24.5, 0, 1);
  const kept = times.filter(() => r.float() < p);
  if (kept.length === 0 || kept[0]! >= times[0]! + DAY_SECONDS) kept.unshift(times[0]!);
  return kept;
}

/** All chart rows of a stay. */
export function chartStay(s: Subject, stay: Stay, series: SeriesOf): Charting {
  const c = charting(s, stay);
  const times = chartTimes(s, stay);
  const hours = (t: number): number => (t - stay.t0) / HOUR;
  const r = s.stream(`chart items ${stay.n}`);
  chartPressures(s, stay, series, c, times);
  const plain = [
    'hr',
    'spo2',
    'cvp',
    'paps',
    'papd',
    'papm',
    'co',
    'icp',
    'cpp',
    'etco2',
    'svo2',
    'bladder_p',
    'qtc',
  ];
  for (const key of plain) {
    const item = s.numbers.itemByKey.get(key)!;
    const stream = s.stream(`times ${stay.n} ${key}`);
    if (!stream.chance(key === 'hr' || key === 'spo2' ? 1 : chanceOf(s, stay, item))) continue;
    const useAlt = item.altItemid > 0 && stream.chance(item.altProb);
    // The first set belongs to the minute of entry.
    const at = item.perDay >= 20 ? times : itemTimes(item, times, stream);
    for (const t of at) {
      const extra = key === 'spo2' && isOn(stay.vent, t) ? 1 : 0;
      const v = series(key).rounded(hours(t), extra);
      c.add(t, useAlt ? item.altItemid : item.itemid, String(v), v, item.unit, item.lagMinutes);
    }
  }
  chartRespiration(s, stay, series, c, times);
  chartTemperature(s, stay, series, c, times, r);
  chartGlucose(s, stay, series, c, times);
  chartBody(s, stay, c, r);
  return c;
}

/** Bladder pressure, intracranial pressure and the like follow lines and units. */
function chanceOf(s: Subject, stay: Stay, item: Item): number {
  const p = seenProb(s, item);
  if (item.key === 'cvp') return stay.centralLine ? 0.65 : 0.03;
  if (/^pap|^co$/.test(item.key)) return /Cardiac|Coronary/.test(stay.unit) && stay.centralLine ? 0.4 : 0.01;
  if (item.key === 'cpp' || item.key === 'icp')
    return /Neuro|Trauma/.test(stay.unit) ? Math.max(p, 0.1) : p / 3;
  if (item.key === 'etco2') return stay.vent ? 0.2 : 0.01;
  return p;
}

/** Cuff or line; the mean from both with noise. */
function chartPressures(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
): void {
  const r = s.stream(`pressure ${stay.n}`);
  const usesArtItems = r.chance(0.06);
  const mbpShift = s.person.shifts[s.numbers.itemByKey.get('mbp')!.index]!;
  for (const t of times) {
    const h = (t - stay.t0) / HOUR;
    const lift = isOn(stay.pressor, t) ? 8 : 0;
    const sbp = series('sbp').rounded(h, lift);
    const dbp = Math.min(series('dbp').rounded(h, lift * 0.6), sbp - 12);
    const mbp = round(clamp((sbp + 2 * dbp) / 3 + 2 * r.normal() + 0.4 * mbpShift, 25, 180), 0);
    const isLine = isOn(stay.artLine, t) && r.chance(0.9);
    const useArt = isLine && usesArtItems;
    const ids = useArt
      ? [225309, 225310, 225312]
      : isLine
        ? [220050, 220051, 220052]
        : [220179, 220180, 220181];
    [sbp, dbp, mbp].forEach((v, k) => void c.add(t, ids[k]!, String(v), v, 'mmHg'));
  }
}

function chartRespiration(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
): void {
  const r = s.stream(`breath ${stay.n}`);
  for (const t of times) {
    const rr = series('rr').rounded((t - stay.t0) / HOUR);
    const itemid = isOn(stay.vent, t) && r.chance(0.35) ? 224690 : 220210;
    c.add(t, itemid, String(rr), rr, 'insp/min');
  }
}

/** Fahrenheit in most rows, with the degree sign. */
function chartTemperature(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  c: Charting,
  times: readonly number[],
  r: Stream,
): void {
  const item = s.numbers.itemByKey.get('temp')!;
  if (stay.n > 0 ? !r.chance(item.prob) : !r.chance(item.prob) && !wantsTemperature(s)) return;
  const stream = s.stream(`times ${stay.n} temp`);
  const isCelsius = stream.chance(item.altProb) && !s.wants.has('D37');
  const at = itemTimes(item, times, stream);
  at.forEach((t, k) => {
    const celsius = series('temp').next((t - stay.t0) / HOUR);
    const v = isCelsius ? round(celsius, 1) : round(celsius * 1.8 + 32, 1);
    const row = c.add(t, isCelsius ? 223762 : 223761, String(v), v, isCelsius ? '°C' : '°F', item.lagMinutes);
    if (k === 0 && stay.n === 0 && s.wants.has('D51')) {
      record(s, 'D51', {
        table: 'icu.chartevents',
        stay_id: stay.stay_id,
        key: `stay_id=${stay.stay_id};itemid=${row.itemid};charttime=${timeText(t)}`,
        column: 'valueuom',
        clean_value: row.valueuom,
        dirty_value: row.valueuom,
      });
    }
  });
}

const wantsTemperature = (s: Subject): boolean => ['D37', 'D38', 'D51'].some((id) => s.wants.has(id));

function chartGlucose(s: Subject, stay: Stay, series: SeriesOf, c: Charting, times: readonly number[]): void {
  const item = s.numbers.itemByKey.get('glu_bed')!;
  const r = s.stream(`times ${stay.n} glu_bed`);
  const isDiabetic = s.has('dm2') || s.has('dka') || s.has('hhs');
  if (!r.chance(isDiabetic ? 0.97 : seenProb(s, item) - 0.08)) return;
  const ids = [225664, 225664, 225664, 220621, 220621, 226537];
  const itemid = r.pick(ids);
  for (const t of itemTimes(item, times, r)) {
    const v = series('glu_bed').rounded((t - stay.t0) / HOUR);
    c.add(t, itemid, String(v), v, itemid === 226537 ? null : item.unit, item.lagMinutes);
  }
}

/** Weight and height stand at the minute of entry or before it (D19), as in nearly all real stays. */
function chartBody(s: Subject, stay: Stay, c: Charting, r: Stream): void {
  const isWanted = s.wants.has('D19') && stay.n === 0;
  const needs = ['D41', 'D42', 'D55'].some((id) => s.wants.has(id)) && stay.n === 0;
  const u = r.float();
  const before = u < 0.6 ? 0 : r.int(60, 180) * MINUTE;
  const t = isWanted || needs ? stay.t0 - before : stay.t0 + r.int(2, 10) * HOUR;
  const hasWeight = isWanted || needs || r.chance(0.3);
  if (hasWeight && (isWanted || needs || t < stay.outtime)) {
    const row = c.add(t, 226512, String(stay.weight), stay.weight, 'kg', 30);
    if (isWanted) {
      record(s, 'D19', {
        table: 'icu.chartevents',
        stay_id: stay.stay_id,
        key: `stay_id=${stay.stay_id};itemid=226512;charttime=${timeText(t)}`,
        column: 'charttime',
        clean_value: timeText(t),
        dirty_value: timeText(row.charttime),
      });
    }
    if (r.chance(0.35) && !plants(s, 'D41')) {
      const lb = round(stay.weight / 0.45359237, 1);
      c.add(t, 226531, String(lb), lb, null, 30);
    }
  }
  const isMissing = s.wants.has('D30') && stay.n === 0;
  if ((isWanted && r.chance(0.6) && !isMissing) || (s.wants.has('D42') && stay.n === 0))
    chartHeight(s, stay, c, t);
  if (r.chance(0.4)) chartDailyWeights(stay, c, r);
}

function chartHeight(s: Subject, stay: Stay, c: Charting, t: number): void {
  const isTyped = plants(s, 'D42') && stay.n === 0;
  const inches = isTyped ? 24 : round(stay.height / 2.54, 0);
  const cm = isTyped ? 61 : round(inches * 2.54, 0);
  c.add(t, 226730, String(cm), cm, 'cm', 30);
  c.add(t, 226707, String(inches), inches, 'Inch', 30);
  if (!isTyped) return;
  record(s, 'D42', {
    table: 'icu.chartevents',
    stay_id: stay.stay_id,
    key: `stay_id=${stay.stay_id};itemid=226730;charttime=${timeText(t)}`,
    column: 'valuenum',
    clean_value: stay.height,
    dirty_value: 61,
  });
}

function chartDailyWeights(stay: Stay, c: Charting, r: Stream): void {
  for (let t = stay.t0 + r.int(6, 20) * HOUR; t < stay.horizon; t += DAY_SECONDS) {
    const kg = round(stay.weight * (1 + 0.02 * r.normal()), 1);
    c.add(Math.floor(t / HOUR) * HOUR, 224639, String(kg), kg, 'kg', 30);
  }
}
