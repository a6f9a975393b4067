/**
 * Blood tests outside the ICU window of labs.ts: each morning on the ward, before and after the stay and late in long
 * stays. Nothing here falls into the first day of a stay or the hours before it that a feature may look back to.
 */
import type { Course } from './admission.js';
import type { Stay, Subject } from './context.js';
import { labWriter, seenItems } from './lab-writer.js';
import { clamp, round } from './math.js';
import type { LabRow } from './rows.js';
import { DAY, HOUR, MINUTE } from './time.js';
import type { SeriesOf } from './values.js';

/** Mornings written of a long time on the ward, before and after the stay each. */
const MOST_MORNINGS = 12;
/** Free hours before a stay. */
const FREE_BEFORE = 9;
/** Ids of these rows begin here within a subject's range: those of all other rows stay as they are. */
export const WARD_LAB_IDS = 12_000;

/** The ward labs of the index admission; they are not yet among the subject's rows. */
export function wardLabs(s: Subject, course: Course, stays: readonly Stay[], series: SeriesOf): LabRow[] {
  const r = s.stream('ward labs');
  const busy = stays.map((x) => ({
    from: x.t0 - FREE_BEFORE * HOUR,
    to: Math.max(x.horizon, x.t0 + DAY) + 2 * HOUR,
  }));
  const mornings: number[] = [];
  for (let day = Math.floor(course.admittime / DAY); day * DAY < course.dischtime; day++) {
    const t = day * DAY + 5 * HOUR + r.int(0, 150) * MINUTE;
    if (t < course.admittime + 30 * MINUTE || t > course.dischtime - 2 * HOUR) continue;
    if (busy.every((b) => t < b.from || t > b.to)) mornings.push(t);
  }
  const entry = stays[0]!.t0;
  const before = mornings.filter((t) => t < entry).slice(-MOST_MORNINGS);
  const after = mornings.filter((t) => t > entry).slice(0, MOST_MORNINGS);
  const others = s.rows.labevents.length;
  const kept = s.ids.labevent;
  s.ids.labevent = WARD_LAB_IDS;
  const specimen = s.ids.specimen;
  s.ids.specimen = WARD_LAB_IDS;
  const writer = labWriter(s, course.hadm_id, Number.POSITIVE_INFINITY, 'ward');
  const seen = seenItems(s, stays[0]!);
  [...before, ...after].forEach((t, k) => {
    const isBeforeStay = stays.some((x) => x.t0 > t);
    panel(s, { t, k, hours: (t - entry) / HOUR, series, hasInr: seen.has('inr'), isBeforeStay }, writer);
  });
  s.ids.labevent = kept;
  s.ids.specimen = specimen;
  return s.rows.labevents.splice(others);
}

interface Morning {
  readonly t: number;
  readonly k: number;
  readonly hours: number;
  readonly series: SeriesOf;
  readonly hasInr: boolean;
  readonly isBeforeStay: boolean;
}

function panel(s: Subject, m: Morning, writer: ReturnType<typeof labWriter>): void {
  const put = (draw: ReturnType<typeof writer.draw>, key: string): number => {
    const item = s.numbers.itemByKey.get(key)!;
    const v = m.series(key).rounded(m.hours);
    draw.num(item.itemid, v, item.unit || null);
    return v;
  };
  const d = writer.draw(m.t);
  const na = put(d, 'na');
  const k = put(d, 'k');
  const hco3 = put(d, 'hco3');
  const gap = clamp(m.series('ag').next(m.hours), 3, 45);
  const cl = round(clamp(na + k - hco3 - gap, 75, 132), 0);
  d.num(50902, cl, 'mEq/L');
  d.num(50868, round(Math.max(3, na + k - cl - hco3), 0), 'mEq/L');
  // No creatinine ahead of a stay: the KDIGO stage looks back seven days (F358).
  for (const key of ['bun', ...(m.isBeforeStay ? [] : ['cr']), 'glu', 'mg', 'phos']) put(d, key);
  const blood = writer.draw(m.t);
  for (const key of ['hgb', 'plt', 'wbc']) put(blood, key);
  if (m.hasInr && m.k % 2 === 0) put(writer.draw(m.t), 'inr');
}
