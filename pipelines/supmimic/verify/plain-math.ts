/** The definitions once more, written plainly and apart from the stages, so that a shared mistake would show. */

/** Type-7 quantile with numpy's interpolation. */
export function quantileOf(values: Iterable<number>, q: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), q);
}

/** The same for values in ascending order. */
export function quantileOfSorted(sorted: Float64Array, q: number): number {
  const position = (sorted.length - 1) * q;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  const part = position - Math.floor(position);
  return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

/** A pair of rows with the number that orders it. */
export interface Candidate {
  readonly key: number;
  readonly i: number;
  readonly j: number;
}

/** Sum over the columns, in order, of absolute or squared differences. */
export function keyOf(metric: string, a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) {
    const difference = a[k]! - b[k]!;
    sum += metric === 'gower' ? Math.abs(difference) : difference * difference;
  }
  return sum;
}

/** The distance of a key over k columns. */
export function distanceOf(metric: string, key: number, k: number): number {
  return metric === 'gower' ? key / k : Math.sqrt(key);
}
