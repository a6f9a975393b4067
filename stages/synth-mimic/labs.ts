/** labevents of one stay: panels that share a specimen (the concept blood_differential needs that). */
import type { Stay, Subject } from './context.js';
import { gases } from './gases.js';
import { type Draw, type LabRun, labWriter, seenItems } from './lab-writer.js';
import { markers } from './markers.js';
import { clamp, round } from './math.js';
import type { Stream } from './rng.js';
import { DAY, HOUR, MINUTE } from './time.js';
import { urinePanel } from './urine.js';
import type { SeriesOf } from './values.js';

/** All labs around one stay: before it, and until the horizon (at least the whole first day while in hospital). */
export function labsOfStay(s: Subject, stay: Stay, series: SeriesOf, until: number): void {
  const r = s.stream(`lab times ${stay.n}`);
  const item = (key: string): { itemid: number; unit: string } => s.numbers.itemByKey.get(key)!;
  const run: LabRun = {
    s,
    stay,
    series,
    w: labWriter(s, stay.hadm_id, stay.t0 + DAY, `${stay.n}`),
    seen: seenItems(s, stay),
    r,
    isLate: s.wants.has('D18') && stay.n === 0,
    end: Math.min(Math.max(stay.horizon, stay.t0 + DAY), until),
    hours: (t) => (t - stay.t0) / HOUR,
    id: (key) => item(key).itemid,
    unit: (key) => item(key).unit || null,
  };
  const draws = drawTimes(run, r);
  draws.forEach((t, k) => {
    chemistry(run, t, k);
    bloodCount(run, t, k);
    coagulation(run, t, k);
  });
  gases(run);
  markers(run);
  urinePanel(run);
}

/** Times of the main panels: often one before entry, then two or three a day. */
function drawTimes(run: LabRun, r: Stream): number[] {
  const { s, stay } = run;
  const out: number[] = [];
  if (stay.n === 0 && (run.isLate || r.chance(s.numbers.scalar('pre_icu_lab_panel_share')))) {
    out.push(stay.t0 - r.int(30, 300) * MINUTE);
  }
  let t = stay.t0 + (run.isLate ? r.int(485, 560) : r.int(10, 240)) * MINUTE;
  while (t < run.end) {
    out.push(t);
    const gap = t < stay.t0 + DAY ? r.uniform(6.5, 12) : r.uniform(10, 24);
    t += Math.floor((s.config.size === 'full' ? Math.min(gap, 11) : gap) * 60) * MINUTE;
  }
  return out;
}

/** Tests that a stay has once at most, with its first chemistry. */
const ONCE = [
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
];

function chemistry(run: LabRun, t: number, k: number): void {
  const { s, seen, r, id } = run;
  if (!seen.has('na')) return;
  const h = run.hours(t);
  const d = run.w.draw(t);
  const put = (key: string): number => {
    const v = run.series(key).rounded(h);
    d.num(id(key), v, run.unit(key));
    return v;
  };
  const na = put('na');
  const potassium = put('k');
  const hco3 = put('hco3');
  // Chloride closes the gap: na + k - cl - hco3 = anion gap, within rounding noise.
  const gap = clamp(run.series('ag').next(h) + 0.8 * r.normal(), 3, 45);
  const cl = round(clamp(na + potassium - hco3 - gap, 75, 132), 0);
  d.num(id('cl'), cl, 'mEq/L');
  d.num(id('ag'), round(Math.max(3, na + potassium - cl - hco3), 0), 'mEq/L');
  const bun = put('bun');
  put('cr');
  const glu = put('glu');
  if (r.chance(0.9)) for (const key of ['ca', 'mg', 'phos']) put(key);
  if (seen.has('osm') && k < 2) {
    d.num(id('osm'), round(2 * na + glu / 18 + bun / 2.8 + 4 * r.normal(), 0), run.unit('osm'));
  }
  if (seen.has('alt') && (k === 0 || k % 3 === 1)) for (const key of ['alt', 'ast', 'alp', 'tbili']) put(key);
  if (seen.has('vanco_lvl') && k === 1) put('vanco_lvl');
  if (k > 0) return;
  for (const key of ONCE) if (seen.has(key)) put(key);
  // Uric acid and digoxin have no row in items.csv: usual adult values.
  if (r.chance(0.06)) d.num(51007, round(clamp(6.2 + 2.4 * r.normal(), 1, 22), 1), 'mg/dL');
  if (r.chance(s.has('afib') ? 0.04 : 0.005)) {
    d.num(50917, round(clamp(0.9 + 0.4 * r.normal(), 0.2, 4), 1), 'ng/mL');
  }
}

function bloodCount(run: LabRun, t: number, k: number): void {
  const { s, seen, r, id } = run;
  if (!seen.has('hgb')) return;
  const h = run.hours(t);
  const d = run.w.draw(t);
  const put = (key: string, itemid = id(key)): number => {
    const v = run.series(key).rounded(h);
    d.num(itemid, v, run.unit(key));
    return v;
  };
  const hgb = put('hgb');
  d.num(id('hct'), round(clamp(hgb * 3.02 + 0.6 * r.normal(), 11, 58), 1), '%');
  put('plt');
  // A few patients have their white cells under the older itemid.
  const wbc = put('wbc', s.person.i % 40 === 7 ? 51300 : id('wbc'));
  const mch = put('mch');
  d.num(id('rbc'), round(clamp((hgb / mch) * 10, 1.2, 6.6), 2), 'm/uL');
  for (const key of ['mcv', 'mchc', 'rdw']) put(key);
  if (seen.has('rdw_sd')) put('rdw_sd');
  if (seen.has('neut') && k < 2) differential(run, d, h, wbc);
}

/** Percentages sum to 100 at most; absolute counts follow from the white cells of the same specimen. */
function differential(run: LabRun, d: Draw, h: number, wbc: number): void {
  const { series, seen, r, id } = run;
  const neut = series('neut').rounded(h);
  const bands = seen.has('bands') ? Math.min(series('bands').rounded(h), Math.floor(100 - neut)) : 0;
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

function coagulation(run: LabRun, t: number, k: number): void {
  const { series, seen, id } = run;
  if (!seen.has('inr') || (k > 0 && k % 3 === 0)) return;
  const h = run.hours(t);
  const d = run.w.draw(t);
  const inr = series('inr').rounded(h);
  d.num(id('inr'), inr, null);
  d.num(id('pt'), round(clamp(11.2 * inr, 9, 120), 1), 'sec');
  if (seen.has('ptt')) d.num(id('ptt'), series('ptt').rounded(h), 'sec');
  if (seen.has('fib') && k < 2) d.num(id('fib'), series('fib').rounded(h), run.unit('fib'));
}
