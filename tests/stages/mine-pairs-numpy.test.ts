/** Thresholds and pairs against the numpy oracle, to the bit: ordinary data and the five kinds that break a miner. */
import { describe, expect, it } from 'vitest';
import type { RandomStream } from '../../stages/contract.js';
import { mineDiagnosis } from '../../stages/lib/mining.js';
import { randomStream } from '../../stages/lib/random.js';
import { askOracle, ORACLE_SOURCE } from './python-oracle.js';

interface Answer {
  results: { oracle: { theta: number; phi: number; ddt: number[][]; dct: number[][] } };
}

const K = 20;
const M = 25;
const bell = (r: RandomStream): number => r.float() + r.float() + r.float() + r.float() - 2;

/** Goes to about 100 at the ends of (-2, 2). */
const heavy = (x: number): number => x / (2.02 - Math.abs(x));

/** Positives, negatives, and a row-major matrix of both, positives first. */
const KINDS: Record<string, { nA: number; nB: number; row: (r: RandomStream) => number[] }> = {
  'ordinary data': {
    nA: 250,
    nB: 600,
    row: (r) => Array.from({ length: K }, () => Math.round(bell(r) * 1000) / 1000),
  },
  'three levels': { nA: 200, nB: 500, row: (r) => Array.from({ length: K }, () => r.below(3)) },
  'copied rows': {
    nA: 200,
    nB: 500,
    row: (r) => Array.from({ length: K }, (_, f) => (f < 4 ? r.below(2) : 1)),
  },
  'two distinct distances': {
    nA: 150,
    nB: 400,
    row: (r) => {
      const hot = r.below(K);
      return Array.from({ length: K }, (_, f) => (f === hot ? 1 : 0));
    },
  },
  'heavy tails': {
    nA: 250,
    nB: 600,
    row: (r) => Array.from({ length: K }, () => Math.round(10 * heavy(bell(r))) / 10),
  },
  'seven positives': { nA: 7, nB: 30, row: (r) => Array.from({ length: K }, () => bell(r)) },
};

describe(`mined pairs and numpy (${ORACLE_SOURCE})`, () => {
  it.each(Object.entries(KINDS))('are equal to the last bit: %s', (name, { nA, nB, row }) => {
    const random = randomStream(21, name);
    const n = nA + nB;
    const rows = Array.from({ length: n }, () => row(random));
    // Positives are spread over the cohort: every row gets an id, and ids decide ties.
    const order = Array.from({ length: n }, (_, i) => i);
    for (let v = 0; v < n; v++) {
      const other = v + random.below(n - v);
      [order[v], order[other]] = [order[other]!, order[v]!];
    }
    const byNumber = (a: number, b: number): number => a - b;
    const idsA = order.slice(0, nA).sort(byNumber);
    const idsB = order.slice(nA).sort(byNumber);
    const matrix = (ids: number[]): Float64Array => Float64Array.from(ids.flatMap((id) => rows[id]!));
    const { oracle } = askOracle<Answer>({
      script: 'ref_pairs.py',
      args: ['--m', String(M), '--methods', 'oracle'],
      files: {
        'meta.json': JSON.stringify({ K, nA, nB }),
        'A.f64': matrix(idsA),
        'B.f64': matrix(idsB),
        'idsA.u32': Uint32Array.from(idsA),
        'idsB.u32': Uint32Array.from(idsB),
      },
      stored: 'pairs-numpy',
      keep: ['results'],
    }).results;
    const scaled = new Float64Array(n * K);
    rows.forEach((values, r) => {
      values.forEach((x, f) => {
        scaled[f * n + r] = x;
      });
    });
    const mined = mineDiagnosis({
      data: {
        rows: n,
        scaled,
        filled: new Uint8Array(n * K),
        patient: Int32Array.from({ length: n }, (_, r) => r),
        split: new Int32Array(n),
        splitsN: 1,
      },
      settings: {
        metric: 'euclidean',
        top_m: M,
        cap: 'none',
        min_observed_share: 0.7,
        apply_thresholds: true,
        theta_quantile: 0.25,
        phi_quantile: 0.75,
      },
      features: Int32Array.from({ length: K }, (_, f) => f),
      positives: Int32Array.from(idsA),
    });
    const list = (task: string): number[][] =>
      mined.pairs.filter((p) => p.task === task).map((p) => [p.i, p.j, p.distance]);
    expect([mined.theta, mined.phi]).toEqual([oracle.theta, oracle.phi]);
    expect(list('ddt')).toEqual(oracle.ddt);
    expect(list('dct')).toEqual(oracle.dct);
  });
});
