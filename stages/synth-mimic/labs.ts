/** labevents: panels that share a specimen, gases with their specimen row, results hidden in comments. */
import { PROVIDERS, provider, type Stay, type Subject } from './context.js';
import { clamp, exp, ln, round } from './math.js';
import type { Stream } from './rng.js';
import type { LabRow } from './rows.js';
import { isOn } from './stay.js';
import { HOUR, MINUTE } from './time.js';
import { urinePanel } from './urine.js';
import { type SeriesOf, seenProb } from './values.js';

const DAY_SECONDS = 24 * HOUR;

/** Usual limits of adults, for flag and reference columns; textbook values. */
export const REFERENCE: Readonly<Record<number, readonly [number, number]>> = {
  51222: [12, 17.5],
  51221: [36, 51],
  51265: [150, 440],
  51301: [4, 11],
  51279: [4, 6],
  50983: [133, 145],
  50971: [3.3, 5.1],
  50902: [96, 108],
  50882: [22, 32],
  50868: [8, 20],
  51006: [6, 20],
  50912: [0.4, 1.2],
  50931: [70, 105],
  50893: [8.4, 10.3],
  50960: [1.6, 2.6],
  50970: [2.7, 4.5],
  51237: [0.9, 1.1],
  51274: [9.4, 12.5],
  51275: [25, 36.5],
  50861: [0, 40],
  50878: [0, 40],
  50863: [35, 130],
  50885: [0, 1.5],
  50862: [3.5, 5.2],
  51003: [0, 0.01],
  50813: [0.5, 2],
  50820: [7.35, 7.45],
  50818: [35, 45],
  50821: [85, 105],
};

/** Writes lab rows of one subject. */
export interface LabWriter {
  readonly rows: LabRow[];
  /** A new draw: rows added to it share its specimen and times. */
  draw(t: number, lagMinutes?: number): Draw;
}

export interface Draw {
  readonly t: number;
  num(itemid: number, value: number, unit: string | null): LabRow;
  text(itemid: number, value: string | null, comments: string | null, unit?: string | null): LabRow;
}

/** A writer; storetime of a first-day draw never crosses the end of the first day (that is left to D17). */
export function labWriter(s: Subject, hadm_id: number, windowEnd: number): LabWriter {
  const r = s.stream(`lab writer ${windowEnd}`);
  const { rows } = { rows: s.rows.labevents };
  const base = s.person.i * 20_000;
  return {
    rows,
    draw(t, lagMinutes = 65) {
      const specimen_id = base + ++s.ids.specimen;
      const order_provider_id = r.chance(0.28) ? provider(r.int(0, PROVIDERS - 1)) : null;
      const priority = r.chance(0.55) ? 'STAT' : 'ROUTINE';
      let storetime = t + Math.max(4, Math.floor(lagMinutes * exp(0.62 * r.normal()))) * MINUTE;
      if (t < windowEnd && storetime >= windowEnd) storetime = Math.max(t, windowEnd - MINUTE);
      const make = (itemid: number): LabRow => {
        const limits = REFERENCE[itemid];
        const row: LabRow = {
          labevent_id: base + ++s.ids.labevent,
          subject_id: s.subject_id,
          hadm_id,
          specimen_id,
          itemid,
          order_provider_id,
          charttime: t,
          storetime,
          value: null,
          valuenum: null,
          valueuom: null,
          ref_range_lower: limits?.[0] ?? null,
          ref_range_upper: limits?.[1] ?? null,
          flag: null,
          priority,
          comments: null,
        };
        rows.push(row);
        return row;
      };
      return {
        t,
        num(itemid, value, unit) {
          const row = make(itemid);
          row.value = String(value);
          row.valuenum = value;
          row.valueuom = unit;
          const limits = REFERENCE[itemid];
          if (limits && (value < limits[0] || value > limits[1])) row.flag = 'abnormal';
          return row;
        },
        text(itemid, value, comments, unit = null) {
          const row = make(itemid);
          row.value = value;
          row.comments = comments;
          row.valueuom = unit;
          return row;
        },
      };
    },
  };
}

/** Which panels a stay has at all, decided once. */
interface Seen {
  has(key: string): boolean;
}

function seenItems(s: Subject, stay: Stay): Seen {
  const out = new Map<string, boolean>();
  return {
    has(key) {
      let yes = out.get(key);
      if (yes === undefined) {
        yes = s.stream(`seen ${stay.n} ${key}`).chance(seenProb(s, s.numbers.itemByKey.get(key)!));
        out.set(key, yes);
      }
      return yes;
    },
  };
}

/** All labs around one stay: before it, and until the horizon (at least the whole first day while in hospital). */
export function labsOfStay(s: Subject, stay: Stay, series: SeriesOf, until: number): void {
  const r = s.stream(`lab times ${stay.n}`);
  const w = labWriter(s, stay.hadm_id, stay.t0 + DAY_SECONDS);
  const seen = seenItems(s, stay);
  const isLate = s.wants.has('D18') && stay.n === 0;
  const end = Math.min(Math.max(stay.horizon, stay.t0 + DAY_SECONDS), until);
  const draws: number[] = [];
  if (stay.n === 0 && (isLate || r.chance(s.numbers.scalar('pre_icu_lab_panel_share')))) {
    draws.push(stay.t0 - r.int(30, 300) * MINUTE);
  }
  let t = stay.t0 + (isLate ? r.int(485, 560) : r.int(10, 240)) * MINUTE;
  while (t < end) {
    draws.push(t);
    const gap = t < stay.t0 + DAY_SECONDS ? r.uniform(6.5, 12) : r.uniform(10, 24);
    t += Math.floor((s.config.size === 'full' ? Math.min(gap, 11) : gap) * 60) * MINUTE;
  }
  draws.forEach((at, k) => void mainPanel(s, stay, series, w, seen, at, k, r));
  if (!isLate || draws.length > 1) gases(s, stay, series, w, seen, end, isLate, r);
  markers(s, stay, series, w, seen, draws, isLate, r);
  urinePanel(s, stay, series, w, draws, isLate, end);
}

/** Chemistry, blood count, coagulation and liver tests of one draw. */
function mainPanel(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  w: LabWriter,
  seen: Seen,
  t: number,
  k: number,
  r: Stream,
): void {
  const h = (t - stay.t0) / HOUR;
  const unit = (key: string): string => s.numbers.itemByKey.get(key)!.unit;
  const id = (key: string): number => s.numbers.itemByKey.get(key)!.itemid;
  const d = w.draw(t);
  const put = (key: string, itemid = id(key)): number => {
    const v = series(key).rounded(h);
    d.num(itemid, v, unit(key) || null);
    return v;
  };
  if (seen.has('na')) {
    const na = put('na');
    const k4 = put('k');
    const hco3 = put('hco3');
    // Chloride closes the gap: na + k - cl - hco3 = anion gap, within rounding noise.
    const gap = clamp(series('ag').next(h) + 0.8 * r.normal(), 3, 45);
    const cl = round(clamp(na + k4 - hco3 - gap, 75, 132), 0);
    d.num(id('cl'), cl, 'mEq/L');
    d.num(id('ag'), round(Math.max(3, na + k4 - cl - hco3), 0), 'mEq/L');
    const bun = put('bun');
    put('cr');
    const glu = put('glu');
    if (r.chance(0.9)) for (const key of ['ca', 'mg', 'phos']) put(key);
    if (seen.has('osm') && k < 2)
      d.num(id('osm'), round(2 * na + glu / 18 + bun / 2.8 + 4 * r.normal(), 0), unit('osm'));
    if (seen.has('alt') && (k === 0 || k % 3 === 1))
      for (const key of ['alt', 'ast', 'alp', 'tbili']) put(key);
    const single = [
      'dbili',
      'alb',
      'tprot',
      'ldh',
      'amyl',
      'lip',
      'crp',
      'ferr',
      'tg',
      'a1c',
      'tsh',
      'ft4',
      'cort',
      'vanco_lvl',
    ];
    for (const key of single) if (seen.has(key) && k === (key === 'vanco_lvl' ? 1 : 0)) put(key);
    if (k === 0 && r.chance(0.06)) d.num(51007, round(clamp(6.2 + 2.4 * r.normal(), 1, 22), 1), 'mg/dL');
    if (k === 0 && r.chance(s.has('afib') ? 0.04 : 0.005))
      d.num(50917, round(clamp(0.9 + 0.4 * r.normal(), 0.2, 4), 1), 'ng/mL');
  }
  bloodCount(s, series, w, seen, t, h, k, r);
  coagulation(series, w, seen, t, h, k, id, unit);
}

function bloodCount(
  s: Subject,
  series: SeriesOf,
  w: LabWriter,
  seen: Seen,
  t: number,
  h: number,
  k: number,
  r: Stream,
): void {
  if (!seen.has('hgb')) return;
  const id = (key: string): number => s.numbers.itemByKey.get(key)!.itemid;
  const d = w.draw(t);
  const hgb = series('hgb').rounded(h);
  d.num(id('hgb'), hgb, 'g/dL');
  d.num(id('hct'), round(clamp(hgb * 3.02 + 0.6 * r.normal(), 11, 58), 1), '%');
  d.num(id('plt'), series('plt').rounded(h), 'K/uL');
  const wbc = series('wbc').rounded(h);
  const isOldItem = s.person.i % 40 === 7;
  d.num(isOldItem ? 51300 : id('wbc'), wbc, 'K/uL');
  const mch = series('mch').rounded(h);
  d.num(id('rbc'), round(clamp((hgb / mch) * 10, 1.2, 6.6), 2), 'm/uL');
  d.num(id('mcv'), series('mcv').rounded(h), 'fL');
  d.num(id('mch'), mch, 'pg');
  d.num(id('mchc'), series('mchc').rounded(h), 'g/dL');
  d.num(id('rdw'), series('rdw').rounded(h), '%');
  if (seen.has('rdw_sd')) d.num(id('rdw_sd'), series('rdw_sd').rounded(h), 'fL');
  if (seen.has('neut') && k < 2) differential(s, series, d, seen, h, wbc, r);
}

/** Percentages sum to 100 at most; absolute counts follow from the white cells of the same specimen. */
function differential(
  s: Subject,
  series: SeriesOf,
  d: Draw,
  seen: Seen,
  h: number,
  wbc: number,
  r: Stream,
): void {
  const id = (key: string): number => s.numbers.itemByKey.get(key)!.itemid;
  const neut = series('neut').rounded(h);
  const bands = seen.has('bands') ? Math.min(series('bands').rounded(h), 100 - neut) : 0;
  const rest = ['lymph', 'mono', 'eos', 'baso'].map((key) => series(key).next(h));
  const room = Math.max(0.5, 100 - neut - bands);
  const sum = rest.reduce((a, b) => a + b, 0);
  const scale = sum > room ? room / sum : 1;
  const [lymph, mono, eos, baso] = rest.map((x) => Math.floor(x * scale * 10) / 10);
  d.num(id('neut'), neut, '%');
  d.num(r.chance(0.03) ? 51245 : id('lymph'), lymph!, '%');
  d.num(id('mono'), mono!, '%');
  d.num(id('eos'), eos!, '%');
  d.num(id('baso'), baso!, '%');
  if (seen.has('bands')) d.num(id('bands'), bands, '%');
  if (seen.has('ig')) d.num(id('ig'), series('ig').rounded(h), '%');
  if (seen.has('anc')) d.num(id('anc'), round((wbc * neut) / 100, 2), 'K/uL');
  if (seen.has('alc')) {
    if (r.chance(0.1)) d.num(52769, round(wbc * lymph! * 10, 0), '#/uL');
    else d.num(id('alc'), round((wbc * lymph!) / 100, 2), 'K/uL');
  }
  if (r.chance(0.08)) d.num(51257, round(Math.abs(0.8 * r.normal()), 1), '%');
  if (r.chance(0.03)) d.num(51283, round(clamp(2 + 1.1 * r.normal(), 0.3, 12), 1), '%');
}

function coagulation(
  series: SeriesOf,
  w: LabWriter,
  seen: Seen,
  t: number,
  h: number,
  k: number,
  id: (key: string) => number,
  unit: (key: string) => string,
): void {
  if (!seen.has('inr') || (k > 0 && k % 3 === 0)) return;
  const d = w.draw(t);
  const inr = series('inr').rounded(h);
  d.num(id('inr'), inr, null);
  d.num(id('pt'), round(clamp(11.2 * inr, 9, 120), 1), 'sec');
  if (seen.has('ptt')) d.num(id('ptt'), series('ptt').rounded(h), 'sec');
  if (seen.has('fib') && k < 2) d.num(id('fib'), series('fib').rounded(h), unit('fib'));
}

/** Gases: one specimen with its type row 52033; bicarbonate and base excess follow from pH and pCO2. */
function gases(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  w: LabWriter,
  seen: Seen,
  end: number,
  isLate: boolean,
  r: Stream,
): void {
  const hasGas = stay.vent !== null || seen.has('ph');
  const hasLactate = seen.has('lact');
  if (!hasGas && !hasLactate) return;
  const perDay = hasGas ? (stay.vent ? 5 : 2.5) : 1.6;
  let t = stay.t0 + (isLate ? 500 : r.int(5, 120)) * MINUTE;
  while (t < end) {
    gas(s, stay, series, w, t, hasGas, hasLactate, seen, r);
    const slow = t > stay.t0 + DAY_SECONDS ? 2 : 1;
    t += Math.floor((24 / perDay) * slow * r.uniform(0.6, 1.5) * 60) * MINUTE;
  }
}

function gas(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  w: LabWriter,
  t: number,
  hasGas: boolean,
  hasLactate: boolean,
  seen: Seen,
  r: Stream,
): void {
  const h = (t - stay.t0) / HOUR;
  const d = w.draw(t, 12);
  const isArterial = isOn(stay.artLine, t) ? r.chance(0.93) : r.chance(0.6);
  const types = s.numbers.texts.get('bg_specimen')!.filter((x) => x.value !== 'ART.');
  d.text(52033, isArterial ? 'ART.' : r.weighted(types).value, null);
  if (hasLactate) d.num(50813, series('lact').rounded(h), 'mmol/L');
  if (!hasGas) return;
  const ph = series('ph').rounded(h, isArterial ? 0 : -0.04);
  const pco2 = series('pco2').rounded(h, isArterial ? 0 : 6);
  const ratio = isArterial ? 0 : ln(0.42);
  const po2 = series('po2').rounded(h, ratio);
  const hco3 = 0.0307 * pco2 * exp((ph - 6.1) * 2.302585092994046);
  d.num(50820, ph, 'units');
  d.num(50818, pco2, 'mm Hg');
  d.num(50821, po2, 'mm Hg');
  d.num(50804, round(clamp(hco3 + 0.0307 * pco2, 5, 52), 0), 'mEq/L');
  d.num(50802, round(clamp(0.93 * (hco3 - 24.4 + 14.8 * (ph - 7.4)), -28, 22), 0), 'mEq/L');
  if (seen.has('ica')) d.num(50808, series('ica').rounded(h), 'mmol/L');
  if (seen.has('wb_k'))
    d.num(50822, round(clamp(series('k').next(h) + 0.15 * r.normal(), 2.2, 8), 1), 'mEq/L');
  if (seen.has('wb_na')) d.num(50824, round(clamp(series('na').next(h) + r.normal(), 108, 172), 0), 'mEq/L');
  if (seen.has('wb_glu'))
    d.num(50809, round(clamp(series('glu').next(h) * (1 + 0.05 * r.normal()), 30, 1400), 0), 'mg/dL');
  if (seen.has('wb_na') && r.chance(0.6))
    d.num(50811, round(clamp(series('hgb').next(h) + 0.3 * r.normal(), 3.5, 19), 1), 'g/dL');
  if (seen.has('so2') && r.chance(0.5)) d.num(50817, series('so2').rounded(h, isArterial ? 0 : -22), '%');
  if (isOn(stay.vent, t) && seen.has('bg_fio2')) d.num(50816, series('fio2').rounded(h), '%');
  if (isArterial && r.chance(0.03)) d.num(50801, round(clamp(250 + 120 * r.normal(), 20, 620), 0), 'mm Hg');
  if (r.chance(0.008)) d.num(50805, round(clamp(1.2 + 0.7 * r.normal(), 0, 9), 0), '%');
  if (r.chance(0.007)) d.num(50814, round(clamp(0.8 + 0.5 * r.normal(), 0, 4), 0), '%');
}

/** Heart markers and other tests that stand alone; troponin below its limit stands in comments only. */
function markers(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  w: LabWriter,
  seen: Seen,
  draws: readonly number[],
  isLate: boolean,
  r: Stream,
): void {
  const first = stay.t0 + (isLate ? 490 : r.int(5, 200)) * MINUTE;
  const id = (key: string): number => s.numbers.itemByKey.get(key)!.itemid;
  const hours = (t: number): number => (t - stay.t0) / HOUR;
  const isWanted = s.wants.has('D31') && stay.n === 0;
  const hasTroponin = isWanted ? false : r.chance((seenProb(s, s.numbers.itemByKey.get('tnt')!) - 0.2) / 0.8);
  if (hasTroponin) {
    for (let k = 0, t = first; k < 3; k++, t += r.int(5, 9) * HOUR) {
      const d = w.draw(t);
      const v = series('tnt').next(hours(t));
      if (v < 0.01) d.text(51003, null, '<0.01.  BELOW THE LIMIT OF DETECTION.', 'ng/mL');
      else d.num(51003, round(v, 2), 'ng/mL');
      if (r.chance(0.3)) break;
    }
  }
  if (seen.has('ck')) {
    const d = w.draw(first + 3 * MINUTE);
    d.num(id('ck'), series('ck').rounded(hours(first)), 'IU/L');
    if (seen.has('ckmb')) d.num(id('ckmb'), series('ckmb').rounded(hours(first)), 'ng/mL');
  }
  for (const key of ['bnp', 'ddimer', 'esr', 'nh3'] as const) {
    if (!seen.has(key)) continue;
    const item = s.numbers.itemByKey.get(key)!;
    const isAlt = key === 'ddimer' && r.chance(item.altProb);
    w.draw(first + r.int(0, 60) * MINUTE).num(
      isAlt ? item.altItemid : item.itemid,
      series(key).rounded(2),
      item.unit,
    );
  }
  if (seen.has('hapto')) {
    const v = series('hapto').rounded(2);
    const d = w.draw(first + 9 * MINUTE);
    if (v < 10) d.text(50935, null, '<10*.', 'mg/dL');
    else d.num(50935, v, 'mg/dL');
  }
  toxicology(s, series, w, seen, first, r);
  if (seen.has('csf_wbc')) {
    const d = w.draw(first + 150 * MINUTE);
    for (const key of ['csf_wbc', 'csf_prot', 'csf_glu'])
      d.num(id(key), series(key).rounded(3), s.numbers.itemByKey.get(key)!.unit);
  }
  void draws;
}

function toxicology(s: Subject, series: SeriesOf, w: LabWriter, seen: Seen, t: number, r: Stream): void {
  if (!seen.has('etoh') && !seen.has('apap')) return;
  const d = w.draw(t + 4 * MINUTE);
  const put = (itemid: number, v: number, unit: string): void => {
    if (v < 1) d.text(itemid, null, 'NEG.', unit);
    else d.num(itemid, v, unit);
  };
  put(50922, series('etoh').rounded(1), 'mg/dL');
  put(50856, series('apap').rounded(1), 'ug/mL');
  put(50981, r.chance(0.05) ? r.int(3, 40) : 0, 'mg/dL');
}
