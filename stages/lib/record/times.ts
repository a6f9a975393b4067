/** Times of the record: text `YYYY-MM-DD HH:MM:SS` without zone. Such texts sort as their times do. */

const TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d+)?$/;

/** Seconds since 1970 of a time; a text that is no time throws. */
export function secondsOf(time: string): number {
  const found = TIME.exec(time);
  if (!found) throw new Error(`no time: ${JSON.stringify(time)}`);
  const [, year, month, day, hour, minute, second, fraction] = found;
  const whole = Date.UTC(+year!, +month! - 1, +day!, +hour!, +minute!, +second!) / 1000;
  return whole + Number(fraction ?? 0);
}

/** Hours from one time to another; negative when the second comes first. */
export const hoursBetween = (from: string, to: string): number => (secondsOf(to) - secondsOf(from)) / 3600;

/** `5 h 20 min`, `2 d 3 h`, `40 min`: a length of time as a reader says it. */
export function spanText(hours: number): string {
  const minutes = Math.round(Math.abs(hours) * 60);
  const [d, h, m] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (d > 0) return h > 0 ? `${d} d ${h} h` : `${d} d`;
  if (h > 0) return m > 0 ? `${h} h ${m} min` : `${h} h`;
  return `${m} min`;
}
