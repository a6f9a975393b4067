/** Which times of an admission belong to one moment. */

/** A time at which orders of an admission start or were written, as `YYYY-MM-DD HH:MM:SS`. */
export type OrderTime = { readonly hadm_id: number; readonly time_at: string };

const HOUR_MS = 3_600_000;
const utc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

/**
 * Gives every time the first time of its moment. A moment takes what lies within an hour of its first order, so that a
 * row of hourly orders does not become one endless moment. The times must be sorted by admission and time.
 */
export function withinAnHour(times: readonly OrderTime[]): (OrderTime & { readonly moment_at: string })[] {
  let first: OrderTime | undefined;
  return times.map((t) => {
    if (first?.hadm_id !== t.hadm_id || utc(t.time_at) - utc(first.time_at) > HOUR_MS) first = t;
    return { ...t, moment_at: first.time_at };
  });
}
