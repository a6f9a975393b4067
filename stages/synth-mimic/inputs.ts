/** inputevents of one stay: drips in pieces, pushes, fluids, blood, antibiotics; rules in treatments.csv. */
import { parseCsv } from '../lib/csv.js';
import { lognormal } from './admission.js';
import { caregiver, EVENT_IDS_PER_SUBJECT, record, type Span, type Stay, type Subject } from './context.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import type { InputRow } from './rows.js';
import { DAY, HOUR, MINUTE, timeText, toMinute } from './time.js';

export const TREATMENTS_FILE = 'stages/synth-mimic/treatments.csv';

type Form = 'drip' | 'push' | 'bolus' | 'fluid' | 'additive' | 'dose' | 'blood';

/** When a treatment is given and how it is charted. */
export interface Treatment {
  readonly itemid: number;
  readonly form: Form;
  readonly base: number;
  readonly ventBase: number;
  readonly dx: readonly { key: string; p: number }[];
  readonly low: number;
  readonly high: number;
  readonly unit: string;
  readonly rateUnit: string;
  readonly hours: number;
  readonly perDay: number;
}

/** Reads treatments.csv. */
export function readTreatments(text: string): Treatment[] {
  return parseCsv(text, TREATMENTS_FILE).map((r) => ({
    itemid: Number(r.itemid),
    form: r.form as Form,
    base: r.base!.startsWith('vent:') ? 0 : Number(r.base),
    ventBase: r.base!.startsWith('vent:') ? Number(r.base!.slice(5)) : 0,
    dx: r
      .dx!.split(';')
      .filter(Boolean)
      .map((part) => ({ key: part.split(':')[0]!, p: Number(part.split(':')[1]) })),
    low: Number(r.low),
    high: Number(r.high),
    unit: r.unit!,
    rateUnit: r.rate_unit!,
    hours: Number(r.hours),
    perDay: Number(r.per_day),
  }));
}

const ADDITIVE =
  'Additives                                         Ampoule                                           ';
/** Category columns by form, as the demo's charting shows them. */
const CATEGORY: Readonly<Record<Form, readonly [string, string | null, string, string]>> = {
  drip: ['01-Drips', '02-Fluids (Crystalloids)', 'Main order parameter', 'Continuous Med'],
  push: ['05-Med Bolus', null, 'Main order parameter', 'Drug Push'],
  bolus: ['03-IV Fluid Bolus', null, 'Main order parameter', 'Bolus'],
  fluid: ['02-Fluids (Crystalloids)', 'Additive (Crystalloid)', 'Main order parameter', 'Continuous IV'],
  additive: ['02-Fluids (Crystalloids)', 'Additive (Crystalloid)', ADDITIVE, 'Continuous IV'],
  dose: ['08-Antibiotics (IV)', '02-Fluids (Crystalloids)', 'Main order parameter', 'Drug Push'],
  blood: ['07-Blood Products', null, 'Main order parameter', 'Continuous IV'],
};

/** Writes input rows of one stay. */
export interface Giving {
  readonly rows: InputRow[];
  give(g: {
    itemid: number;
    form: Form;
    start: number;
    end: number;
    amount: number;
    unit: string;
    rate?: number;
    rateUnit?: string;
    status?: string;
    link?: number;
  }): InputRow;
}

export function giving(s: Subject, stay: Stay): Giving {
  const r = s.stream(`inputs ${stay.n}`);
  const nurse = caregiver(r);
  const rows: InputRow[] = [];
  return {
    rows,
    give(g) {
      const orderid = s.person.i * EVENT_IDS_PER_SUBJECT + ++s.ids.order;
      const [name, second, component, description] = CATEGORY[g.form];
      const row: InputRow = {
        subject_id: stay.subject_id,
        hadm_id: stay.hadm_id,
        stay_id: stay.stay_id,
        caregiver_id: nurse,
        starttime: g.start,
        endtime: g.end,
        storetime: g.start + r.int(1, 40) * MINUTE,
        itemid: g.itemid,
        amount: g.amount,
        amountuom: g.unit,
        rate: g.rate ?? null,
        rateuom: g.rateUnit ?? null,
        orderid,
        linkorderid: g.link ?? orderid,
        ordercategoryname: name,
        secondaryordercategoryname: second,
        ordercomponenttypedescription: component,
        ordercategorydescription: description,
        patientweight: stay.weight,
        totalamount: g.form === 'push' ? null : g.unit === 'ml' ? round(g.amount, 1) : 250,
        totalamountuom: g.form === 'push' ? null : 'ml',
        isopenbag: 0,
        continueinnextdept: 0,
        statusdescription: g.status ?? 'FinishedRunning',
        originalamount: g.unit === 'ml' ? round(g.amount, 1) : round(g.amount * 1.2, 4),
        originalrate: g.rate ?? g.amount,
      };
      rows.push(row);
      return row;
    },
  };
}

/** Amount of an interval at a rate; per-kg rates need the weight. */
export function amountOf(rate: number, rateUnit: string, weight: number, seconds: number): number {
  const minutes = seconds / 60;
  const perMinute: Record<string, number> = {
    'mcg/kg/min': (rate * weight) / 1000,
    'mcg/kg/hour': (rate * weight) / 60,
    'mcg/hour': rate / 60 / 1000,
    'mg/min': rate,
    'mg/hour': rate / 60,
    'units/hour': rate / 60,
    'mL/hour': rate / 60,
  };
  return round(perMinute[rateUnit]! * minutes, 6);
}

/** A drip: pieces of 1 to 8 h with a changed rate, the last one stopped. */
export function drip(
  g: Giving,
  stay: Stay,
  r: Stream,
  d: {
    itemid: number;
    form: 'drip' | 'fluid';
    unit: string;
    rateUnit: string;
    low: number;
    high: number;
    span: Span;
    decimals: number;
  },
): void {
  let t = d.span.start;
  let rate = r.uniform(d.low, d.high);
  let link: number | undefined;
  while (t < d.span.end) {
    const end = Math.min(d.span.end, t + r.int(60, 480) * MINUTE);
    const written = round(clamp(rate, d.low / 4, d.high), d.decimals);
    // Octreotide is charted in mcg an hour and counted in mcg.
    const factor = d.rateUnit === 'mcg/hour' && d.unit === 'mcg' ? 1000 : 1;
    const row = g.give({
      itemid: d.itemid,
      form: d.form,
      start: t,
      end,
      amount: round(amountOf(written, d.rateUnit, stay.weight, end - t) * factor, 6),
      unit: d.unit,
      rate: written,
      rateUnit: d.rateUnit,
      status: end < d.span.end ? 'ChangeDose/Rate' : r.chance(0.3) ? 'Stopped' : 'FinishedRunning',
      ...(link === undefined ? {} : { link }),
    });
    link ??= row.orderid;
    t = end;
    rate = rate * r.uniform(0.7, 1.35);
  }
}

/** All inputs of a stay. */
export function inputsOfStay(s: Subject, stay: Stay, treatments: readonly Treatment[]): Giving {
  const g = giving(s, stay);
  const windowEnd = stay.t0 + DAY;
  treatments.forEach((x, k) => {
    const r = s.stream(`treat ${stay.n} ${k}`);
    let no = 1 - (x.base + (stay.vent ? x.ventBase : 0));
    for (const { key, p } of x.dx) if (s.has(key)) no *= 1 - p;
    if (!r.chance(1 - no)) return;
    const from = x.ventBase > 0 && stay.vent ? Math.max(stay.vent.start, stay.t0) : stay.t0;
    const first = from + r.int(5, 400) * MINUTE;
    if (first < stay.horizon) treat(g, stay, x, first, r);
  });
  pressors(s, stay, g);
  diuretics(s, stay, g);
  if (stay.n === 0 && s.wants.has('D56')) crossing(s, stay, g, windowEnd);
  return g;
}

function treat(g: Giving, stay: Stay, x: Treatment, first: number, r: Stream): void {
  const end = Math.min(stay.horizon, first + Math.floor(lognormal(r, x.hours || 1, 0.6) * 60) * MINUTE);
  const value = (): number => round(r.uniform(x.low, x.high), x.high < 5 ? 2 : 0);
  if (x.form === 'drip' || x.form === 'fluid') {
    const span = { start: first, end: Math.max(end, first + 30 * MINUTE) };
    drip(g, stay, r, { ...x, form: x.form, span, decimals: x.high < 5 ? 3 : 1 });
    return;
  }
  if (x.form === 'blood') {
    for (let n = r.int(1, x.hours + 1), t = first; n > 0 && t < stay.horizon; n--, t += r.int(2, 5) * HOUR) {
      const ml = value();
      const length = r.int(60, 180) * MINUTE;
      g.give({
        itemid: x.itemid,
        form: 'blood',
        start: t,
        end: t + length,
        amount: ml,
        unit: 'ml',
        rate: round((ml * HOUR) / length, 2),
        rateUnit: 'mL/hour',
      });
    }
    return;
  }
  const gap = 24 / x.perDay;
  const rows = x.form === 'bolus' ? r.int(1, Math.ceil(x.perDay)) : 99;
  for (let n = 0, t = first; n < rows && t < stay.horizon; n++) {
    const length = x.form === 'additive' ? r.int(30, 90) * MINUTE : MINUTE;
    g.give({ itemid: x.itemid, form: x.form, start: t, end: t + length, amount: value(), unit: x.unit });
    t += Math.floor((x.form === 'bolus' ? r.uniform(1, 8) : gap * r.uniform(0.8, 1.5)) * 60) * MINUTE;
  }
}

/** Vasopressors within the span the course gives. */
function pressors(s: Subject, stay: Stay, g: Giving): void {
  if (!stay.pressor) return;
  const r = s.stream(`pressors ${stay.n}`);
  const isShock = s.has('septic_shock') || s.has('cardiogenic_shock');
  const isSurgical = /Cardiac Vascular|Trauma|^Surgical|Neuro/.test(stay.unit);
  const usesPhenylephrine = s.wants.has('D54') || s.wants.has('D55') || r.chance(isSurgical ? 0.6 : 0.2);
  const usesNorepinephrine = !usesPhenylephrine || isShock || s.wants.has('D54');
  const run = (
    itemid: number,
    low: number,
    high: number,
    rateUnit: string,
    unit: string,
    share: number,
  ): void => {
    const length = Math.max(HOUR, (stay.pressor!.end - stay.pressor!.start) * share);
    const span = { start: stay.pressor!.start, end: toMinute(stay.pressor!.start + length) };
    drip(g, stay, r, { itemid, form: 'drip', unit, rateUnit, low, high, span, decimals: 3 });
  };
  if (usesNorepinephrine) run(221906, 0.03, isShock ? 0.35 : 0.15, 'mcg/kg/min', 'mg', 1);
  if (usesPhenylephrine)
    run(
      r.chance(0.17) && !s.wants.has('D54') && !s.wants.has('D55') ? r.pick([229630, 229632]) : 221749,
      0.3,
      2.5,
      'mcg/kg/min',
      'mg',
      0.6,
    );
  if (s.wants.has('D54') || (isShock && r.chance(0.25))) run(222315, 1.2, 2.4, 'units/hour', 'units', 0.7);
  if (r.chance(s.has('cardiogenic_shock') ? 0.25 : s.has('cardiac_arrest') ? 0.2 : 0.02))
    run(221289, 0.02, 0.12, 'mcg/kg/min', 'mg', 0.5);
  if (r.chance(s.has('cardiogenic_shock') ? 0.15 : 0.02)) run(221662, 3, 14, 'mcg/kg/min', 'mg', 0.5);
}

function diuretics(s: Subject, stay: Stay, g: Giving): void {
  const r = s.stream(`lasix ${stay.n}`);
  for (const t of stay.diureticAt) {
    g.give({
      itemid: 221794,
      form: 'push',
      start: t,
      end: t + MINUTE,
      amount: r.pick([20, 40, 40, 80]),
      unit: 'mg',
    });
  }
}

/** D56: a fluid that runs across the end of the first day. */
function crossing(s: Subject, stay: Stay, g: Giving, windowEnd: number): void {
  const r = s.stream('D56');
  const before = r.int(30, 180) * MINUTE;
  const after = r.int(20, 90) * MINUTE;
  const rate = r.int(40, 125);
  const row = g.give({
    itemid: 225158,
    form: 'fluid',
    start: windowEnd - before,
    end: windowEnd + after,
    amount: round((rate * (before + after)) / HOUR, 6),
    unit: 'ml',
    rate,
    rateUnit: 'mL/hour',
  });
  record(s, 'D56', {
    table: 'icu.inputevents',
    stay_id: stay.stay_id,
    key: `orderid=${row.orderid};starttime=${timeText(row.starttime)}`,
    column: 'amount',
    clean_value: row.amount,
    dirty_value: row.amount,
    expectation: `${round((rate * before) / HOUR, 6)} mL of it lie inside the first day`,
  });
}
