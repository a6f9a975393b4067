/** When each diagnosis of the index admission begins; clinical judgement, not measured. */
import type { Course } from './admission.js';
import type { Subject } from './context.js';
import { DAY, HOUR, MINUTE, toMinute } from './time.js';

/** Hours after which a patient on a ward counts as having waited: what brings him to the ICU began there. */
const WAITED_HOURS = 12;

/** What a ward does not keep for hours: begins at ICU entry in patients who waited. */
const CRITICAL: readonly string[] = [
  'septic_shock',
  'acute_resp_failure',
  'cardiogenic_shock',
  'cardiac_arrest',
  'status_epilepticus',
  'variceal_bleed',
  'hypotension',
  'vtach',
  'acidosis',
];

/** Begins in hospital: share of patients and hours, counted from admission or from ICU entry. */
const ACQUIRED: Readonly<
  Record<string, { share: number; from: 'admission' | 'icu'; hours: readonly [number, number] }>
> = {
  vap: { share: 1, from: 'icu', hours: [40, 90] },
  delirium: { share: 0.8, from: 'icu', hours: [8, 44] },
  c_diff: { share: 0.6, from: 'admission', hours: [50, 130] },
  neutropenic_fever: { share: 0.6, from: 'admission', hours: [14, 80] },
  ards: { share: 0.7, from: 'icu', hours: [2, 24] },
  aki: { share: 0.35, from: 'icu', hours: [6, 40] },
  atn: { share: 0.6, from: 'icu', hours: [10, 48] },
  dic: { share: 0.5, from: 'icu', hours: [2, 30] },
  hypernatremia: { share: 0.7, from: 'icu', hours: [10, 60] },
  afib: { share: 0.2, from: 'icu', hours: [3, 50] },
  alcohol_withdrawal: { share: 0.5, from: 'admission', hours: [6, 30] },
};

/**
 * Seconds by diagnosis that the subject has; a time before admittime means present on admission. What is chronic or
 * treated at home (`known`) began long ago.
 */
export function drawOnsets(
  s: Subject,
  course: Course,
  known: ReadonlySet<string | null>,
): Map<string, number> {
  const entry = course.stays[0]!.intime;
  const isWaiting = entry - course.admittime > WAITED_HOURS * HOUR;
  const out = new Map<string, number>();
  for (const d of s.numbers.dx) {
    if (s.person.dx[d.index] !== 1) continue;
    const r = s.stream(`onset ${d.key}`);
    const acquired = ACQUIRED[d.key];
    if (d.isChronic || known.has(d.key)) {
      out.set(d.key, course.admittime - r.int(300, 6000) * DAY);
    } else if (acquired && r.chance(acquired.share)) {
      const start = acquired.from === 'icu' ? Math.max(entry, course.admittime) : course.admittime;
      const [low, high] = acquired.hours;
      out.set(d.key, within(course, start + r.int(low * 60, high * 60) * MINUTE, start));
    } else if (isWaiting && CRITICAL.includes(d.key)) {
      out.set(d.key, toMinute(entry) - r.int(15, 180) * MINUTE);
    } else {
      out.set(d.key, course.admittime - r.int(1, 96) * HOUR);
    }
  }
  return out;
}

/** Nothing begins in the last half day: then half way between start and discharge. */
function within(course: Course, at: number, start: number): number {
  if (at < course.dischtime - 12 * HOUR) return at;
  return toMinute(start + Math.max(0, course.dischtime - start) / 2);
}
