/** Urine, drains and losses. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { OutputRow } from './extract.js';
import type { Num } from './read.js';
import { feature, idsOf, within } from './registry.js';
import { DAY, HOUR } from './window.js';

/** Fluid put into the bladder, counted off. */
const IRRIGANT_IN = 227488;
/** A single urine row above this is a typing error (registry F364, P46). */
const LARGEST_URINE_ROW = 5000;

/** F364 to F376. F004 must stand in the sheet. */
export function outputFeatures(c: Case, sheet: Sheet): void {
  const urine = urineRows(c, c.outputs);
  const total = sumOf(urine, 'F364');
  put(sheet, 'F364', total);
  const weight = sheet.get('F004') ?? null;
  const hours = hoursObserved(c);
  const rate = total === null || weight === null || hours <= 0 ? null : total / weight / hours;
  put(sheet, 'F365', within(rate, feature('F365')));
  put(sheet, 'F366', sumOf(urineRows(c, c.outputs6h), 'F366'));
  put(sheet, 'F367', c.outputs.length === 0 ? null : urine.length);
  for (const id of idsOf(368, 375)) {
    put(
      sheet,
      id,
      sumOf(
        once(
          c,
          c.outputs.filter((r) => feature(id).itemids.includes(r.itemid)),
        ),
        id,
      ),
    );
  }
  put(sheet, 'F376', sumOf(allMillilitres(c), 'F376'));
}

/** Hours of the first day that the stay lasted. */
export function hoursObserved(c: Case): number {
  const { stay } = c;
  if (stay.outtime === null) return 24;
  return Math.min(24, (stay.outtime - stay.intime) / HOUR);
}

/** True when the stay lasted a whole day. */
export function isWholeDay(c: Case): boolean {
  return c.stay.outtime === null || c.stay.outtime - c.stay.intime >= DAY;
}

/** Urine rows, each once and none above the limit; the public concept keeps everything. */
export function urineRows(c: Case, rows: readonly OutputRow[]): OutputRow[] {
  const items = feature('F364').itemids;
  const urine = rows.filter((r) => items.includes(r.itemid) && r.value !== null);
  if (c.options.profile === 'oracle') return urine;
  return once(c, urine).filter((r) => r.value! <= LARGEST_URINE_ROW);
}

/** Signed millilitres of a row. */
export function volume(r: OutputRow): number {
  return r.itemid === IRRIGANT_IN ? -r.value! : r.value!;
}

/** Rows that agree on charttime, itemid and value count once. */
function once(c: Case, rows: readonly OutputRow[]): OutputRow[] {
  if (c.options.profile === 'oracle') return [...rows];
  return [...new Map(rows.map((r) => [`${r.charttime} ${r.itemid} ${r.value}`, r])).values()];
}

function sumOf(rows: readonly OutputRow[], id: string): Num {
  const values = rows.filter((r) => r.value !== null).map(volume);
  if (values.length === 0) return null;
  return within(
    values.reduce((sum, value) => sum + value, 0),
    feature(id),
  );
}

function allMillilitres(c: Case): OutputRow[] {
  const urine_items = feature('F364').itemids;
  const rows = c.outputs.filter((r) => (r.valueuom ?? '').trim().toLowerCase() === 'ml');
  return once(c, rows).filter(
    (r) => r.value !== null && !(urine_items.includes(r.itemid) && r.value > LARGEST_URINE_ROW),
  );
}
