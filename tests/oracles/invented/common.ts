/** What the parts of an invented extract share. */
import type { MimicTable } from '../../../schemas/mimic-files.js';
import { REGISTRY } from '../recompute/registry.js';
import type { Dice } from './dice.js';

/** A row by column. */
export type Row = Record<string, string | number | null>;
export type Tables = Partial<Record<MimicTable, Row[]>>;

/** One ICU stay while its rows are invented. */
export interface Visit {
  readonly subject_id: number;
  readonly hadm_id: number;
  readonly stay_id: number;
  /** Minutes since the epoch of the extract, of intime cut to the minute. */
  readonly t0: number;
  readonly d: Dice;
}

const EPOCH = Date.UTC(2150, 2, 1);
/** Puts a row into a table. */
export interface Add {
  (table: MimicTable, row: Row): void;
  /** The next id of a row of this extract. */
  next(): number;
}

/** `2150-03-01 07:45:00` of minutes (and seconds) since the epoch of the extract. */
export function clock(minutes: number, seconds = 0): string {
  return new Date(EPOCH + minutes * 60_000 + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** A minute around the window: its edges often, so that an open or closed end shows. */
export function moment({ t0, d }: Visit): number {
  const edges = [0, -1, 1, 360, 359, 361, 1440, 1439, 1441, -360, -359, 600];
  return t0 + (d.chance(0.25) ? d.pick(edges) : d.whole(-420, 1800));
}

/** The three ids of an ICU row. */
export const ids = ({ subject_id, hadm_id, stay_id }: Visit): Row => ({ subject_id, hadm_id, stay_id });

/** An item and the limits of one feature that reads it. */
export interface Quantity {
  readonly itemid: number;
  readonly low: number;
  readonly high: number;
}

/** Every itemid of a table with the limits of one feature that reads it. */
export function quantities(source: string): Quantity[] {
  const found = new Map<number, Quantity>();
  for (const row of REGISTRY) {
    if (!row.source.includes(source)) continue;
    for (const itemid of row.itemids) {
      const is_value = row.unit !== '0/1' && row.statistic !== 'count' && row.statistic !== 'std';
      if (is_value || !found.has(itemid)) found.set(itemid, { itemid, low: row.low, high: row.high });
    }
  }
  return [...found.values()];
}

/** Mostly inside the limits and towards their lower half, now and then far outside. */
export function numberNear({ low, high }: Quantity, d: Dice): number {
  if (d.chance(0.06)) return d.pick([0, -5, low - 1, high + 1, high * 3, 1_276_103, low, high]);
  const span = Math.min(high - low, d.pick([high - low, 60, 200]));
  return Number((low + span * d.unit()).toFixed(d.pick([0, 0, 1, 2])));
}
