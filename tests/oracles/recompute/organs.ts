/** MELD (Kamath 2001, sodium: UNOS 2016), KDIGO stages (2012), eGFR by CKD-EPI 2021. */
import { ageOf } from './admin.js';
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { specimenValues } from './labs.js';
import { urineRows, volume } from './outputs.js';
import { known, type Physiology } from './physiology.js';
import type { Num } from './read.js';
import { feature, within } from './registry.js';
import { averaged, max, min, type Point } from './series.js';
import { DAY, HOUR, isBeforeEnd, isFiled } from './window.js';

/** F357: bilirubin, INR and creatinine at least 1, creatinine at most 4 and 4 on dialysis. */
export function meldFeature(sheet: Sheet, p: Physiology): void {
  const dialysis = sheet.get('F431') === 1;
  const atLeastOne = (x: Num): number => Math.max(1, x ?? 1);
  const creatinine = dialysis ? 4 : Math.min(4, atLeastOne(p.lab('F220').max));
  const sum =
    0.957 * Math.log(creatinine) +
    0.378 * Math.log(atLeastOne(p.lab('F248').max)) +
    1.12 * Math.log(atLeastOne(p.lab('F235').max)) +
    0.643;
  const initial = sum > 4 ? 40 : Math.round(Number((sum * 10).toFixed(8)));
  const sodium = p.lab('F200').min;
  const deficit = sodium === null ? 0 : 137 - Math.min(137, Math.max(125, sodium));
  const corrected = initial > 11 ? initial + 1.32 * deficit - 0.033 * initial * deficit : initial;
  put(sheet, 'F357', within(corrected, feature('F357')));
}

/** F358: each creatinine of the window against the lowest of the 48 h and 7 d before it. */
export function kdigoCreatinine(c: Case, sheet: Sheet): void {
  const all = creatinines(c);
  const now = all.filter((p) => p.time >= c.windows.lab.from);
  put(sheet, 'F358', max(now.map((p) => creatinineStage(p, all))));
}

/** Creatinine of the subject from seven days before t0 to the end of the window, one mean for each charttime. */
function creatinines(c: Case): Point[] {
  const { t0, lab } = c.windows;
  const rows = (c.extract.labs.get(c.stay.subject_id) ?? []).filter(
    (r) =>
      r.charttime >= t0 - 7 * DAY && isBeforeEnd(lab, r.charttime) && isFiled(lab, r.charttime, r.storetime),
  );
  const values = specimenValues(c, 50912, feature('F220'), rows);
  return averaged(
    values.map((s) => ({ time: s.time, order: 0, value: s.value })),
    'time',
  );
}

function creatinineStage(now: Point, all: readonly Point[]): number {
  const lowest = (span: number): Num =>
    min(all.filter((p) => p.time < now.time && p.time >= now.time - span).map((p) => p.value));
  const [low48, low7] = [lowest(2 * DAY), lowest(7 * DAY)];
  const x = now.value;
  // A printed difference of 0.3 is 0.3, whatever its binary digits.
  const atLeast = (limit: number): boolean => x >= limit - 1e-9;
  const times = (factor: number): boolean => known(low7, (low) => atLeast(low * factor));
  if (times(3)) return 3;
  // 4.0 mg/dL is stage 3 only with a rise that is an injury by itself.
  const rose = known(low48, (low) => atLeast(low + 0.3)) || times(1.5);
  if (x >= 4 && rose) return 3;
  if (times(2)) return 2;
  return rose ? 1 : 0;
}

/** F359: at each urine charting of the window, the output of the 6, 12 and 24 h before it. */
export function kdigoUrine(c: Case, sheet: Sheet): void {
  const weight = sheet.get('F004') ?? null;
  const points = urineRows(c, c.outputs).map(
    (r): Point => ({ time: r.charttime, order: 0, value: volume(r) }),
  );
  const times = [...new Set(points.map((p) => p.time))].sort((a, b) => a - b);
  const stages = weight === null ? [] : times.map((time) => urineStage(c, time, times, points, weight));
  put(sheet, 'F359', max(stages.filter((stage) => stage !== null)));
}

/** The first charting stands for one hour, every later one for the time since the charting before. */
function urineStage(
  c: Case,
  time: number,
  times: readonly number[],
  points: readonly Point[],
  weight: number,
): Num {
  if (time <= c.windows.t0 + 6 * HOUR) return null;
  const back = (hours: number): { hours: number; rate: number } => {
    const from = time - hours * HOUR;
    const inside = times.filter((t) => t >= from && t <= time);
    const covered = inside.reduce((sum, t) => {
      const before = times[times.indexOf(t) - 1];
      return sum + (before === undefined ? 1 : (t - before) / HOUR);
    }, 0);
    const volume_sum = points
      .filter((p) => p.time >= from && p.time <= time)
      .reduce((sum, p) => sum + p.value, 0);
    return { hours: covered, rate: Math.round((volume_sum / weight / covered) * 1e4) / 1e4 };
  };
  const [six, twelve, day] = [back(6), back(12), back(24)];
  if (day.hours >= 24 && day.rate < 0.3) return 3;
  if (twelve.hours >= 12 && twelve.rate <= 0) return 3;
  if (twelve.hours >= 12 && twelve.rate < 0.5) return 2;
  const isSixJudged = six.hours >= 6 && six.hours < 12;
  if (isSixJudged && six.rate < 0.5) return 1;
  return isSixJudged || twelve.hours >= 12 || day.hours >= 24 ? 0 : null;
}

/** F360: CKD-EPI 2021 without race, from the first creatinine of the window. */
export function egfrFeature(c: Case, sheet: Sheet): void {
  const creatinine = sheet.get('F217') ?? null;
  const age = ageOf(c);
  put(
    sheet,
    'F360',
    creatinine === null || age === null ? null : egfr(creatinine, age, c.patient.gender === 'F'),
  );
}

function egfr(creatinine: number, age: number, female: boolean): Num {
  const ratio = creatinine / (female ? 0.7 : 0.9);
  const rate =
    142 *
    Math.min(ratio, 1) ** (female ? -0.241 : -0.302) *
    Math.max(ratio, 1) ** -1.2 *
    0.9938 ** age *
    (female ? 1.012 : 1);
  return within(rate, feature('F360'));
}
