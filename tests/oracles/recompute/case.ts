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
import type { Num } from './read.js';
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
    inputs: (extract.inputs.get(stay.stay_id) ?? []).filter(
      (r) => overlap(day, r.starttime, r.endtime).touches && isFiled(day, r.starttime, r.storetime),
    ),
    procedures: (extract.procedures.get(stay.stay_id) ?? []).filter(
      (r) =>
        overlap(day, r.starttime, r.endtime ?? Math.max(r.starttime, day.to)).touches &&
        isFiled(day, r.starttime, r.storetime),
    ),
  };
}
