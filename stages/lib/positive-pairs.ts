/** One pass over the pairs of positive stays: both thresholds exactly, and the farthest pairs of every split. */
import { keyToDistance, type Metric, pairKey } from './distance.js';
import { type Band, bandFor, quickselect } from './order-statistics.js';
import { PairHeap } from './pair-heap.js';
import { lerp } from './quantile.js';
import { randomStream } from './random.js';
import { type PackedRows, scanWithin, tileKernel } from './tiles.js';

/** Up to this many pairs (16 MB of keys) all are stored; beyond, only those near the thresholds. */
const STORE_LIMIT = 2 ** 21;

export interface PositivePairsSpec {
  readonly metric: Metric;
  readonly packed: PackedRows;
  /** Cohort row, patient and split of each packed row. */
  readonly rows: Int32Array;
  readonly patient: Int32Array;
  readonly split: Int32Array;
  readonly splitsN: number;
  /** Quantiles of theta and phi. */
  readonly quantiles: readonly [number, number];
  /** How many of the farthest pairs of each split are kept. */
  readonly capacity: number;
  readonly storeLimit?: number;
}

export interface PositivePairs {
  readonly pairs_n: number;
  /** Null when there is no pair of different patients. */
  readonly theta: number | null;
  readonly phi: number | null;
  /** Farthest pairs of different patients by split, keys negated. */
  readonly farthest: readonly PairHeap[];
}

/** Runs the pass; what is stored on the way never changes the result. */
export function scanPositivePairs(spec: PositivePairsSpec): PositivePairs {
  const pairs_n = countPairs(spec.patient);
  if (pairs_n === 0) return { pairs_n, theta: null, phi: null, farthest: emptyHeaps(spec) };
  if (pairs_n <= (spec.storeLimit ?? STORE_LIMIT)) return scanStoring(spec, pairs_n);
  const sample = sampleKeys(spec, Math.min(Math.max(Math.floor(pairs_n / 128), 2 ** 14), 2 ** 19));
  for (let widen = 1; ; widen *= 3) {
    const found = scanBands(spec, pairs_n, sample, widen);
    if (found) return found;
  }
}

/** Number of unordered pairs of different patients. */
function countPairs(patient: Int32Array): number {
  const stays = new Map<number, number>();
  for (const p of patient) stays.set(p, (stays.get(p) ?? 0) + 1);
  let n = (patient.length * Math.max(patient.length - 1, 0)) / 2;
  for (const c of stays.values()) n -= (c * (c - 1)) / 2;
  return n;
}

const emptyHeaps = (spec: PositivePairsSpec): PairHeap[] =>
  Array.from({ length: spec.splitsN }, () => new PairHeap(spec.capacity));

function scanStoring(spec: PositivePairsSpec, pairs_n: number): PositivePairs {
  const keys = new Float64Array(pairs_n);
  let n = 0;
  const farthest = scan(spec, (key) => {
    keys[n++] = key;
  });
  const rank = (k: number): number => quickselect(keys, k);
  const [theta, phi] = spec.quantiles.map((q) => threshold(spec, pairs_n, q, rank)!);
  return { pairs_n, theta: theta!, phi: phi!, farthest };
}

function scanBands(
  spec: PositivePairsSpec,
  pairs_n: number,
  sample: Float64Array,
  widen: number,
): PositivePairs | null {
  // Two independent bands: with few distinct keys they overlap, and a key belongs to both.
  const bands = spec.quantiles.map((q) => bandFor(sample, q, widen)) as [Band, Band];
  const [low, high] = bands;
  const farthest = scan(spec, (key) => {
    low.add(key);
    high.add(key);
  });
  const [theta, phi] = spec.quantiles.map((q, b) => threshold(spec, pairs_n, q, (k) => bands[b]!.rank(k)));
  return theta === undefined || phi === undefined ? null : { pairs_n, theta, phi, farthest };
}

function scan(spec: PositivePairsSpec, collect: (key: number) => void): PairHeap[] {
  const { rows, patient, split } = spec;
  const heaps = emptyHeaps(spec);
  scanWithin(spec.packed, tileKernel(spec.metric), (i, j0, lanes, keys) => {
    const p = patient[i]!;
    const s = split[i]!;
    const heap = heaps[s]!;
    let bound = heap.bound;
    for (let l = 0; l < lanes; l++) {
      const j = j0 + l;
      if (j <= i || patient[j] === p) continue;
      const key = keys[l]!;
      collect(key);
      if (-key <= bound && split[j] === s) {
        heap.push(-key, rows[i]!, rows[j]!);
        bound = heap.bound;
      }
    }
  });
  return heaps;
}

/** Type-7 quantile of the distances from order statistics of the keys. */
function threshold(
  spec: PositivePairsSpec,
  pairs_n: number,
  q: number,
  rank: (k: number) => number | undefined,
): number | undefined {
  const h = (pairs_n - 1) * q;
  const k = Math.floor(h);
  const a = rank(k);
  const b = rank(Math.min(k + 1, pairs_n - 1));
  if (a === undefined || b === undefined) return undefined;
  const distance = (key: number): number => keyToDistance(spec.metric, key, spec.packed.k);
  return lerp(distance(a), distance(b), h - k);
}

/** Keys of random pairs, ascending. They only decide what the pass stores, so one fixed stream serves all. */
function sampleKeys(spec: PositivePairsSpec, size: number): Float64Array {
  const { packed, patient, metric } = spec;
  const { rows, k, flat } = packed;
  const random = randomStream(0, 'sample of positive pairs');
  const keys = new Float64Array(size);
  for (let n = 0; n < size; ) {
    const i = random.below(rows);
    const j = random.below(rows);
    if (patient[i] === patient[j]) continue;
    keys[n++] = pairKey(metric, flat.subarray(i * k, (i + 1) * k), flat.subarray(j * k, (j + 1) * k));
  }
  return keys.sort();
}
