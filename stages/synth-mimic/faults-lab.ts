/** Faults of dirty_rows.csv on labevents. */
import { EVENT_IDS_PER_SUBJECT, record, type Stay, type Subject } from './context.js';
import { type LabWriter, labWriter } from './lab-writer.js';
import { round } from './math.js';
import type { Stream } from './rng.js';
import type { Cell, LabRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText } from './time.js';

interface Planting {
  readonly s: Subject;
  readonly stay: Stay;
  readonly w: LabWriter;
  readonly r: Stream;
  readonly used: Set<LabRow>;
}

/** Chemistry and counts that a feature reads and whose values are plain numbers. */
const COMMON = [50983, 50971, 50882, 51006, 50912, 50931, 51222, 51265];

function note(
  p: Planting,
  id: string,
  row: LabRow,
  column: string,
  clean: Cell,
  dirty: Cell,
  expectation?: string,
): void {
  record(p.s, id, {
    table: 'hosp.labevents',
    stay_id: p.stay.stay_id,
    key: `labevent_id=${row.labevent_id}`,
    column,
    clean_value: clean,
    dirty_value: dirty,
    ...(expectation ? { expectation } : {}),
  });
}

/** A first-day row that no other fault has touched; a fresh potassium where the stay has none. */
function takeRow(
  p: Planting,
  itemids: readonly number[],
  isFit: (row: LabRow) => boolean = () => true,
): LabRow {
  const end = p.stay.t0 + DAY;
  const fit = p.w.rows.filter(
    (x) =>
      itemids.includes(x.itemid) &&
      x.hadm_id === p.stay.hadm_id &&
      x.charttime >= p.stay.t0 &&
      x.charttime < end &&
      x.valuenum !== null &&
      !p.used.has(x) &&
      isFit(x),
  );
  const [itemid, v, unit] = itemids.includes(51249) ? [51249, 33, 'g/dL'] : [50971, 4.1, 'mEq/L'];
  const row =
    fit.length > 0 ? p.r.pick(fit) : p.w.draw(freshTime(p)).num(Number(itemid), Number(v), String(unit));
  p.used.add(row);
  return row;
}

/** A first-day time for an added draw; behind the quiet first eight hours of D18. */
function freshTime(p: Planting): number {
  const first = p.s.wants.has('D18') ? 500 : 60;
  return p.stay.t0 + p.r.int(first, 1200) * MINUTE;
}

/** Plants the faults on labs of the index stay. */
export function plantLabFaults(s: Subject, stay: Stay): void {
  const w = labWriter(s, stay.hadm_id, stay.t0 + DAY, 'faults');
  const p: Planting = { s, stay, w, r: s.stream('lab faults'), used: new Set() };
  if (s.wants.has('D18')) noteEarlyPanel(p);
  if (s.wants.has('D31')) censoredTroponin(p);
  if (s.wants.has('D45')) reactiveProtein(p);
  if (s.config.profile !== 'dirty') return;
  if (s.wants.has('D17')) filedLate(p);
  if (s.wants.has('D21')) {
    const row = takeRow(p, COMMON);
    row.hadm_id = null;
    note(p, 'D21', row, 'hadm_id', stay.hadm_id, null);
  }
  if (s.wants.has('D23')) {
    const row = takeRow(p, [50971]);
    row.itemid = 52610;
    note(
      p,
      'D23',
      row,
      'itemid',
      50971,
      52610,
      'refused with a message: 52610 has label, fluid and category of 50971 but no feature reads it',
    );
  }
  if (s.wants.has('D27')) corrected(p);
  if (s.wants.has('D33')) {
    const row = takeRow(p, COMMON);
    const clean = row.value;
    row.value = '___';
    note(p, 'D33', row, 'value', clean, '___', `valuenum ${row.valuenum} is used`);
  }
  if (s.wants.has('D44')) {
    const row = takeRow(p, [51249]);
    row.valueuom = '%';
    note(p, 'D44', row, 'valueuom', 'g/dL', '%');
  }
  if (s.wants.has('D89')) {
    const row = takeRow(p, COMMON, (x) => x.comments === null);
    row.comments = 'Result "checked twice", by hand\nand by analyzer.';
    note(p, 'D89', row, 'comments', null, row.comments);
  }
  addedRows(p);
}

/** D29, D32, D34, D36, D43, D46 and D47: draws of their own. */
function addedRows(p: Planting): void {
  const { s, w, r } = p;
  if (s.wants.has('D29')) {
    const [itemid, v, unit] = r.pick([
      [50813, 1_276_103, 'mmol/L'],
      [50931, 1_276_103, 'mg/dL'],
      [50983, 0, 'mEq/L'],
    ] as const);
    note(p, 'D29', w.draw(freshTime(p)).num(itemid, v, unit), 'valuenum', null, v);
  }
  if (s.wants.has('D32')) {
    const [itemid, value, comments, unit, limit] = r.pick(BEYOND);
    const row = w.draw(freshTime(p)).text(itemid, value, comments, unit);
    note(
      p,
      'D32',
      row,
      value === null ? 'comments' : 'value',
      null,
      value ?? comments,
      `value ${limit}, censored above`,
    );
  }
  if (s.wants.has('D34')) {
    const row = w.draw(freshTime(p)).text(r.pick([50971, 50912, 50983]), '___', r.pick(['HOLD.', '___']));
    note(p, 'D34', row, 'value', null, '___');
  }
  if (s.wants.has('D36')) {
    const [itemid, text] = r.pick([
      [50827, '35/.'],
      [50819, '/20.'],
    ] as const);
    note(p, 'D36', w.draw(freshTime(p)).text(itemid, null, text), 'comments', null, text);
  }
  if (s.wants.has('D43')) {
    const row = w.draw(freshTime(p)).num(52551, r.int(250, 9000), 'ng/mL DDU');
    note(p, 'D43', row, 'itemid', null, 52551, 'D-dimer units of 52551 are not read: F267 holds FEU only');
  }
  if (s.wants.has('D46')) {
    const [itemid, v] = r.pick([
      [51053, 12],
      [51478, 1000],
    ] as const);
    note(p, 'D46', w.draw(freshTime(p)).num(itemid, v, 'mg/dL'), 'itemid', null, itemid);
  }
  if (s.wants.has('D47')) {
    const d = w.draw(freshTime(p), 12);
    const row = d.text(52033, 'VEN.', null);
    d.num(50821, 35, 'mm Hg');
    note(p, 'D47', row, 'value', null, 'VEN.');
  }
}

/** Results beyond a limit: itemid, value, comments, unit, limit. */
const BEYOND: readonly (readonly [number, string | null, string | null, string, number])[] = [
  [51492, '>300', null, 'mg/dL', 300],
  [51516, null, '>182*.', '#/hpf', 182],
  [51493, null, '>182*.', '#/hpf', 182],
  [51003, null, 'GREATER THAN 20 NG/ML.', 'ng/mL', 20],
];

/** D18: the panel before entry; nothing is drawn in the first eight hours. */
function noteEarlyPanel(p: Planting): void {
  const early = p.w.rows.find(
    (x) => x.charttime < p.stay.t0 && x.charttime >= p.stay.t0 - 5 * HOUR && x.hadm_id === p.stay.hadm_id,
  );
  const row = early ?? p.w.draw(p.stay.t0 - 2 * HOUR).num(50971, 4.2, 'mEq/L');
  const after = p.w.rows
    .filter((x) => x.itemid === row.itemid && x.charttime >= p.stay.t0 && x.charttime < p.stay.t0 + DAY)
    .sort((a, b) => a.charttime - b.charttime)[0];
  const plain = after ? `first value ${after.valuenum}` : 'null';
  note(
    p,
    'D18',
    row,
    'charttime',
    null,
    timeText(row.charttime),
    `${plain} with lookback 0, ${row.valuenum} with lookback 6 h`,
  );
}

/** D31: below detection; the sentence behind it holds another number. */
function censoredTroponin(p: Planting): void {
  const isDirty = p.s.config.profile === 'dirty';
  const trap = '<0.01.  CTNT > 0.10 NG/ML SUGGESTS ACUTE MI.';
  const row = p.w.draw(freshTime(p)).text(51003, null, isDirty ? trap : '<0.01.', 'ng/mL');
  note(p, 'D31', row, 'comments', '<0.01.', trap, 'value 0.005, censored below');
}

/** D45: the same protein in mg/dL. */
function reactiveProtein(p: Planting): void {
  const mgL = p.r.int(4, 220);
  const isDirty = p.s.config.profile === 'dirty';
  const row = p.w
    .draw(freshTime(p))
    .num(50889, isDirty ? round(mgL / 10, 1) : mgL, isDirty ? 'mg/dL' : 'mg/L');
  note(p, 'D45', row, 'valueuom', `${mgL} mg/L`, `${row.valuenum} mg/dL`, `read as ${mgL} mg/L`);
}

/** D17: charted inside the first day, filed after it. */
function filedLate(p: Planting): void {
  const row = takeRow(p, COMMON);
  const clean = row.storetime!;
  row.storetime = p.stay.t0 + DAY + p.r.int(60, 1200) * MINUTE;
  note(
    p,
    'D17',
    row,
    'storetime',
    timeText(clean),
    timeText(row.storetime),
    `${row.itemid} = ${row.valuenum} only under availability charttime`,
  );
}

/** D27: a second row of the same specimen and item, filed later. */
function corrected(p: Planting): void {
  const end = p.stay.t0 + DAY;
  const row = takeRow(p, COMMON, (x) => x.storetime! + HOUR < end);
  const base = p.s.person.i * EVENT_IDS_PER_SUBJECT;
  // Half of the corrections lower the value, so that the latest and the largest of a specimen differ.
  const v =
    row.labevent_id % 2 === 0
      ? round(row.valuenum! * 1.15 + 1, 1)
      : Math.max(0.1, round(row.valuenum! * 0.85 - 0.1, 1));
  const fixed: LabRow = {
    ...row,
    labevent_id: base + ++p.s.ids.labevent,
    valuenum: v,
    value: String(v),
    storetime: row.storetime! + 40 * MINUTE,
  };
  p.w.rows.push(fixed);
  p.used.add(fixed);
  note(
    p,
    'D27',
    fixed,
    'valuenum',
    row.valuenum,
    v,
    `${v} (latest storetime); ${Math.max(v, row.valuenum!)} in the oracle profile`,
  );
}
