/** Which rows of a stay count. One anchor: t0 = intime cut to the minute (mimic.md 2.1). */
import type { Stay } from './extract.js';
import type { Num } from './read.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface Options {
  readonly profile: 'benchmark' | 'oracle';
  readonly lab_lookback_hours: number;
  readonly availability: 'charttime' | 'storetime';
}

/** A span of time; `closed` also takes its last instant, as the public concepts do. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly closed: boolean;
  /** Results count when filed by then; the end of the day also for the first six hours. */
  readonly filed_by?: number;
  readonly availability: Options['availability'];
}

export interface Windows {
  readonly t0: number;
  /** ICU24: charted rows of the stay. */
  readonly chart: Span;
  /** LAB24: lab rows of the subject. */
  readonly lab: Span;
  readonly output: Span;
  readonly first6h: Span;
  /** INT24: intervals that overlap it. */
  readonly interval: Span;
}

/** The windows of a stay in a profile. */
export function windowsOf(stay: Stay, options: Options): Windows {
  const t0 = Math.floor(stay.intime / MINUTE) * MINUTE;
  const span = (from: number, to: number, closed = false): Span => ({
    from,
    to,
    closed,
    availability: options.availability,
  });
  const interval = span(t0, t0 + DAY);
  if (options.profile === 'oracle') {
    const reach = span(stay.intime - 6 * HOUR, stay.intime + DAY, true);
    const output = span(stay.intime, stay.intime + DAY, true);
    return {
      t0,
      chart: reach,
      lab: reach,
      output,
      first6h: { ...span(t0, t0 + 6 * HOUR), filed_by: t0 + DAY },
      interval,
    };
  }
  const day = span(t0, t0 + DAY);
  const lab = span(t0 - options.lab_lookback_hours * HOUR, t0 + DAY);
  return {
    t0,
    chart: day,
    lab,
    output: day,
    first6h: { ...span(t0, t0 + 6 * HOUR), filed_by: t0 + DAY },
    interval,
  };
}

/** True when the row was charted inside the span (and, on request, filed before its end). */
export function isInside(span: Span, charttime: number, storetime: Num): boolean {
  return charttime >= span.from && isBeforeEnd(span, charttime) && isFiled(span, charttime, storetime);
}

/** True when the time does not lie past the end of the span. */
export function isBeforeEnd(span: Span, time: number): boolean {
  return span.closed ? time <= span.to : time < span.to;
}

/** Under `storetime` a value must also have been filed by the end; without storetime, charttime stands in. */
export function isFiled(span: Span, charttime: number, storetime: Num): boolean {
  if (span.availability === 'charttime') return true;
  return isBeforeEnd({ ...span, to: span.filed_by ?? span.to }, storetime ?? charttime);
}

/** Hours of the interval that lie in the span; an instant inside it counts as overlap without length. */
export function overlap(span: Span, from: number, to: number): { touches: boolean; hours: number } {
  const start = Math.max(from, span.from);
  const end = Math.min(to, span.to);
  if (from === to) return { touches: from >= span.from && from < span.to, hours: 0 };
  return { touches: start < end, hours: Math.max(0, end - start) / HOUR };
}
