/** outputevents, procedureevents and omr of one subject. */
import { lognormal } from './admission.js';
import {
  caregiver,
  EVENT_IDS_PER_SUBJECT,
  plants,
  record,
  type Span,
  type Stay,
  type Subject,
} from './context.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import type { OutputRow, ProcedureRow } from './rows.js';
import { DAY, dateText, HOUR, MINUTE, timeText } from './time.js';
import { type SeriesOf, seenProb } from './values.js';

/** Writes output rows of one stay. */
export interface Draining {
  readonly rows: OutputRow[];
  readonly add: (t: number, itemid: number, value: number) => OutputRow;
}

function draining(stay: Stay, r: Stream): Draining {
  const nurse = caregiver(r);
  const rows: OutputRow[] = [];
  const add = (t: number, itemid: number, value: number): OutputRow => {
    const row: OutputRow = {
      subject_id: stay.subject_id,
      hadm_id: stay.hadm_id,
      stay_id: stay.stay_id,
      caregiver_id: nurse,
      charttime: t,
      storetime: t + r.int(2, 50) * MINUTE,
      itemid,
      value,
      valueuom: 'ml',
    };
    rows.push(row);
    return row;
  };
  return { rows, add };
}

/** Urine, drains, gastric and stool output. */
export function outputsOfStay(s: Subject, stay: Stay, series: SeriesOf): Draining {
  const r = s.stream(`outputs ${stay.n}`);
  const { rows, add } = draining(stay, r);
  urine(s, stay, series, add, r);
  const run = (itemid: number, perDay: number, value: () => number): void => {
    for (let t = stay.t0 + r.int(1, 4) * HOUR; t < stay.horizon; t += step(s, stay, t, perDay, r)) {
      add(Math.floor(t / HOUR) * HOUR, itemid, value());
    }
  };
  const drain = (key: string, others: readonly number[], extra = 0): void => {
    const item = s.numbers.itemByKey.get(key)!;
    if (!r.chance(Math.max(seenProb(s, item), extra))) return;
    const itemid = r.chance(0.6) ? item.itemid : r.pick(others);
    run(itemid, item.perDay * 0.5, () => series(key).rounded(1));
  };
  const isChest = /Cardiac Vascular/.test(stay.unit) || s.has('pneumothorax') || s.has('rib_fractures');
  drain('chest_tube', [226589, 226590, 226592, 226593, 226591, 226595, 229413, 229414], isChest ? 0.5 : 0);
  drain('gastric', [226576, 226573, 226571, 226569, 226574]);
  drain('stool', [226580, 226583]);
  const rare = (p: number, itemids: readonly number[], median: number, perDay: number): void => {
    if (r.chance(p)) run(r.pick(itemids), perDay, () => round(clamp(lognormal(r, median, 0.6), 1, 900), 0));
  };
  rare(s.has('bowel_ischemia') || s.has('bowel_obstruction') ? 0.2 : 0.004, [226582], 150, 4);
  rare(s.has('sah') || s.has('ich') ? 0.25 : 0.002, [226606, 226607, 226610, 226608, 226609], 9, 12);
  rare(
    /^Surgical|Trauma/.test(stay.unit) ? 0.15 : 0.01,
    [226599, 226600, 226601, 226602, 226604, 226605, 226597, 226598, 226619, 226620],
    35,
    4,
  );
  if (/Cardiac Vascular|^Surgical|Trauma/.test(stay.unit) && r.chance(0.35)) {
    add(stay.t0 + 30 * MINUTE, r.chance(0.85) ? 226627 : 226631, round(lognormal(r, 500, 0.7), 0));
    if (r.chance(0.6))
      add(stay.t0 + 30 * MINUTE, r.chance(0.9) ? 226626 : 226629, round(lognormal(r, 250, 0.8), 0));
  }
  return { rows, add };
}

/** Seconds to the next row; compact extracts chart less after the first day. */
function step(s: Subject, stay: Stay, t: number, perDay: number, r: Stream): number {
  const slow = s.config.size === 'compact' && t > stay.t0 + DAY ? 1.7 : 1;
  const hours = (24 / perDay) * slow * r.uniform(0.6, 1.5);
  return Math.max(1, Math.round(hours)) * HOUR;
}

/** Foley hourly, voids fewer and larger; diuretics add 60 percent for six hours. */
function urine(s: Subject, stay: Stay, series: SeriesOf, add: Draining['add'], r: Stream): void {
  const item = s.numbers.itemByKey.get('urine')!;
  if (!r.chance(item.prob)) return;
  const isVoid = !stay.vent && r.chance(0.3);
  const itemid = isVoid
    ? r.pick([226560, 226560, 226560, 226561, 226567])
    : r.chance(0.985)
      ? item.itemid
      : r.pick([226563, 226564, 226565, 226584, 226557, 226558]);
  const perDay = isVoid ? 5.5 : 16;
  for (
    let t = Math.ceil(stay.t0 / HOUR) * HOUR + r.int(0, 2) * HOUR;
    t < stay.horizon;
    t += step(s, stay, t, perDay, r)
  ) {
    const isMoved = stay.diureticAt.some((at) => t > at && t <= at + 6 * HOUR);
    const value = series('urine').next((t - stay.t0) / HOUR) * (isMoved ? 1.6 : 1) * (isVoid ? 3 : 1);
    add(t, itemid, round(clamp(value, 0, 2500), 0));
  }
}

interface Procedure {
  itemid: number;
  span: Span;
  kind: 'line' | 'run' | 'task';
  category: string;
  location: string | null;
  locationCategory: string | null;
}

/** Lines, ventilation, dialysis and single procedures. */
export function proceduresOfStay(s: Subject, stay: Stay): ProcedureRow[] {
  const r = s.stream(`procedures ${stay.n}`);
  const list: Procedure[] = [];
  const task = (
    itemid: number,
    p: number,
    category: string,
    t = stay.t0 + r.int(10, 1300) * MINUTE,
  ): void => {
    if (r.chance(p) && t < stay.horizon)
      list.push({
        itemid,
        span: { start: t, end: t + MINUTE },
        kind: 'task',
        category,
        location: null,
        locationCategory: null,
      });
  };
  const line = (
    itemid: number,
    span: Span | null,
    places: readonly string[],
    locationCategory: string,
  ): void => {
    if (!span) return;
    const location = r.chance(0.75) ? r.pick(places) : null;
    list.push({
      itemid,
      span,
      kind: 'line',
      category: 'Invasive Lines',
      location,
      locationCategory: location ? locationCategory : null,
    });
  };
  const run = (itemid: number, span: Span | null, category: string): void => {
    if (span) list.push({ itemid, span, kind: 'run', category, location: null, locationCategory: null });
  };
  const has = (key: string): number => (s.has(key) ? 1 : 0);
  const veins = ['Right IJ', 'Left IJ', 'Right Subclavian', 'Left Subclavian', 'Right Femoral.'];
  line(
    225752,
    stay.artLine,
    ['Right Radial', 'Left Radial', 'Right Femoral', 'Left Brachial'],
    'Invasive Arterial',
  );
  line(
    r.weighted([
      { id: 224263, weight: 0.6 },
      { id: 224264, weight: 0.22 },
      { id: 224267, weight: 0.12 },
      { id: 225199, weight: 0.03 },
      { id: 225315, weight: 0.03 },
    ]).id,
    stay.centralLine,
    veins,
    'Invasive Venous',
  );
  const isPac = r.chance(/Cardiac Vascular/.test(stay.unit) ? 0.25 : 0.15 * has('cardiogenic_shock'));
  line(r.chance(0.7) ? 224560 : 224269, isPac ? stay.centralLine : null, ['Right IJ'], 'Invasive Venous');
  const whole: Span = {
    start: stay.t0 + r.int(20, 300) * MINUTE,
    end: Math.max(stay.horizon, stay.t0 + 6 * HOUR),
  };
  line(
    r.pick([224272, 224272, 228169, 229529]),
    r.chance(0.18 * has('cardiogenic_shock')) ? whole : null,
    ['Right Femoral'],
    'Invasive Arterial',
  );
  line(
    r.pick([226124, 229519, 229519]),
    r.chance(0.3 * (has('sah') + has('ich')) + 0.05 * has('sdh_traumatic')) ? whole : null,
    ['Right Frontal'],
    'Invasive Neuro',
  );
  task(226474, 0.03 * has('sdh_traumatic'), 'Procedures');
  task(226475, 0.1 * has('sah'), 'Procedures');
  run(225792, stay.vent, 'Ventilation');
  // Half of the D53 stays have the mask in the device text alone.
  const isTextOnly = s.wants.has('D53') && stay.n === 0 && s.person.i % 2 === 1;
  run(225794, isTextOnly ? null : stay.niv, 'Ventilation');
  run(225441, stay.dialysis, 'Continuous Procedures');
  run(
    r.weighted([
      { id: 225802, weight: 0.75 },
      { id: 225803, weight: 0.1 },
      { id: 225809, weight: 0.1 },
      { id: 225955, weight: 0.05 },
    ]).id,
    stay.crrt,
    'Dialysis',
  );
  run(225805, r.chance(0.03 * has('esrd')) ? whole : null, 'Dialysis');
  if (stay.vent && stay.vent.start >= stay.t0) task(224385, 0.85, 'Intubation/Extubation', stay.vent.start);
  const isSick = has('septicemia') + has('pneumonia') + has('neutropenic_fever') + has('endocarditis');
  task(r.chance(0.85) ? 225459 : 229581, 0.62, 'Imaging');
  if (stay.vent) task(225459, 0.6, 'Imaging');
  task(
    r.chance(0.92) ? 221214 : 229582,
    0.14 + 0.5 * Math.min(1, has('ich') + has('sah') + has('ischemic_stroke') + has('sdh_traumatic')),
    'Imaging',
  );
  task(
    r.chance(0.92) ? 225432 : 221255,
    0.12 +
      0.35 *
        Math.min(1, has('nstemi') + has('chf_systolic_aoc') + has('endocarditis') + has('cardiogenic_shock')),
    'Imaging',
  );
  task(r.chance(0.88) ? 225401 : 225444, Math.min(0.85, 0.12 + 0.45 * isSick), 'Procedures');
  task(
    225400,
    0.02 + 0.1 * has('vap') + 0.08 * has('ards') + 0.05 * has('pneumonia_aspiration'),
    'Procedures',
  );
  task(225439, 0.01 + 0.45 * has('gi_bleed') + 0.8 * has('variceal_bleed'), 'Procedures');
  task(225399, 0.004 + 0.6 * has('meningitis_bacterial'), 'Procedures');
  task(225433, 0.004 + 0.45 * has('pneumothorax') + 0.06 * has('rib_fractures'), 'Procedures');
  task(225464, 0.003 + 0.08 * has('vtach') + 0.02 * has('afib'), 'Significant Events');
  task(225466, 0.2 * has('cardiac_arrest'), 'Significant Events');
  return list.filter((p) => p.span.end > p.span.start).map((p) => procedureRow(s, stay, p, r));
}

function procedureRow(s: Subject, stay: Stay, p: Procedure, r: Stream): ProcedureRow {
  const minutes = (p.span.end - p.span.start) / MINUTE;
  const isTask = p.kind === 'task';
  const row: ProcedureRow = {
    subject_id: stay.subject_id,
    hadm_id: stay.hadm_id,
    stay_id: stay.stay_id,
    caregiver_id: caregiver(r),
    starttime: p.span.start,
    endtime: p.span.end,
    storetime: p.span.start + r.int(5, 90) * MINUTE,
    itemid: p.itemid,
    value: isTask ? 1 : minutes,
    valueuom: isTask ? 'None' : 'min',
    location: p.location,
    locationcategory: p.locationCategory,
    orderid: s.person.i * EVENT_IDS_PER_SUBJECT + ++s.ids.order,
    linkorderid: 0,
    ordercategoryname: p.category,
    ordercategorydescription: isTask ? 'Task' : 'ContinuousProcess',
    patientweight: stay.weight,
    isopenbag: isTask ? 0 : 1,
    continueinnextdept: 0,
    statusdescription: 'FinishedRunning',
    ORIGINALAMOUNT: isTask ? 1 : minutes,
    ORIGINALRATE: isTask ? 0 : 1,
  };
  row.linkorderid = row.orderid;
  if (p.itemid === 225792 && stay.n === 0 && plants(s, 'D60')) {
    row.valueuom = r.chance(0.5) ? 'hour' : 'day';
    row.value = round(minutes / (row.valueuom === 'hour' ? 60 : 1440), 6);
    row.ORIGINALAMOUNT = row.value;
    record(s, 'D60', {
      table: 'icu.procedureevents',
      stay_id: stay.stay_id,
      key: `orderid=${row.orderid}`,
      column: 'value',
      clean_value: `${minutes} min`,
      dirty_value: `${row.value} ${row.valueuom}`,
      expectation: `hours from ${timeText(row.starttime)} to ${timeText(row.endtime)}`,
    });
  }
  return row;
}

/** Outpatient measurements before the admission. */
export function omrOfSubject(s: Subject, stay: Stay, admittime: number): void {
  const r = s.stream('omr');
  const add = (day: number, seq: number, name: string, value: string): void =>
    void s.rows.omr.push({
      subject_id: s.subject_id,
      chartdate: day,
      seq_num: seq,
      result_name: name,
      result_value: value,
    });
  const today = Math.floor(admittime / DAY);
  if (r.chance(0.79)) {
    let day = today;
    for (let n = r.int(1, 4); n > 0; n--) {
      day -= r.int(5, 250);
      const kg = stay.weight * (1 + 0.03 * r.normal());
      const meters = stay.height / 100;
      add(
        day,
        1,
        'Blood Pressure',
        `${Math.round(132 + 14 * r.normal())}/${Math.round(76 + 8 * r.normal())}`,
      );
      add(day, 1, 'Weight (Lbs)', String(round(kg / 0.45359237, 1)));
      if (r.chance(0.6) && !s.wants.has('D30'))
        add(day, 1, 'Height (Inches)', String(round(stay.height / 2.54, 0)));
      if (r.chance(0.8)) add(day, 1, 'BMI (kg/m2)', String(round(kg / (meters * meters), 1)));
    }
  }
  if (!plants(s, 'D30')) return;
  // The newest of all, and the stay has no height: the body mass index falls back to what stands before it.
  const day = today - r.int(1, 4);
  const [name, value] = r.chance(0.5) ? ['BMI (kg/m2)', '4649.4'] : ['Weight (Lbs)', '0'];
  add(day, 1, name!, value!);
  record(s, 'D30', {
    table: 'hosp.omr',
    key: `subject_id=${s.subject_id};chartdate=${dateText(day)};seq_num=1;result_name=${name}`,
    column: 'result_value',
    clean_value: null,
    dirty_value: value!,
  });
}
