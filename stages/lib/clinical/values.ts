/** Latest values of quantities in the record of a moment. */
import type { Cite } from '../../../schemas/rxeval.js';
import type { Moment, RecordEvent, RecordItem } from '../record/moment.js';
import { hoursBetween } from '../record/times.js';
import type { ItemRow } from './tables.js';

/** One value; `low` and `high` are equal unless the result is censored (`<0.01` is 0 to 0.01). */
export interface Value {
  readonly event: RecordEvent;
  readonly item: RecordItem;
  readonly low: number;
  readonly high: number;
  readonly is_shown: boolean;
  /** Hours from the time it was true to the cut. */
  readonly age_h: number;
}

/** Time at which a value was true: the draw where known. */
export const trueAt = (event: RecordEvent): string => event.charted_at ?? event.available_at;

/** Values of a quantity, latest first. */
export function valuesOf(moment: Moment, row: ItemRow): Value[] {
  const found: Value[] = [];
  for (const event of moment.events)
    for (const item of event.items) {
      if (item.itemid === null || !row.itemids.includes(item.itemid)) continue;
      const range = rangeOf(item, row);
      if (!range) continue;
      const is_shown = event.is_shown && item.is_shown;
      const age_h = hoursBetween(trueAt(event), moment.timepoint.cut_at);
      found.push({ event, item, ...range, is_shown, age_h });
    }
  return found.sort(byTime);
}

/** Later draw first, then later filed, then by place, so that the order of rows never decides. */
function byTime(a: Value, b: Value): number {
  const [x, y] = [trueAt(a.event), trueAt(b.event)];
  if (x !== y) return x < y ? 1 : -1;
  if (a.event.available_at !== b.event.available_at)
    return a.event.available_at < b.event.available_at ? 1 : -1;
  if (a.event.event_id !== b.event.event_id) return a.event.event_id < b.event.event_id ? -1 : 1;
  return a.item.item_n - b.item.item_n;
}

function rangeOf(item: RecordItem, row: ItemRow): { low: number; high: number } | null {
  const number = item.valuenum ?? readNumber(item.value);
  if (number !== null) {
    const value = row.isFahrenheit(item) ? ((number - 32) * 5) / 9 : number;
    return { low: value, high: value };
  }
  const censored = /^\s*([<>]|less than|greater than)\s*=?\s*(\d+(?:\.\d+)?)/i.exec(item.value);
  if (!censored) return null;
  const limit = Number(censored[2]);
  const isBelow = /^(<|less)/i.test(censored[1]!);
  return isBelow
    ? { low: Number.NEGATIVE_INFINITY, high: limit }
    : { low: limit, high: Number.POSITIVE_INFINITY };
}

const readNumber = (text: string): number | null =>
  /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;

/** Truth of a comparison for a value; null where a censored result leaves it open. */
export function compare(
  { low, high }: Pick<Value, 'low' | 'high'>,
  sign: '<' | '>',
  limit: number,
): boolean | null {
  if (low === high) return sign === '<' ? low < limit : low > limit;
  // `<0.01` is below every limit from 0.01 on; `>182` is above every limit up to 182.
  if (low === Number.NEGATIVE_INFINITY) return high <= limit ? sign === '<' : null;
  return low >= limit ? sign === '>' : null;
}

/** The citation of a value as it is shown. */
export const citeOf = ({ event, item }: Value): Cite => ({
  ref: event.event_id,
  item: item.label,
  value: item.value,
  unit: item.unit,
  quote: null,
});
