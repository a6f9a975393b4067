/**
 * All 448 features recomputed from raw rows, one stay at a time, in plain loops. Written from the registry and the
 * public publications only, so that the product can be held against it. READINGS.md lists where prose was ambiguous.
 */
import { adminFeatures } from './admin.js';
import { apacheFeature } from './apache.js';
import { type Case, caseOf, put, type Sheet } from './case.js';
import { chartFeatures } from './charts.js';
import { comorbidityFeatures } from './comorbidity.js';
import { type Extract, readExtract } from './extract.js';
import { gasFeatures } from './gases.js';
import { gcsFeatures } from './gcs.js';
import { inputFeatures } from './inputs.js';
import { labFeatures } from './labs.js';
import { egfrFeature, kdigoCreatinine, kdigoUrine, meldFeature } from './organs.js';
import { outputFeatures } from './outputs.js';
import { physiologyOf } from './physiology.js';
import { procedureFeatures } from './procedures.js';
import { feature, REGISTRY, within } from './registry.js';
import { lodsFeature, oasisFeature, saps2Feature } from './severity.js';
import { qsofaFeature, sirsFeatures, sofaFeatures } from './sofa.js';
import { vitalFeatures } from './vitals.js';
import type { Options } from './window.js';

export type { Extract } from './extract.js';
export type { Num } from './read.js';
export type { Options } from './window.js';

const CHART_ITEMS = new Set(
  REGISTRY.filter((row) => !row.source.startsWith('hosp')).flatMap((row) => row.itemids),
);
const LAB_ITEMS = new Set(REGISTRY.flatMap((row) => row.itemids).filter((itemid) => itemid < 100_000));

/** Reads an extract once, for several recomputations. */
export function readRaw(dirs: readonly string[]): Extract {
  return readExtract(dirs, { charts: CHART_ITEMS, labs: LAB_ITEMS });
}

/** Every feature of the given stays (default: all of adult patients), by stay and feature id. */
export function recompute(
  source: readonly string[] | Extract,
  options: Partial<Options> = {},
  stay_ids?: readonly number[],
): Map<number, Sheet> {
  const extract = 'stays' in source ? source : readRaw(source);
  const settings: Options = {
    profile: 'benchmark',
    lab_lookback_hours: 0,
    availability: 'charttime',
    ...options,
  };
  const wanted = stay_ids ? new Set(stay_ids) : null;
  const result = new Map<number, Sheet>();
  for (const stay of extract.stays) {
    if (wanted && !wanted.has(stay.stay_id)) continue;
    if (!wanted && !isAdult(extract, stay.subject_id, stay.hadm_id)) continue;
    result.set(stay.stay_id, sheetOf(caseOf(extract, stay, settings)));
  }
  return result;
}

function isAdult(extract: Extract, subject_id: number, hadm_id: number): boolean {
  const patient = extract.patients.get(subject_id);
  const admission = extract.admissions.get(hadm_id);
  if (!patient || !admission) return false;
  const year = new Date(admission.admittime).getUTCFullYear();
  return patient.anchor_age + year - patient.anchor_year >= 18;
}

function sheetOf(c: Case): Sheet {
  const sheet: Sheet = new Map();
  adminFeatures(c, sheet);
  comorbidityFeatures(c, sheet);
  chartFeatures(c, sheet);
  vitalFeatures(c, sheet);
  gcsFeatures(c, sheet);
  labFeatures(c, sheet);
  gasFeatures(c, sheet);
  outputFeatures(c, sheet);
  inputFeatures(c, sheet);
  procedureFeatures(c, sheet);
  const [input, output] = [sheet.get('F416') ?? null, sheet.get('F376') ?? null];
  put(sheet, 'F417', input === null || output === null ? null : within(input - output, feature('F417')));
  scores(c, sheet);
  for (const row of REGISTRY)
    if (!sheet.has(row.id)) throw new Error(`${row.id} ${row.name} is not computed`);
  return sheet;
}

function scores(c: Case, sheet: Sheet): void {
  const p = physiologyOf(c, sheet);
  sofaFeatures(c, sheet, p);
  sirsFeatures(sheet, p);
  qsofaFeature(c, sheet);
  saps2Feature(c, sheet, p);
  apacheFeature(c, sheet, p);
  oasisFeature(c, sheet, p);
  lodsFeature(c, sheet, p);
  meldFeature(sheet, p);
  kdigoCreatinine(c, sheet);
  kdigoUrine(c, sheet);
  egfrFeature(c, sheet);
}
