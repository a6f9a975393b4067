/** What a note quotes from the record of the stay: first and last values, before any fault touches them. */
import type { Stay, Subject } from './context.js';
import type { ChartRow, LabRow } from './rows.js';
import { DAY, HOUR } from './time.js';

/** A laboratory value as a note writes it. */
export interface LabValue {
  readonly name: string;
  readonly value: number;
  readonly isAbnormal: boolean;
}

/** Vital signs of the first charted hours; null where none was charted. */
export interface Vitals {
  readonly hr: number | null;
  readonly sbp: number | null;
  readonly dbp: number | null;
  readonly rr: number | null;
  readonly spo2: number | null;
  /** Fahrenheit. */
  readonly temp: number | null;
}

export interface Findings {
  readonly vitals: Vitals;
  readonly lastVitals: Vitals;
  /** Drawn until two hours after ICU entry: what a history may quote. In the order of LABS. */
  readonly arrivalLabs: readonly LabValue[];
  /** The first ones of the first day. */
  readonly firstLabs: readonly LabValue[];
  readonly lastLabs: readonly LabValue[];
}

/** Items of a note's laboratory lines: item key and short name. */
const LABS: readonly (readonly [string, string])[] = [
  ['wbc', 'WBC'],
  ['hgb', 'Hgb'],
  ['plt', 'Plt Ct'],
  ['inr', 'INR'],
  ['glu', 'Glucose'],
  ['bun', 'UreaN'],
  ['cr', 'Creat'],
  ['na', 'Na'],
  ['k', 'K'],
  ['hco3', 'HCO3'],
  ['alt', 'ALT'],
  ['ast', 'AST'],
  ['tbili', 'TotBili'],
  ['lip', 'Lipase'],
  ['tnt', 'cTropnT'],
  ['bnp', 'proBNP'],
  ['lact', 'Lactate'],
  ['ph', 'pH'],
];

const VITALS: Readonly<Record<keyof Vitals, readonly number[]>> = {
  hr: [220045],
  sbp: [220179, 220050],
  dbp: [220180, 220051],
  rr: [220210],
  spo2: [220277],
  temp: [223761],
};

/** Reads the findings of the index stay from its charted rows and the laboratory rows of the admission. */
export function findingsOf(
  s: Subject,
  stay: Stay,
  chart: readonly ChartRow[],
  all: readonly LabRow[],
): Findings {
  const labs = all.filter((x) => x.hadm_id === stay.hadm_id && x.valuenum !== null);
  const labOf = (from: number, to: number, isLast: boolean): LabValue[] =>
    LABS.flatMap(([key, name]) => {
      const { itemid } = s.numbers.itemByKey.get(key)!;
      const rows = labs.filter((x) => x.itemid === itemid && x.charttime >= from && x.charttime < to);
      const [row] = rows.sort((a, b) => (isLast ? b.charttime - a.charttime : a.charttime - b.charttime));
      return row ? [{ name, value: row.valuenum!, isAbnormal: row.flag === 'abnormal' }] : [];
    });
  const end = stay.t0 + DAY;
  return {
    vitals: vitalsOf(chart, false),
    lastVitals: vitalsOf(chart, true),
    arrivalLabs: labOf(0, stay.t0 + 2 * HOUR, false),
    firstLabs: labOf(0, end, false),
    lastLabs: labOf(end, Number.POSITIVE_INFINITY, true),
  };
}

function vitalsOf(chart: readonly ChartRow[], isLast: boolean): Vitals {
  const rows = isLast ? [...chart].reverse() : chart;
  const of = (key: keyof Vitals): number | null =>
    rows.find((x) => VITALS[key].includes(x.itemid) && x.valuenum !== null)?.valuenum ?? null;
  return { hr: of('hr'), sbp: of('sbp'), dbp: of('dbp'), rr: of('rr'), spo2: of('spo2'), temp: of('temp') };
}
