/** Data for the miner that the numpy oracle knows the answer to: ordinary rows and the kinds that break a miner. */
import type { RandomStream } from '../../stages/contract.js';
import type { Metric } from '../../stages/lib/distance.js';
import type { MinedDiagnosis, MiningData, MiningTask } from '../../stages/lib/mining.js';
import { randomStream } from '../../stages/lib/random.js';
import { askOracle } from './python-oracle.js';

export interface PairKind {
  readonly nA: number;
  readonly nB: number;
  readonly row: (r: RandomStream) => number[];
}

/** What oracle and product are compared by: pairs are [id, id, distance] in their order. */
export interface PairAnswer {
  readonly theta: number | null;
  readonly phi: number | null;
  readonly ddt: readonly (readonly number[])[];
  readonly dct: readonly (readonly number[])[];
}

const K = 20;
/** Pairs of each task in the answers. */
export const M = 25;
const bell = (r: RandomStream): number => r.float() + r.float() + r.float() + r.float() - 2;
const columns = (value: (f: number) => number): number[] => Array.from({ length: K }, (_, f) => value(f));

/** What `x` becomes between the limits, as the gower distance sees it. */
const unit = (x: number, lo: number, hi: number): number => (Math.min(Math.max(x, lo), hi) - lo) / (hi - lo);

/** Rows in [0, 1]. Limits inside the spread put many values on 0 and 1, as clipping at percentiles does. */
export const UNIT_KINDS: Readonly<Record<string, PairKind>> = {
  'ordinary data': { nA: 250, nB: 600, row: (r) => columns(() => unit(bell(r), -1.2, 1.3)) },
  'three levels': { nA: 200, nB: 500, row: (r) => columns(() => r.below(3) / 2) },
  'thirds, whose sums round': { nA: 200, nB: 500, row: (r) => columns(() => r.below(4) / 3) },
  'copied rows': { nA: 200, nB: 500, row: (r) => columns((f) => (f < 4 ? r.below(2) : 1)) },
  'two distinct distances': {
    nA: 150,
    nB: 400,
    row: (r) => {
      const hot = r.below(K);
      return columns((f) => (f === hot ? 1 : 0));
    },
  },
  'heavy tails': {
    nA: 250,
    nB: 600,
    row: (r) => columns(() => unit(Math.round(10 / (2.02 - Math.abs(bell(r)))) / 10, 0.5, 60)),
  },
  'seven positives': { nA: 7, nB: 30, row: (r) => columns(() => r.float()) },
  'neighbours one ulp apart': {
    nA: 150,
    nB: 400,
    row: (r) => columns((f) => (f < 3 ? r.below(2) : 0.5 + r.below(3) * Number.EPSILON)),
  },
};

export interface PairCase {
  readonly task: MiningTask;
  /** The same data as files, in the layout of ref_pairs.py. */
  readonly files: Readonly<Record<string, string | ArrayBufferView>>;
  readonly answer: PairAnswer;
}

/** A kind as a task of one patient per row, without a cap, and numpy's answer to it. Ids are row numbers. */
export function pairCase(name: string, kind: PairKind, metric: Metric, stored: string): PairCase {
  const random = randomStream(22, name);
  const n = kind.nA + kind.nB;
  const rows = Array.from({ length: n }, () => kind.row(random));
  // Positives are spread over the rows, because row numbers decide ties.
  const isPositive = new Uint8Array(n);
  for (let left = kind.nA; left > 0; ) {
    const r = random.below(n);
    left -= 1 - isPositive[r]!;
    isPositive[r] = 1;
  }
  const all = Int32Array.from({ length: n }, (_, r) => r);
  const [idsA, idsB] = [1, 0].map((label) => all.filter((r) => isPositive[r] === label)) as [
    Int32Array,
    Int32Array,
  ];
  const scaled = new Float64Array(n * K);
  for (const r of all) for (let f = 0; f < K; f++) scaled[f * n + r] = rows[r]![f]!;
  const matrix = (ids: Int32Array): Float64Array => Float64Array.from([...ids].flatMap((r) => rows[r]!));
  const files = {
    'meta.json': JSON.stringify({ K, nA: kind.nA, nB: kind.nB }),
    'A.f64': matrix(idsA),
    'B.f64': matrix(idsB),
    'idsA.u32': Uint32Array.from(idsA),
    'idsB.u32': Uint32Array.from(idsB),
  };
  const { oracle } = askOracle<{ results: { oracle: PairAnswer } }>({
    script: 'ref_pairs.py',
    args: ['--m', String(M), '--methods', 'oracle', '--metric', metric],
    files,
    stored,
    keep: ['results'],
  }).results;
  return { task: plainTask(plainData(scaled, n, K), K, idsA, metric, M), answer: oracle, files };
}

/** A cohort without the product's own rules: one patient per row, one split. Column-major values in shared memory. */
export function plainData(scaled: Float64Array, rows: number, columns: number): MiningData {
  const shared = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4 * rows));
  return {
    rows,
    scaled,
    filled: new Uint8Array(new SharedArrayBuffer(rows * columns)),
    patient: shared().map((_, r) => r),
    split: shared(),
    splitsN: 1,
  };
}

/** The oracle's task on the first `k` columns: no cap, all stays eligible. */
export function plainTask(
  data: MiningData,
  k: number,
  positives: Int32Array,
  metric: Metric,
  m: number,
): MiningTask {
  return {
    data,
    settings: {
      metric,
      top_m: m,
      cap: 'none',
      min_observed_share: 0,
      apply_thresholds: true,
      theta_quantile: 0.25,
      phi_quantile: 0.75,
    },
    features: Int32Array.from({ length: k }, (_, f) => f),
    positives,
  };
}

/** What was mined, in the oracle's form. */
export function toAnswer(mined: MinedDiagnosis, idOf: (row: number) => number = (row) => row): PairAnswer {
  const list = (task: string): number[][] =>
    mined.pairs.filter((p) => p.task === task).map((p) => [idOf(p.i), idOf(p.j), p.distance]);
  return { theta: mined.theta, phi: mined.phi, ddt: list('ddt'), dct: list('dct') };
}
