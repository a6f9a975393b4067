/** One pass over the pairs of positive stays: both thresholds exactly, and the farthest pairs of every split. */
import { keyToDistance, type Metric } from './distance.js';
import { Band, type BandData, bandFor } from './order-statistics.js';
import { PairHeap, type PairHeapData } from './pair-heap.js';
import { lerp, ranksOf } from './quantile.js';
import { randomStream } from './random.js';
import { LANES, packTiles, tileKey } from './tiles.js';
import { BLOCK_TILES, forBlocks, type Limits, type Part, WHOLE, withinPass } from './within-pass.js';

/** Up to this many pairs the keys of all are stored; beyond, only those near the thresholds. */
const STORE_LIMIT = 2 ** 14;
/** The pairs of a split with at most this many are looked at one by one. */
const SMALL_SPLIT = 2 ** 16;

export interface PositivePairsSpec {
  readonly metric: Metric;
  /** Scaled values, column-major, with `matrixRows` rows. */
  readonly data: Float64Array;
  readonly matrixRows: number;
  /** Column numbers in rank order. */
  readonly features: Int32Array;
  /** Row number, patient and split of each positive stay; rows ascending. */
  readonly rows: Int32Array;
  readonly patient: Int32Array;
  readonly split: Int32Array;
  readonly splitsN: number;
  /** Quantiles of theta and phi. */
  readonly quantiles: readonly [number, number];
  /** How many of the farthest pairs of each split are kept. */
  readonly capacity: number;
  readonly kernel: WebAssembly.Module | null;
  readonly storeLimit?: number;
}

/** What the pass over a part found. */
export interface PositivePart {
  readonly bands: readonly [Band, Band];
  /** Farthest pairs of different patients by split, keys negated. */
  readonly farthest: readonly PairHeap[];
}

/** The same as plain data, which may travel between threads; `mergeParts` adds parts up. */
export interface PositivePartData {
  readonly bands: readonly BandData[];
  readonly farthest: readonly PairHeapData[];
}

export const partToData = ({ bands, farthest }: PositivePart): PositivePartData => ({
  bands: bands.map((b) => b.toData()),
  farthest: farthest.map((h) => h.toData()),
});

export interface PositivePairs {
  readonly pairs_n: number;
  /** Null when there is no pair of different patients. */
  readonly theta: number | null;
  readonly phi: number | null;
  readonly farthest: readonly PairHeap[];
}

/** Thresholds and farthest pairs; what is stored on the way never changes the result. */
export function scanPositivePairs(spec: PositivePairsSpec): PositivePairs {
  return settle(spec, scanPart(spec, WHOLE));
}

/** Thresholds from the merged parts; scans again with wider bands in the rare case that a rank lies outside. */
export function settle(spec: PositivePairsSpec, first: PositivePart): PositivePairs {
  const pairs_n = countPairs(spec.patient);
  if (pairs_n === 0) return { pairs_n, theta: null, phi: null, farthest: first.farthest };
  let found = first;
  for (let widen = 3; ; widen *= 3) {
    const [theta, phi] = spec.quantiles.map((q, b) => threshold(spec, pairs_n, q, found.bands[b]!));
    if (theta !== undefined && phi !== undefined) return { pairs_n, theta, phi, farthest: found.farthest };
    found = scanPart(spec, WHOLE, widen);
  }
}

/** Adds up what was found in the parts. */
export function mergeParts(parts: readonly PositivePartData[]): PositivePart {
  const first = parts[0]!;
  const bands = first.bands.map((b) => new Band(b.lo, b.hi)) as [Band, Band];
  const farthest = first.farthest.map((h) => new PairHeap(h.capacity));
  for (const p of parts) {
    bands.forEach((band, b) => {
      band.merge(p.bands[b]!);
    });
    farthest.forEach((heap, s) => {
      heap.merge(p.farthest[s]!);
    });
  }
  return { bands, farthest };
}

/** Number of unordered pairs of different patients. */
function countPairs(patient: Int32Array): number {
  const stays = new Map<number, number>();
  for (const p of patient) stays.set(p, (stays.get(p) ?? 0) + 1);
  let n = (patient.length * Math.max(patient.length - 1, 0)) / 2;
  for (const c of stays.values()) n -= (c * (c - 1)) / 2;
  return n;
}

/** The pass over the rows of every `of`-th block of tiles. */
export function scanPart(spec: PositivePairsSpec, part: Part, widen = 1): PositivePart {
  const { metric, data, matrixRows, features, rows, patient, split, kernel } = spec;
  const k = features.length;
  const pass = withinPass(metric, rows.length, k, kernel);
  packTiles(pass.tiles, data, matrixRows, rows, features);
  const [low, high] = chooseBands(spec, pass.tiles, widen);
  const { farthest, isSmall, top } = startHeaps(spec, pass.tiles, part);
  const below: [number, number] = [0, 0];
  let limits: Limits = { lo1: low.lo, hi1: low.hi, lo2: high.lo, hi2: high.hi, top };
  const emit = (key: number, i: number, j: number): void => {
    if (patient[i] === patient[j]) return;
    if (key >= low.lo && key <= low.hi) low.add(key);
    if (key >= high.lo && key <= high.hi) high.add(key);
    const s = split[i]!;
    if (split[j] !== s || isSmall[s]) return;
    const heap = farthest[s]!;
    if (-key <= heap.bound) heap.push(-key, rows[i]!, rows[j]!);
  };
  const scanBlock = (iFrom: number, iTo: number, tFrom: number, tTo: number): void => {
    pass.scan(iFrom, iTo, tFrom, tTo, limits, below, emit);
    // The lowest bound of all heaps: every split must still see its own farthest pairs.
    limits = { ...limits, top: Math.max(top, lowestBound(farthest, isSmall)) };
  };
  forBlocks(Math.ceil(rows.length / LANES), part, scanBlock);
  const same = samePatientKeys(spec, pass.tiles, part);
  [low, high].forEach((band, b) => {
    band.below += below[b]! - same.filter((key) => key < band.lo).length;
  });
  return { bands: [low, high], farthest };
}

/** Few pairs: bands that hold everything. Many: bands around the ranks, from a sample; with few distinct keys they overlap. */
function chooseBands(spec: PositivePairsSpec, tiles: Float64Array, widen: number): [Band, Band] {
  const pairs_n = countPairs(spec.patient);
  // Pairs in a band grow with pairs_n / sqrt(size): this size balances their cost with that of the sample.
  const size = Math.min(Math.max(Math.round(2 * Math.cbrt(pairs_n) ** 2), 2 ** 11), 2 ** 19);
  const isStored = pairs_n <= (spec.storeLimit ?? STORE_LIMIT);
  const sample = sampleKeys(spec, tiles, isStored ? 0 : size);
  return [bandFor(sample, spec.quantiles[0], widen), bandFor(sample, spec.quantiles[1], widen)];
}

/** Keys of random pairs, ascending. They only decide what the pass stores, so one fixed stream serves all. */
function sampleKeys(spec: PositivePairsSpec, tiles: Float64Array, size: number): Float64Array {
  const { metric, features, patient } = spec;
  const random = randomStream(0, 'sample of positive pairs');
  const keys = new Float64Array(size);
  for (let n = 0; n < size; ) {
    const i = random.below(patient.length);
    const j = random.below(patient.length);
    if (patient[i] !== patient[j]) keys[n++] = tileKey(metric, tiles, features.length, i, j);
  }
  return keys.sort();
}

interface Start {
  readonly farthest: readonly PairHeap[];
  /** 1 for splits whose heap is complete before the pass. */
  readonly isSmall: Uint8Array;
  /** No pair below this can be among the farthest of any other split. */
  readonly top: number;
}

/** Small splits are done pair by pair; the others get a lower bound, so that the pass hands over few pairs. */
function startHeaps(spec: PositivePairsSpec, tiles: Float64Array, { part }: Part): Start {
  const { capacity, splitsN, split } = spec;
  const farthest = Array.from({ length: splitsN }, () => new PairHeap(capacity));
  const isSmall = new Uint8Array(splitsN);
  let top = Number.POSITIVE_INFINITY;
  for (let s = 0; s < splitsN; s++) {
    const members = Int32Array.from(split.keys()).filter((i) => split[i] === s);
    if ((members.length * (members.length - 1)) / 2 <= SMALL_SPLIT) {
      isSmall[s] = 1;
      // Only one part may hold them, or they would be counted again when parts are added up.
      if (part === 0) offerAll(spec, tiles, members, farthest[s]!);
    } else {
      const heap = new PairHeap(capacity);
      offerAll(spec, tiles, outermost(spec, tiles, members), heap);
      top = Math.min(top, -heap.bound);
    }
  }
  return { farthest, isSmall, top };
}

function offerAll(spec: PositivePairsSpec, tiles: Float64Array, members: Int32Array, heap: PairHeap): void {
  const { metric, features, patient, rows } = spec;
  members.forEach((i, n) => {
    for (const j of members.subarray(n + 1)) {
      if (patient[i] === patient[j]) continue;
      const key = -tileKey(metric, tiles, features.length, i, j);
      if (key <= heap.bound) heap.push(key, rows[i]!, rows[j]!);
    }
  });
}

/** The rows farthest from the mean, enough to make `capacity` pairs; ascending. */
function outermost(spec: PositivePairsSpec, tiles: Float64Array, members: Int32Array): Int32Array {
  const { metric, features, capacity } = spec;
  const k = features.length;
  const value = (i: number, c: number): number => tiles[((i >> 2) * k + c) * LANES + (i & 3)]!;
  const far = new Float64Array(members.length);
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (const i of members) sum += value(i, c);
    const mean = sum / members.length;
    members.forEach((i, n) => {
      const d = Math.abs(value(i, c) - mean);
      far[n] = far[n]! + (metric === 'gower' ? d : d * d);
    });
  }
  const order = Array.from(members.keys()).sort((a, b) => far[b]! - far[a]!);
  return Int32Array.from(
    order.slice(0, Math.ceil(2 * Math.sqrt(2 * capacity)) + 2),
    (n) => members[n]!,
  ).sort();
}

const lowestBound = (heaps: readonly PairHeap[], isSmall: Uint8Array): number =>
  heaps.reduce((low, heap, s) => (isSmall[s] ? low : Math.min(low, -heap.bound)), Number.POSITIVE_INFINITY);

/** Keys of the pairs of one patient in this part: the pass counts them, the thresholds must not. */
function samePatientKeys(spec: PositivePairsSpec, tiles: Float64Array, { part, of }: Part): number[] {
  const { metric, patient, features } = spec;
  const staysOf = new Map<number, number[]>();
  patient.forEach((p, i) => {
    const stays = staysOf.get(p);
    if (stays) stays.push(i);
    else staysOf.set(p, [i]);
  });
  const keys: number[] = [];
  for (const stays of staysOf.values()) {
    stays.forEach((i, n) => {
      if (Math.floor(i / (LANES * BLOCK_TILES)) % of !== part) return;
      for (const j of stays.slice(n + 1)) keys.push(tileKey(metric, tiles, features.length, i, j));
    });
  }
  return keys;
}

/** Type-7 quantile of the distances from order statistics of the keys; undefined when they lie outside the band. */
function threshold(spec: PositivePairsSpec, pairs_n: number, q: number, band: Band): number | undefined {
  const { low, high, t } = ranksOf(pairs_n, q);
  const a = band.rank(low);
  const b = band.rank(high);
  if (a === undefined || b === undefined) return undefined;
  const distance = (key: number): number => keyToDistance(spec.metric, key, spec.features.length);
  return lerp(distance(a), distance(b), t);
}
