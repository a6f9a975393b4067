/** Affine matrices as PDF writes them: a, b, c, d, e, f. */

export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** First `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** A point through a matrix. */
export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** How much lengths grow: the square root of the area factor. */
export function scaleOf([a, b, c, d]: Matrix): number {
  return Math.sqrt(Math.abs(a * d - b * c));
}

/** Takes six numbers from whatever the library hands over. */
export function asMatrix(value: ArrayLike<number> | null | undefined): Matrix {
  if (!value) return IDENTITY;
  return Array.from({ length: 6 }, (_, i) => value[i] ?? 0) as unknown as Matrix;
}
