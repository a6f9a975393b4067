/** Urinalysis and urine chemistry: most dipstick results stand in comments, with value and valuenum null. */
import { record } from './context.js';
import type { Draw, LabRun } from './lab-writer.js';
import { clamp, round } from './math.js';
import type { LabRow } from './rows.js';
import { MINUTE } from './time.js';
import { seenProb } from './values.js';

/** Leukocyte esterase by strength. */
const STRENGTH = ['TR.', 'SM .', 'MOD.', 'LG*.'];

/** One urinalysis a stay where D35 asks for it or the patient has reason; urine sodium apart. */
export function urinePanel(run: LabRun): void {
  const { s, stay } = run;
  const r = s.stream(`urine ${stay.n}`);
  const isWanted = s.wants.has('D35') && stay.n === 0;
  const reason = seenProb(s, s.numbers.itemByKey.get('ua_wbc')!);
  const t = Math.min(stay.t0 + (run.isLate ? 500 : r.int(20, 600)) * MINUTE, run.end - MINUTE);
  if (isWanted || (reason > 0.5 && r.chance(reason - 0.4))) {
    const nitrite = dipsticks(run, run.w.draw(t), r.chance(0.1));
    if (isWanted) noteNitrite(run, nitrite);
  }
  const uNa = s.numbers.itemByKey.get('u_na')!;
  if (r.chance(seenProb(s, uNa))) {
    const d = run.w.draw(Math.min(t + 40 * MINUTE, run.end - MINUTE));
    const v = run.series('u_na').rounded(4);
    if (v < 20) d.text(uNa.itemid, null, '<20.', 'mEq/L');
    else d.num(uNa.itemid, v, 'mEq/L');
  }
}

function noteNitrite(run: LabRun, row: LabRow): void {
  const text = (row.value ?? row.comments)!;
  record(run.s, 'D35', {
    table: 'hosp.labevents',
    stay_id: run.stay.stay_id,
    key: `labevent_id=${row.labevent_id}`,
    column: row.value === null ? 'comments' : 'value',
    clean_value: null,
    dirty_value: text,
    expectation: `nitrite ${text.startsWith('POS') ? 1 : 0}`,
  });
}

/** The strip; returns the nitrite row. */
function dipsticks(run: LabRun, d: Draw, isInValue: boolean): LabRow {
  const { series } = run;
  const h = run.hours(d.t);
  const r = run.s.stream(`strip ${run.stay.n}`);
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
