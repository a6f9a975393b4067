/** What the scores read: extremes of the first day, in the windows and limits of the profile. */
import type { Case, Sheet } from './case.js';
import { seriesOf } from './charts.js';
import { arterialGases, type Gas } from './gases.js';
import { labSeries } from './labs.js';
import { hoursObserved } from './outputs.js';
import type { Num } from './read.js';
import { feature } from './registry.js';
import { max, min } from './series.js';
import { isOnMaskAt, isVentilatedAt, isVentilatedInDay } from './ventilation.js';

export interface Range {
  readonly min: Num;
  readonly max: Num;
}

export interface Physiology {
  readonly heart_rate: Range;
  readonly sbp: Range;
  readonly mbp: Range;
  readonly resp_rate: Range;
  readonly temperature: Range;
  readonly gcs: Num;
  readonly urine: Num;
  readonly gases: readonly Gas[];
  readonly isVentilated: boolean;
  readonly lab: (id: string) => Range;
  readonly isVentilatedAt: (time: number) => boolean;
  readonly isSupportedAt: (time: number) => boolean;
}

/** Gathers them; the sheet must hold the gcs, output and procedure features. */
export function physiologyOf(c: Case, sheet: Sheet): Physiology {
  const chart = (id: string): Range => range(seriesOf(c, id).map((p) => p.value));
  return {
    heart_rate: chart('F089'),
    sbp: chart('F095'),
    mbp: chart('F104'),
    resp_rate: chart('F110'),
    temperature: chart('F116'),
    gcs: sheet.get('F163') ?? null,
    urine: urineOfDay(c, sheet),
    gases: arterialGases(c),
    isVentilated: isVentilatedInDay(c),
    lab: (id) => range(labSeries(c, feature(id)).map((p) => p.value)),
    isVentilatedAt: (time) => isVentilatedAt(c, time),
    isSupportedAt: (time) => isVentilatedAt(c, time) || isOnMaskAt(c, time),
  };
}

/** The smallest and largest of some values. */
export function range(values: readonly number[]): Range {
  // To the sixth decimal, so that a mean or a conversion meets the edge of a band.
  const rounded = values.map((x) => Math.round(x * 1e6) / 1e6);
  return { min: min(rounded), max: max(rounded) };
}

/** Urine of 24 h: a stay shorter than a day is scaled up, so that leaving early is no kidney failure. */
function urineOfDay(c: Case, sheet: Sheet): Num {
  const urine = sheet.get('F364') ?? null;
  if (urine === null || c.options.profile === 'oracle') return urine;
  const hours = hoursObserved(c);
  return hours > 0 ? (urine * 24) / hours : null;
}

/** The sum of the parts; a missing part counts 0. */
export function total(parts: readonly Num[]): number {
  return parts.reduce((sum: number, part) => sum + (part ?? 0), 0);
}

/** True when the value is known and the test holds. */
export function known(value: Num, test: (x: number) => boolean): boolean {
  return value !== null && test(value);
}
