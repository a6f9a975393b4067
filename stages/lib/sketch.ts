/**
 * Linear coordinates of stays in which no distance is larger than the real one: what is far there is far. Whatever
 * the coordinates, the mined pairs are the same; good ones only reject more.
 *
 * euclidean: an orthonormal basis, widest direction first (distances stay as they are).
 * gower: |sum over k of s_k (a_k - b_k)| <= sum of |a_k - b_k|, for disjoint groups of columns with signs s_k.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { Metric } from './distance.js';

/** Coordinates by which rows are sorted. */
const WINDOWS = 3;
/** Coordinates that are looked at before all others. */
const HEAD = 8;
const SAMPLE = 2048;
/** Limit of sampled values in standard deviations: a few outliers should not choose the directions. */
const CLIP = 4;

export interface Sketch {
  /** Coefficients, row-major with K columns: four rows for the windows, then head, then tail unless it is copied. */
  readonly matrix: Float64Array;
  /** Numbers of coordinates, rounded up to whole fours with coordinates that are 0 for every row. */
  readonly head: number;
  readonly tail: number;
  /** How many columns are copied as they are to make the tail (gower: all, unless the head has them already). */
  readonly copied: number;
}

/** Chooses coordinates for rows of a column-major matrix. */
export function chooseSketch(
  metric: Metric,
  data: Float64Array,
  matrixRows: number,
  rows: Int32Array,
  features: Int32Array,
): Sketch {
  const covariance = sampleCovariance(data, matrixRows, rows, features);
  return metric === 'gower' ? signedGroups(covariance) : principalAxes(covariance);
}

/** Covariance of evenly spaced rows, values limited to 4 standard deviations. */
function sampleCovariance(
  data: Float64Array,
  matrixRows: number,
  rows: Int32Array,
  features: Int32Array,
): number[][] {
  const n = Math.min(rows.length, SAMPLE);
  const centred = Array.from(features, (f) => {
    const x = new Float64Array(n);
    for (let i = 0; i < n; i++) x[i] = data[f * matrixRows + rows[Math.floor((i * rows.length) / n)]!]!;
    const mean = sumOf(x) / n;
    for (let i = 0; i < n; i++) x[i] = x[i]! - mean;
    const most = CLIP * Math.sqrt(dot(x, x) / n);
    for (let i = 0; i < n; i++) x[i] = Math.min(Math.max(x[i]!, -most), most);
    return x;
  });
  const covariance = centred.map(() => new Array<number>(features.length).fill(0));
  for (let a = 0; a < centred.length; a++) {
    for (let b = 0; b <= a; b++) {
      const c = n > 0 ? dot(centred[a]!, centred[b]!) / n : 0;
      if (!Number.isFinite(c)) throw new RangeError('scaled values must be finite and far from overflow');
      covariance[a]![b] = c;
      covariance[b]![a] = c;
    }
  }
  return covariance;
}

function sumOf(a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]!;
  return sum;
}

function dot<T extends Float64Array | number[]>(a: T, b: T): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function principalAxes(covariance: number[][]): Sketch {
  const k = covariance.length;
  const axes = eigenvectors(covariance);
  const [head, tail] = [fillUp(axes.slice(0, HEAD), k), fillUp(axes.slice(HEAD), k)];
  const windows = fillUp(axes.slice(0, WINDOWS), k);
  return {
    matrix: Float64Array.from([...windows, ...head, ...tail].flat()),
    head: head.length,
    tail: tail.length,
    copied: 0,
  };
}

/** Rows of coefficients with as many rows of zeros as make whole fours. */
function fillUp(rows: readonly number[][], k: number): number[][] {
  const n = Math.ceil(rows.length / 4) * 4;
  return Array.from({ length: n }, (_, r) => rows[r] ?? new Array<number>(k).fill(0));
}

/** Orthonormal eigenvectors by falling eigenvalue; the columns themselves should they not be orthonormal. */
function eigenvectors(covariance: number[][]): number[][] {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(new Matrix(covariance), {
    assumeSymmetric: true,
  });
  const order = Array.from(realEigenvalues.keys()).sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!);
  const axes = order.map((c) => eigenvectorMatrix.getColumn(c));
  // Not above 1e-12 includes NaN.
  const isOrthonormal = axes.every((a, i) =>
    axes.every((b, j) => Math.abs(dot(a, b) - (i === j ? 1 : 0)) < 1e-12),
  );
  return isOrthonormal ? axes : axes.map((_, i) => axes.map((__, j) => (i === j ? 1 : 0)));
}

/** Columns with signs, and how the sums of groups vary together. */
interface Groups {
  readonly signs: number[][];
  readonly covariance: number[][];
}

function signedGroups(covariance: number[][]): Sketch {
  const k = covariance.length;
  const single = covariance.map((_, i) => covariance.map((__, j) => (i === j ? 1 : 0)));
  let groups: Groups = { signs: single, covariance };
  while (groups.signs.length > HEAD) groups = joinTwo(groups);
  const head = fillUp(groups.signs, k);
  while (groups.signs.length > WINDOWS) groups = joinTwo(groups);
  const widest = Array.from(groups.signs.keys()).sort(
    (a, b) => groups.covariance[b]![b]! - groups.covariance[a]![a]!,
  );
  const windows = fillUp(
    widest.map((g) => groups.signs[g]!),
    k,
  );
  const copied = k > HEAD ? k : 0;
  return {
    matrix: Float64Array.from([...windows, ...head].flat()),
    head: head.length,
    tail: Math.ceil(copied / 4) * 4,
    copied,
  };
}

/** Joins the two groups that lose least: sd(a) + sd(b) - sd(a + s b), as for normal differences, with the better sign s. */
function joinTwo({ signs, covariance: c }: Groups): Groups {
  const sd = c.map((row, i) => Math.sqrt(Math.max(row[i]!, 0)));
  let best = { loss: Number.POSITIVE_INFINITY, a: 0, b: 1 };
  for (let a = 0; a < c.length; a++) {
    for (let b = a + 1; b < c.length; b++) {
      const loss = sd[a]! + sd[b]! - Math.sqrt(Math.max(c[a]![a]! + c[b]![b]! + 2 * Math.abs(c[a]![b]!), 0));
      if (loss < best.loss) best = { loss, a, b };
    }
  }
  const { a, b } = best;
  const s = c[a]![b]! < 0 ? -1 : 1;
  const rest = Array.from(c.keys()).filter((i) => i !== a && i !== b);
  const joined = rest.map((i) => c[a]![i]! + s * c[b]![i]!);
  return {
    signs: [...rest.map((i) => signs[i]!), signs[a]!.map((x, j) => x + s * signs[b]![j]!)],
    covariance: [
      ...rest.map((i, n) => [...rest.map((j) => c[i]![j]!), joined[n]!]),
      [...joined, c[a]![a]! + c[b]![b]! + 2 * s * c[a]![b]!],
    ],
  };
}
