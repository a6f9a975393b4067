/**
 * Linear coordinates of stays in which no distance is larger than the real one: what is far there is far. Whatever
 * the coordinates, the mined pairs are the same; good ones only reject more.
 *
 * euclidean: an orthonormal basis, widest direction first (distances stay as they are).
 * gower: |sum over k of s_k (a_k - b_k)| <= sum of |a_k - b_k|, for disjoint groups of columns with signs s_k.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { Metric } from './distance.js';

/** Coordinates that are looked at before all others. */
const HEAD = 8;
const SAMPLE = 2048;
/** Limit of sampled values in standard deviations: a few outliers should not choose the directions. */
const CLIP = 4;

export interface Sketch {
  /** Coefficients, row-major with K columns: two window coordinates, `head` ones, then those of the tail if computed. */
  readonly matrix: Float64Array;
  readonly head: number;
  /** Coordinates behind the head; in gower they are the K columns themselves. */
  readonly tail: number;
  /** True when the tail is a copy of the columns. */
  readonly isTailCopied: boolean;
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
  const sample = Array.from(features, (f) => {
    const x = Float64Array.from(
      { length: n },
      (_, i) => data[f * matrixRows + rows[Math.floor((i * rows.length) / n)]!]!,
    );
    const mean = x.reduce((a, b) => a + b, 0) / n;
    const sd = Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / n);
    return x.map((v) => Math.min(Math.max(v - mean, -CLIP * sd), CLIP * sd));
  });
  return sample.map((x) => sample.map((y) => x.reduce((sum, v, i) => sum + v * y[i]!, 0) / Math.max(n, 1)));
}

function principalAxes(covariance: number[][]): Sketch {
  const k = covariance.length;
  const axes = eigenvectors(covariance);
  const head = Math.min(HEAD, k);
  const zero = new Array<number>(k).fill(0);
  return {
    matrix: Float64Array.from([axes[0]!, axes[1] ?? zero, ...axes].flat()),
    head,
    tail: k - head,
    isTailCopied: false,
  };
}

/** Orthonormal eigenvectors by falling eigenvalue; the columns themselves should they not be orthonormal. */
function eigenvectors(covariance: number[][]): number[][] {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(new Matrix(covariance), {
    assumeSymmetric: true,
  });
  const order = Array.from(realEigenvalues.keys()).sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!);
  const axes = order.map((c) => eigenvectorMatrix.getColumn(c));
  const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
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
  const head = groups.signs;
  while (groups.signs.length > 2) groups = joinTwo(groups);
  const windows = groups.signs
    .map((signs, g) => ({ signs, variance: groups.covariance[g]![g]! }))
    .sort((a, b) => b.variance - a.variance)
    .map((g) => g.signs);
  const zero = new Array<number>(k).fill(0);
  return {
    matrix: Float64Array.from([windows[0]!, windows[1] ?? zero, ...head].flat()),
    head: head.length,
    tail: head.length < k ? k : 0,
    isTailCopied: true,
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
