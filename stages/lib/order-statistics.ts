/** Exact order statistics of very many numbers: quickselect when they fit in memory, else bands around the wanted ranks. */
import { lerp, ranksOf } from './quantile.js';

/** Puts the value of rank k (from 0) at index k; smaller ones stand before it, larger ones behind. */
export function quickselect(a: Float64Array, k: number, from = 0, to = a.length - 1): number {
  let low = from;
  let high = to;
  while (low < high) {
    const pivot = medianOfThree(a[low]!, a[(low + high) >>> 1]!, a[high]!);
    let i = low;
    let j = high;
    while (i <= j) {
      while (a[i]! < pivot) i++;
      while (a[j]! > pivot) j--;
      if (i <= j) {
        const x = a[i]!;
        a[i++] = a[j]!;
        a[j--] = x;
      }
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return a[k]!;
}

/** Type-7 quantile of values that may be reordered; what `quantileSorted` gives for the sorted ones. */
export function quantileOf(values: Float64Array, q: number): number {
  if (values.length === 0) throw new RangeError('quantile of no values');
  const { low, high, t } = ranksOf(values.length, q);
  const a = quickselect(values, low);
  let b = high > low ? Number.POSITIVE_INFINITY : a;
  for (let i = high; i < values.length; i++) b = Math.min(b, values[i]!);
  // Which of -0 and 0 is found depends on the order of the values; both become 0.
  return lerp(a, b, t) + 0;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** A float64 list that grows. */
export class NumberList {
  length = 0;
  private data = new Float64Array(1024);

  push(x: number): void {
    if (this.length === this.data.length) {
      const larger = new Float64Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = x;
  }

  /** The values; a view, not a copy. */
  values(): Float64Array {
    return this.data.subarray(0, this.length);
  }
}

/** A band as plain data. */
export interface BandData {
  readonly lo: number;
  readonly hi: number;
  readonly below: number;
  readonly atLo: number;
  readonly atHi: number;
  readonly inside: Float64Array;
}

/**
 * Counts what lies below [lo, hi] and on its edges, and stores what lies strictly inside. Values on the edges are only
 * counted: with few distinct values the edges are those values, and nothing needs to be stored.
 */
export class Band {
  readonly lo: number;
  readonly hi: number;
  below = 0;
  atLo = 0;
  atHi = 0;
  readonly inside = new NumberList();

  constructor(lo: number, hi: number) {
    this.lo = lo;
    this.hi = hi;
  }

  add(x: number): void {
    if (x < this.lo) this.below++;
    else if (x > this.hi) return;
    else if (x === this.lo) this.atLo++;
    else if (x === this.hi) this.atHi++;
    else if (x < this.hi) this.inside.push(x);
  }

  /** Adds what another band of the same edges found. */
  merge(other: BandData): void {
    this.below += other.below;
    this.atLo += other.atLo;
    this.atHi += other.atHi;
    for (const x of other.inside) this.inside.push(x);
  }

  toData(): BandData {
    const { lo, hi, below, atLo, atHi } = this;
    return { lo, hi, below, atLo, atHi, inside: this.inside.values().slice() };
  }

  /** The value of rank k among all that were added, or undefined when it lies outside the band. */
  rank(k: number): number | undefined {
    let r = k - this.below;
    if (r < 0) return undefined;
    if (r < this.atLo) return this.lo;
    r -= this.atLo;
    if (r < this.inside.length) return quickselect(this.inside.values(), r);
    return r < this.inside.length + this.atHi ? this.hi : undefined;
  }
}

/** The band that holds the q-quantile of a population with near certainty, from a sorted sample of it; all numbers when it is empty. */
export function bandFor(sortedSample: Float64Array, q: number, widen: number): Band {
  const s = sortedSample.length;
  // 4.5 standard deviations of the number of sample values below the quantile.
  const w = widen * (4.5 * Math.sqrt(q * (1 - q) * s) + 2);
  const low = Math.floor(q * s - w);
  const high = Math.ceil(q * s + w);
  return new Band(
    low < 0 ? Number.NEGATIVE_INFINITY : sortedSample[low]!,
    high >= s ? Number.POSITIVE_INFINITY : sortedSample[high]!,
  );
}
