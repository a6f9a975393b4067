/** Faults of dirty_rows.csv on chartevents. Rows are added where that leaves the features of the clean run alone. */
import type { Charting } from './chart.js';
import { plants, record, type Stay, type Subject } from './context.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import type { Cell, ChartRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText } from './time.js';

interface Planting {
  readonly s: Subject;
  readonly stay: Stay;
  readonly c: Charting;
  readonly r: Stream;
  readonly used: Set<ChartRow>;
}

const keyOf = (row: ChartRow): string =>
  `stay_id=${row.stay_id};itemid=${row.itemid};charttime=${timeText(row.charttime)}`;

function note(
  p: Planting,
  id: string,
  row: ChartRow,
  column: string,
  clean: Cell,
  dirty: Cell,
  expectation?: string,
): void {
  record(p.s, id, {
    table: 'icu.chartevents',
    stay_id: row.stay_id,
    key: keyOf(row),
    column,
    clean_value: clean,
    dirty_value: dirty,
    ...(expectation ? { expectation } : {}),
  });
}

/** A first-day row of the items that no other fault has touched; the later ones first choice by chance. */
function takeRow(
  p: Planting,
  itemids: readonly number[],
  isFit: (row: ChartRow) => boolean = () => true,
): ChartRow | undefined {
  const end = p.stay.t0 + DAY;
  const fit = p.c.rows.filter(
    (x) =>
      itemids.includes(x.itemid) &&
      x.charttime >= p.stay.t0 &&
      x.charttime < end &&
      !p.used.has(x) &&
      isFit(x),
  );
  if (fit.length === 0) return undefined;
  const row = p.r.pick(fit);
  p.used.add(row);
  return row;
}

/** A first-day minute at which nothing else is charted. */
function freeMinute(p: Planting): number {
  const hours = Math.min(20, Math.floor((p.stay.horizon - p.stay.t0) / HOUR));
  return p.stay.t0 + Math.max(0, p.r.int(0, Math.max(0, hours - 1))) * HOUR + (7 + p.r.int(0, 40)) * MINUTE;
}

/** Plants D16, D20, D24 to D26, D28, D37 to D41, D48, D49 and D98. */
export function plantChartFaults(s: Subject, stay: Stay, c: Charting): void {
  const p: Planting = { s, stay, c, r: s.stream('chart faults'), used: new Set() };
  const first = c.rows.find((x) => x.itemid === 220045 && x.charttime === stay.t0)!;
  p.used.add(first);
  if (s.wants.has('D20')) {
    note(
      p,
      'D20',
      first,
      'charttime',
      timeText(stay.intime),
      timeText(stay.t0),
      `first heart rate ${first.valuenum}`,
    );
  }
  if (plants(s, 'D37')) fahrenheitInCelsiusItem(p);
  if (plants(s, 'D38')) celsiusInFahrenheitItem(p);
  if (plants(s, 'D39')) fractionOfOxygen(p);
  if (plants(s, 'D40')) {
    const v = p.r.pick([0, 4, 12]);
    note(p, 'D40', c.add(freeMinute(p), 223835, String(v), v, null, 15), 'valuenum', null, v);
  }
  if (plants(s, 'D41')) weightInPounds(p);
  if (plants(s, 'D25')) secondValue(p);
  if (plants(s, 'D26')) labCopy(p);
  if (plants(s, 'D28')) {
    const v = p.r.pick([0, -1, 10_000_000]);
    note(p, 'D28', c.add(freeMinute(p), 220045, String(v), v, 'bpm'), 'valuenum', null, v);
  }
  if (plants(s, 'D48')) otherRoute(p);
  if (plants(s, 'D49')) alarmLimit(p);
  if (plants(s, 'D98')) tieAtFirst(p);
  if (plants(s, 'D24')) {
    const row = takeRow(p, [220045]) ?? first;
    c.rows.push({ ...row });
    note(p, 'D24', row, '', null, 'exact copy');
  }
  if (plants(s, 'D16')) yearLate(p);
}

const FAHRENHEIT = 223761;
const CELSIUS = 223762;

function fahrenheitInCelsiusItem(p: Planting): void {
  const row = takeRow(p, [FAHRENHEIT])!;
  row.itemid = CELSIUS;
  row.valueuom = '°C';
  const degrees = round((row.valuenum! - 32) / 1.8, 4);
  note(p, 'D37', row, 'itemid', FAHRENHEIT, CELSIUS, `${row.valuenum} under ${CELSIUS} becomes ${degrees} C`);
}

function celsiusInFahrenheitItem(p: Planting): void {
  const row = takeRow(p, [FAHRENHEIT, CELSIUS])!;
  const clean = row.itemid === FAHRENHEIT ? round((row.valuenum! - 32) / 1.8, 1) : row.valuenum!;
  const before = `${row.valuenum} under ${row.itemid}`;
  row.itemid = FAHRENHEIT;
  row.valueuom = '°F';
  row.valuenum = clamp(clean, 36, 39);
  row.value = String(row.valuenum);
  note(p, 'D38', row, 'valuenum', before, row.valuenum);
}

function fractionOfOxygen(p: Planting): void {
  const row = takeRow(p, [223835], (x) => x.valuenum! >= 21)!;
  const clean = row.valuenum!;
  row.valuenum = round(clean / 100, 2);
  row.value = String(row.valuenum);
  note(p, 'D39', row, 'valuenum', clean, row.valuenum, `read as ${clean} percent`);
}

function weightInPounds(p: Planting): void {
  const kg = p.c.rows.find((x) => x.itemid === 226512)!;
  const v = p.r.chance(0.5) ? 0 : p.stay.weight;
  const row = p.c.add(kg.charttime, 226531, String(v), v, null, 30);
  note(
    p,
    'D41',
    row,
    'valuenum',
    round(p.stay.weight / 0.45359237, 1),
    v,
    `admission weight stays ${kg.valuenum} kg`,
  );
}

function secondValue(p: Planting): void {
  const row = takeRow(p, [220210, 224690], (x) => x.charttime > p.stay.t0) ?? takeRow(p, [220210, 224690])!;
  const v = row.valuenum! + p.r.int(4, 9);
  const twin = { ...row, valuenum: v, value: String(v), storetime: row.storetime + p.r.int(2, 9) * MINUTE };
  p.c.rows.push(twin);
  note(p, 'D25', row, 'valuenum', row.valuenum, v, `mean of the charttime ${(row.valuenum! + v) / 2}`);
}

/** Chart itemid, lab itemid, a value when the stay has no such lab. */
const COPIES: readonly [number, number, number][] = [
  [220615, 50912, 1],
  [225624, 51006, 18],
  [220645, 50983, 139],
];

function labCopy(p: Planting): void {
  const [itemid, lab, usual] = p.r.pick(COPIES);
  const source = p.s.rows.labevents.find(
    (x) => x.itemid === lab && x.charttime >= p.stay.t0 && x.valuenum !== null,
  );
  const v = source?.valuenum ?? usual;
  const t = Math.max(source?.charttime ?? 0, p.stay.t0);
  note(p, 'D26', p.c.add(t, itemid, String(v), v, null, 60), 'valuenum', null, v);
}

/** Cuff beside line or the reverse, over 30 mmHg apart. */
function otherRoute(p: Planting): void {
  const isFit = (x: ChartRow): boolean => x.charttime > p.stay.t0;
  const row = takeRow(p, [220179, 220050, 225309], isFit) ?? takeRow(p, [220179, 220050, 225309])!;
  const gap = p.r.int(31, 45);
  const v = row.valuenum! > 130 ? row.valuenum! - gap : row.valuenum! + gap;
  const twin = p.c.add(row.charttime, row.itemid === 220179 ? 220050 : 220179, String(v), v, 'mmHg');
  note(p, 'D48', twin, 'valuenum', null, v, `mean of the charttime ${(row.valuenum! + v) / 2}`);
}

function alarmLimit(p: Planting): void {
  const spo2 = takeRow(p, [220277]) ?? p.c.rows.find((x) => x.itemid === 220277)!;
  const [itemid, v] = p.r.pick([
    [226253, 85],
    [223769, 100],
    [223770, 88],
  ] as const);
  note(p, 'D49', p.c.add(spo2.charttime, itemid, String(v), v, '%'), 'valuenum', null, v);
}

function tieAtFirst(p: Planting): void {
  const row = p.c.rows.find((x) => x.itemid === 220277 && x.charttime === p.stay.t0)!;
  const v = row.valuenum! - p.r.int(2, 5);
  p.c.rows.push({ ...row, valuenum: v, value: String(v), storetime: row.storetime + 3 * MINUTE });
  note(p, 'D98', row, 'valuenum', row.valuenum, v, `first SpO2 is the mean ${(row.valuenum! + v) / 2}`);
}

/** The year of one heart rate is off by one; a row behind the first day where there is one. */
function yearLate(p: Planting): void {
  const heart = p.c.rows.filter((x) => x.itemid === 220045 && !p.used.has(x));
  const row = heart.filter((x) => x.charttime >= p.stay.t0 + DAY).pop() ?? heart.pop()!;
  const clean = row.charttime;
  row.charttime += 365 * DAY;
  row.storetime += 365 * DAY;
  note(p, 'D16', row, 'charttime', timeText(clean), timeText(row.charttime));
}
