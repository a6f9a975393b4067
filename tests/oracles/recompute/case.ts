/** One stay with the rows that its windows let through. */
import type {
  Admission,
  ChartRow,
  Extract,
  InputRow,
  LabRow,
  OutputRow,
  Patient,
  ProcedureRow,
  Stay,
} from './extract.js';
import type { Num, Text } from './read.js';
import { isFiled, isInside, type Options, overlap, type Windows, windowsOf } from './window.js';

export interface Case {
  readonly stay: Stay;
  readonly patient: Patient;
  readonly admission: Admission;
  readonly extract: Extract;
  readonly options: Options;
  readonly windows: Windows;
  /** Every kept chart row of the stay. */
  readonly allCharts: readonly ChartRow[];
  /** ICU24. */
  readonly charts: readonly ChartRow[];
  /** LAB24. */
  readonly labs: readonly LabRow[];
  /** ICU24, and ICU0_6 for the first six hours. */
  readonly outputs: readonly OutputRow[];
  readonly outputs6h: readonly OutputRow[];
  /** INT24. */
  readonly inputs: readonly InputRow[];
  readonly procedures: readonly ProcedureRow[];
  /** Rows of any kind, also rewritten ones: where `any` and `count` are 0 and not unknown. */
  readonly hasInputs: boolean;
  readonly hasProcedures: boolean;
}

/** The feature values of one stay. */
export type Sheet = Map<string, Num>;

/** Writes a value; a feature written twice is a mistake of the recomputation. */
export function put(sheet: Sheet, id: string, value: Num): void {
  if (sheet.has(id)) throw new Error(`${id} is computed twice`);
  if (value !== null && !Number.isFinite(value)) throw new Error(`${id} is ${value}`);
  sheet.set(id, value);
}

/** Gathers the rows of a stay. */
export function caseOf(extract: Extract, stay: Stay, options: Options): Case {
  const windows = windowsOf(stay, options);
  const allCharts = extract.charts.get(stay.stay_id) ?? [];
  const outputs = extract.outputs.get(stay.stay_id) ?? [];
  const day = windows.interval;
  const inputs = (extract.inputs.get(stay.stay_id) ?? []).filter(
    (r) => overlap(day, r.starttime, r.endtime).touches && isFiled(day, r.starttime, r.storetime),
  );
  const procedures = (extract.procedures.get(stay.stay_id) ?? []).filter(
    (r) =>
      overlap(day, r.starttime, r.endtime ?? Math.max(r.starttime, day.to)).touches &&
      isFiled(day, r.starttime, r.storetime),
  );
  return {
    stay,
    patient: extract.patients.get(stay.subject_id)!,
    admission: extract.admissions.get(stay.hadm_id)!,
    extract,
    options,
    windows,
    allCharts,
    charts: allCharts.filter((r) => isInside(windows.chart, r.charttime, r.storetime)),
    labs: (extract.labs.get(stay.subject_id) ?? []).filter((r) =>
      isInside(windows.lab, r.charttime, r.storetime),
    ),
    outputs: outputs.filter((r) => isInside(windows.output, r.charttime, r.storetime)),
    outputs6h: outputs.filter((r) => isInside(windows.first6h, r.charttime, r.storetime)),
    inputs: inputs.filter(isValid),
    hasInputs: inputs.length > 0,
    procedures: procedures.filter(isValid),
    hasProcedures: procedures.length > 0,
  };
}

/** A rewritten order stands elsewhere in its new form; an end before the start is an error (P45, D62). */
export function isValid(r: { starttime: number; endtime: Num; status: Text }): boolean {
  return r.status !== 'Rewritten' && (r.endtime === null || r.endtime >= r.starttime);
}
