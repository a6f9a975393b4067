/** Writes labevents rows: a draw shares its specimen, times and orderer. */
import { EVENT_IDS_PER_SUBJECT, PROVIDERS, provider, type Stay, type Subject } from './context.js';
import { exp } from './math.js';
import type { Stream } from './rng.js';
import type { LabRow } from './rows.js';
import { MINUTE } from './time.js';
import { type SeriesOf, seenProb } from './values.js';

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
export function labWriter(s: Subject, hadm_id: number, windowEnd: number, name: string): LabWriter {
  const r = s.stream(`lab writer ${name}`);
  const rows = s.rows.labevents;
  const base = s.person.i * EVENT_IDS_PER_SUBJECT;
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
export interface Seen {
  has(key: string): boolean;
}

/** Decides for each item once whether the stay has it. */
export function seenItems(s: Subject, stay: Stay): Seen {
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

/** What the panels of one stay share. */
export interface LabRun {
  readonly s: Subject;
  readonly stay: Stay;
  readonly series: SeriesOf;
  readonly w: LabWriter;
  readonly seen: Seen;
  readonly r: Stream;
  /** Nothing is drawn in the first eight hours (D18). */
  readonly isLate: boolean;
  /** Labs stop here. */
  readonly end: number;
  /** Hours since entry. */
  hours(t: number): number;
  /** itemid of an item key. */
  id(key: string): number;
  /** Unit of an item key, null where it has none. */
  unit(key: string): string | null;
}
