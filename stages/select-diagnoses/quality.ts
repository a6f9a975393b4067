/** How completely and how plausibly the core features of each stay were measured. */
import type { Matrix } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { quantileSorted } from '../lib/quantile.js';

export const COVERAGE_FILE = 'raw/mimic/demo-coverage.csv';

/** Share of the open demo's ICU stays that a core feature was measured in, at least; gives 151 features. */
const CORE_SHARE = 0.7;
const CORE_N = 151;

/** IQR of a normal distribution in standard deviations: the quartiles lie at 0.6745 SD. */
const IQR_PER_SD = 1.349;

/** The core features: those whose source rows at least 70 % of the demo's stays have. */
export function parseCoreFeatures(text: string): string[] {
  const core = parseCsv(text, COVERAGE_FILE)
    .filter((r) => r.demo_share !== '' && Number(r.demo_share) >= CORE_SHARE)
    .map((r) => r.feature_id!);
  if (core.length !== CORE_N) {
    throw new Error(`${COVERAGE_FILE}: ${core.length} core features instead of ${CORE_N}`);
  }
  return core;
}

/** Per stay: core features with a value, and how many of these values are outliers. */
export interface StayQuality {
  readonly observed: Int32Array;
  readonly outlying: Int32Array;
  /** Core features whose quartiles are equal (or that nobody has): they have no spread, so no outliers. */
  readonly without_spread: readonly string[];
}

/** Counts observed and outlying values of every row of a matrix of core features. */
export function measureQuality(matrix: Matrix, outlierSd: number): StayQuality {
  const observed = new Int32Array(matrix.rows);
  const outlying = new Int32Array(matrix.rows);
  const without_spread: string[] = [];
  for (const [j, feature] of matrix.columns.entries()) {
    const column = matrix.data.subarray(j * matrix.rows, (j + 1) * matrix.rows);
    const limits = robustLimits(column, outlierSd);
    if (!limits) without_spread.push(feature);
    for (let i = 0; i < column.length; i++) {
      const x = column[i]!;
      if (Number.isNaN(x)) continue;
      observed[i]!++;
      if (limits && (x < limits.low || x > limits.high)) outlying[i]!++;
    }
  }
  return { observed, outlying, without_spread };
}

/** Median +- n robust standard deviations of the observed values; undefined where the quartiles are equal. */
export function robustLimits(column: Float64Array, n: number): { low: number; high: number } | undefined {
  const sorted = column.filter((x) => !Number.isNaN(x)).sort();
  if (sorted.length === 0) return undefined;
  const iqr = quantileSorted(sorted, 0.75) - quantileSorted(sorted, 0.25);
  if (iqr === 0) return undefined;
  const median = quantileSorted(sorted, 0.5);
  const reach = (n * iqr) / IQR_PER_SD;
  return { low: median - reach, high: median + reach };
}
