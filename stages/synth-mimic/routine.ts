/** Routine charting outside the registry, only in full extracts: it brings the rows per stay near those of v3.1. */
import type { Charting } from './chart.js';
import type { Stay, Subject } from './context.js';
import { HOUR } from './time.js';

/** itemid, label, text. */
export const ROUTINE: readonly [number, string, string][] = [
  [220046, 'Heart rate Alarm - High', '120'],
  [220047, 'Heart Rate Alarm - Low', '50'],
  [223769, 'O2 Saturation Pulseoxymetry Alarm - High', '100'],
  [223770, 'O2 Saturation Pulseoxymetry Alarm - Low', '90'],
];

/** Repeats alarm limits every charted hour. */
export function routineCharting(s: Subject, stay: Stay, c: Charting): void {
  const r = s.stream(`routine ${stay.n}`);
  for (let t = Math.ceil(stay.t0 / HOUR) * HOUR; t < stay.horizon; t += HOUR) {
    for (const [itemid, , text] of ROUTINE) if (r.chance(0.9)) c.add(t, itemid, text, Number(text), null);
  }
}
