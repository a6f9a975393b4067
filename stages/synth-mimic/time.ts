/** Times as whole seconds since 2000-01-01, written as MIMIC-IV writes them. No clock, no time zone. */

export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86400;

/** Days from 2000-01-01 to a civil date (proleptic Gregorian; Hinnant's algorithm). */
export function dayOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yoe = y - era * 400;
  const doy = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146097 + yoe * 365 + Math.floor(yoe / 4) - Math.floor(yoe / 100) + doy - 730425;
}

/** Civil date of a day number. */
export function civil(dayNumber: number): { year: number; month: number; day: number } {
  const z = dayNumber + 730425;
  const era = Math.floor(z / 146097);
  const doe = z - era * 146097;
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365,
  );
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100));
  const mp = Math.floor((5 * doy + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
  };
}

const TWO = Array.from({ length: 60 }, (_, i) => (i < 10 ? `0${i}` : `${i}`));
let cache = new Map<number, string>();

/** `YYYY-MM-DD` of a day number. */
export function dateText(dayNumber: number): string {
  let text = cache.get(dayNumber);
  if (text === undefined) {
    const { year, month, day } = civil(dayNumber);
    text = `${year}-${TWO[month]}-${TWO[day]}`;
    if (cache.size > 5000) cache = new Map();
    cache.set(dayNumber, text);
  }
  return text;
}

/** `YYYY-MM-DD HH:MM:SS`. */
export function timeText(seconds: number): string {
  const day = Math.floor(seconds / DAY);
  const s = seconds - day * DAY;
  const h = Math.floor(s / HOUR);
  const m = Math.floor((s - h * HOUR) / MINUTE);
  return `${dateText(day)} ${TWO[h]}:${TWO[m]}:${TWO[s - h * HOUR - m * MINUTE]}`;
}

/** Year of a moment. */
export function yearOf(seconds: number): number {
  return civil(Math.floor(seconds / DAY)).year;
}

/** The moment cut to the minute. */
export function toMinute(seconds: number): number {
  return Math.floor(seconds / MINUTE) * MINUTE;
}
