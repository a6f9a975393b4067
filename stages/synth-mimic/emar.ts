/** emar: what was given of the orders of the index admission. A third of the admissions has none (D75). */
import { PROVIDERS, provider, type Subject } from './context.js';
import { dosingHours, type Written } from './order-rows.js';
import type { Stream } from './rng.js';
import type { EmarRow } from './rows.js';
import { DAY, HOUR, MINUTE } from './time.js';

/** Doses written of one order: a compact extract shows the first ones. */
const MOST_DOSES = { compact: 3, full: 40 } as const;

/** What is written of a dose, by how the drug is given; shares after the open demo. */
const EVENTS: Readonly<
  Record<'plain' | 'flush' | 'drip' | 'scale', readonly { value: string; weight: number }[]>
> = {
  plain: [
    { value: 'Administered', weight: 0.87 },
    { value: 'Not Given', weight: 0.09 },
    { value: 'Hold Dose', weight: 0.01 },
    { value: 'Delayed Administered', weight: 0.01 },
    { value: 'Confirmed', weight: 0.02 },
  ],
  flush: [
    { value: 'Flushed', weight: 0.72 },
    { value: 'Not Flushed', weight: 0.28 },
  ],
  drip: [
    { value: 'Confirmed', weight: 0.6 },
    { value: 'Started', weight: 0.2 },
    { value: 'Stopped', weight: 0.15 },
    { value: 'Rate Change', weight: 0.05 },
  ],
  scale: [
    { value: 'Administered', weight: 0.6 },
    { value: 'Not Given per Sliding Scale', weight: 0.4 },
  ],
};

/** Appends the doses of all linked orders, numbered by time. */
export function writeEmar(s: Subject, written: readonly Written[]): void {
  if (s.wants.has('D75')) return;
  const r = s.stream('emar');
  const rows = written.flatMap((w) => dosesOf(s, w, r));
  rows.sort((a, b) => a.charttime - b.charttime);
  rows.forEach((row, n) => {
    row.emar_seq = n + 1;
    row.emar_id = `${s.subject_id}-${n + 1}`;
  });
  s.rows.emar.push(...rows);
}

function dosesOf(s: Subject, { piece, main, pharmacy, poe }: Written, r: Stream): EmarRow[] {
  if (!poe) return [];
  const { drug } = piece.therapy;
  const isDrip = /^(TITRATE TO|INFUSION|SLIDING SCALE)/.test(drug.frequency);
  const kind =
    drug.group === 'flush' ? 'flush' : isDrip ? 'drip' : drug.frequency === 'ASDIR' ? 'scale' : 'plain';
  return doseTimes(piece, MOST_DOSES[s.config.size], r).map((scheduletime, k): EmarRow => {
    const charttime = Math.max(piece.orderAt + MINUTE, scheduletime + Math.max(0, r.int(-20, 27)) * MINUTE);
    const event = kind === 'drip' && k === 0 ? 'Started' : r.weighted(EVENTS[kind]).value;
    return {
      subject_id: s.subject_id,
      hadm_id: main.hadm_id,
      emar_id: '',
      emar_seq: 0,
      poe_id: poe.poe_id,
      pharmacy_id: pharmacy.pharmacy_id,
      enter_provider_id: r.chance(0.08) ? provider(r.int(0, PROVIDERS - 1)) : null,
      charttime,
      medication: main.drug!,
      event_txt: event,
      scheduletime,
      storetime: charttime + r.int(0, 3) * MINUTE,
    };
  });
}

/** Hours of the schedule inside the order; single orders once, as-needed ones now and then. */
function doseTimes(piece: Written['piece'], most: number, r: Stream): number[] {
  const { frequency } = piece.therapy.drug;
  const from = Math.max(piece.startAt, piece.orderAt);
  if (/^(ONCE|NOW X1)/.test(frequency)) return [piece.startAt];
  const out: number[] = [];
  const hours = dosingHours(frequency);
  if (hours.length > 0) {
    for (let t = Math.ceil(from / HOUR) * HOUR; t <= piece.stopAt && out.length < most; t += HOUR)
      if (hours.includes(Math.floor((t % DAY) / HOUR))) out.push(t);
    return out;
  }
  const gap = /PRN/.test(frequency) ? 14 : 7;
  const start = /PRN/.test(frequency) ? from + r.int(20, 900) * MINUTE : from;
  for (let t = start; t < piece.stopAt && out.length < most; t += r.int(gap * 30, gap * 90) * MINUTE)
    out.push(t);
  return out;
}
