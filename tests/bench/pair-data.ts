/** Pair inputs of make_data.py as the product sees a cohort: rows by id ascending, columns behind each other. */
import { join } from 'node:path';
import type { Metric } from '../../stages/lib/distance.js';
import type { MiningTask } from '../../stages/lib/mining.js';
import { plainData, plainTask } from '../stages/pair-cases.js';
import { readFloats, readMeta, readWords } from './files.js';

export interface PairInput {
  readonly task: MiningTask;
  readonly ids: Uint32Array;
}

/** The task without the product's own rules, and the id of every row. */
export function readPairs(dir: string, metric: Metric, m: number): PairInput {
  const { K, nA, nB } = readMeta<{ K: number; nA: number; nB: number }>(dir);
  const n = nA + nB;
  const unsorted = new Uint32Array(n);
  unsorted.set(readWords(join(dir, 'idsA.u32')));
  unsorted.set(readWords(join(dir, 'idsB.u32')), nA);
  const order = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => unsorted[a]! - unsorted[b]!);
  const [a, b] = [readFloats(join(dir, 'A.f64')), readFloats(join(dir, 'B.f64'))];
  const scaled = new Float64Array(new SharedArrayBuffer(n * K * 8));
  order.forEach((from, r) => {
    const [matrix, row] = from < nA ? [a, from] : [b, from - nA];
    for (let k = 0; k < K; k++) scaled[k * n + r] = matrix[row * K + k]!;
  });
  const positives = Int32Array.from(order.keys()).filter((r) => order[r]! < nA);
  return {
    task: plainTask(plainData(scaled, n, K), K, positives, metric, m),
    ids: Uint32Array.from(order, (i) => unsorted[i]!),
  };
}
