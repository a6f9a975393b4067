/** Urinalysis and urine chemistry: most dipstick results stand in comments, with value and valuenum null. */
import { record, type Stay, type Subject } from './context.js';
import type { Draw, LabWriter } from './labs.js';
import { clamp, round } from './math.js';
import type { LabRow } from './rows.js';
import { HOUR, MINUTE } from './time.js';
import { type SeriesOf, seenProb } from './values.js';

/** Leukocyte esterase by strength. */
const STRENGTH = ['TR.', 'SM .', 'MOD.', 'LG*.'];

/** One urinalysis a stay where D35 asks for it or the patient has reason; urine sodium apart. */
export function urinePanel(
  s: Subject,
  stay: Stay,
  series: SeriesOf,
  w: LabWriter,
  draws: readonly number[],
  isLate: boolean,
  end: number,
): void {
  const r = s.stream(`urine ${stay.n}`);
  const isWanted = s.wants.has('D35') && stay.n === 0;
  const reason = seenProb(s, s.numbers.itemByKey.get('ua_wbc')!);
  const t = Math.min(stay.t0 + (isLate ? 500 : r.int(20, 600)) * MINUTE, end - MINUTE);
  if (isWanted || (reason > 0.5 && r.chance(reason - 0.4))) {
    const d = w.draw(t);
    const nitrite = dipsticks(s, series, d, (t - stay.t0) / HOUR, r.chance(0.1));
    if (isWanted) {
      record(s, 'D35', {
        table: 'hosp.labevents',
        stay_id: stay.stay_id,
        key: `labevent_id=${nitrite.labevent_id}`,
        column: nitrite.value === null ? 'comments' : 'value',
        clean_value: null,
        dirty_value: nitrite.value ?? nitrite.comments,
        expectation: `ordinal value ${(nitrite.value ?? nitrite.comments)!.startsWith('POS') ? 1 : 0}`,
      });
    }
  }
  const uNa = s.numbers.itemByKey.get('u_na')!;
  if (r.chance(seenProb(s, uNa))) {
    const d = w.draw(Math.min(t + 40 * MINUTE, end - MINUTE));
    const v = series('u_na').rounded(4);
    if (v < 20) d.text(uNa.itemid, null, '<20.', 'mEq/L');
    else d.num(uNa.itemid, v, 'mEq/L');
  }
  void draws;
}

/** The strip; returns the nitrite row. */
function dipsticks(s: Subject, series: SeriesOf, d: Draw, h: number, isInValue: boolean): LabRow {
  const r = s.stream(`strip ${d.t}`);
  const put = (itemid: number, text: string, unit: string | null): LabRow =>
    isInValue ? d.text(itemid, text, null, unit) : d.text(itemid, null, text, unit);
  const level = (key: string, itemid: number, trace: number, step: number): void => {
    const v = series(key).next(h);
    if (v < trace / 3) put(itemid, 'NEG.', 'mg/dL');
    else if (v < trace) put(itemid, 'TR.', 'mg/dL');
    else d.num(itemid, Math.max(step, round(v / step, 0) * step), 'mg/dL');
  };
  level('ua_prot', 51492, 30, 10);
  level('ua_glu', 51478, 70, 50);
  level('ua_ket', 51484, 10, 10);
  d.num(51498, series('ua_sg').rounded(h), ' ');
  const nitrite = put(51487, series('ua_nit').next(h) > 0 ? 'POS.' : 'NEG.', null);
  const isLe = series('ua_le').next(h) > 0;
  put(51486, isLe ? r.pick(STRENGTH) : 'NEG.', null);
  for (const [key, itemid] of [
    ['ua_wbc', 51516],
    ['ua_rbc', 51493],
  ] as const) {
    const v = series(key).next(h);
    if (v > 182) d.text(itemid, null, '>182*.', '#/hpf');
    else d.num(itemid, round(clamp(v, 0, 182), 0), '#/hpf');
  }
  return nitrite;
}
