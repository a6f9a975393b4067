/** The course of one ICU stay: ventilation, lines, vasopressors, dialysis, weight and height. */
import type { Course } from './admission.js';
import { lognormal } from './admission.js';
import type { Span, Stay, Subject } from './context.js';
import { clamp, exp, logistic, round } from './math.js';
import { pressorPropensity, ventPropensity } from './person.js';
import { HOUR, MINUTE, toMinute } from './time.js';

/** Compact extracts chart the first 60 hours, full ones at most 20 days. */
const HORIZON_HOURS = { compact: 60, full: 480 } as const;

/** Draws stay number `n` of the index admission. */
export function drawStay(s: Subject, c: Course, n: number): Stay {
  const times = c.stays[n]!;
  const r = s.stream(`stay ${n}`);
  const t0 = toMinute(times.intime);
  const los = times.outtime - times.intime;
  const limit = HORIZON_HOURS[s.config.size] * HOUR;
  const horizon = t0 + Math.min(Math.max(los, HOUR), limit);
  const has = (key: string): number => (s.has(key) ? 1 : 0);
  const isCut = (hours: number): number => Math.min(horizon, times.outtime, t0 + hours * HOUR);
  const span = (from: number, hours: number): Span => {
    const start = t0 + Math.floor(from * 60) * MINUTE;
    return { start, end: toMinute(Math.max(start + 30 * MINUTE, isCut(from + hours))) };
  };
  const isForced = n === 0 && s.wants.has('D52');
  const isCardiacSurgery = /Cardiac Vascular/.test(c.unit) ? 1 : 0;
  // A quarter of the stays is ventilated by the ledger of D52; these add the rest.
  const ventDrawn = r.chance(0.45 * logistic(-1.9 + ventPropensity(has) + 1.2 * isCardiacSurgery));
  const ventStart = r.chance(0.65) ? r.uniform(-0.8, 0.4) : r.uniform(1, 15);
  const ventHours = clamp(lognormal(r, isCardiacSurgery ? 9 : 26, 0.9), 3, 300);
  const isVent = isForced || (ventDrawn && !s.wants.has('D53'));
  const vent = isVent ? span(isForced ? Math.min(ventStart, 0) : ventStart, Math.max(ventHours, 6)) : null;
  const niv =
    n === 0 && s.wants.has('D53') ? span(r.uniform(-0.5, 0), clamp(lognormal(r, 6, 0.7), 2, 30)) : null;
  const pressorLogit = pressorPropensity(has) + (vent ? 0.9 : 0) + isCardiacSurgery;
  const isPressor = r.chance(logistic(-3.1 + pressorLogit)) || s.wants.has('D54') || s.wants.has('D55');
  const pressor = isPressor ? span(r.uniform(0, 5), clamp(lognormal(r, 18, 0.9), 2, 200)) : null;
  const lineLogit = (vent ? 1.6 : 0) + (pressor ? 1.6 : 0) + isCardiacSurgery;
  const artLine = r.chance(logistic(-2.1 + lineLogit)) ? span(r.uniform(-2, 3), lognormal(r, 48, 0.7)) : null;
  const centralLine = r.chance(logistic(-1.9 + lineLogit))
    ? span(r.uniform(-3, 5), lognormal(r, 90, 0.6))
    : null;
  const isDialysis = r.chance(has('esrd') ? 0.4 : has('hyperkalemia') && has('aki') ? 0.12 : 0.005);
  const dialysis = isDialysis ? span(r.uniform(1, 20), 3 + r.uniform(0, 1)) : null;
  const isCrrt = r.chance(0.02 * (has('aki') + has('atn') * 3) * (pressor ? 3 : 0.4));
  const crrt = isCrrt && !dialysis ? span(r.uniform(2, 14), lognormal(r, 50, 0.6)) : null;
  return {
    subject_id: s.subject_id,
    hadm_id: c.hadm_id,
    stay_id: times.stay_id,
    n,
    unit: c.unit,
    intime: times.intime,
    t0,
    outtime: times.outtime,
    horizon,
    isSurvivor: c.isSurvivor,
    ...body(s),
    vent,
    niv,
    artLine,
    centralLine,
    pressor,
    dialysis,
    crrt,
    diureticAt: diuretics(s, n, t0, horizon),
  };
}

/** Weight and height of the subject; women 13 cm shorter, obesity heavier. */
function body(s: Subject): { weight: number; height: number } {
  const r = s.stream('body');
  const h = s.numbers.itemByKey.get('height_cm')!;
  const w = s.numbers.itemByKey.get('weight_kg')!;
  const height = round(clamp(h.center + (s.person.isFemale ? -7.3 : 5.7) + 7 * r.normal(), 142, 203), 0);
  const median = w.center * ((height / h.center) * (height / h.center));
  const shift = s.person.shifts[w.index]!;
  const weight = clamp(median * exp(w.spread * 0.85 * r.normal() + shift), w.low, w.high);
  return { height, weight: round(weight, 1) };
}

function diuretics(s: Subject, n: number, t0: number, horizon: number): number[] {
  const r = s.stream(`diuretics ${n}`);
  const p = s.has('chf_systolic_aoc') || s.has('chf_diastolic_aoc') ? 0.75 : s.has('esrd') ? 0.02 : 0.12;
  if (!r.chance(p)) return [];
  const out: number[] = [];
  for (let t = t0 + r.int(30, 400) * MINUTE; t < horizon; t += r.int(8, 14) * HOUR) out.push(t);
  return out;
}

/** True while a span runs. */
export function isOn(span: Span | null, t: number): boolean {
  return span !== null && t >= span.start && t < span.end;
}
