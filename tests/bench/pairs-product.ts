/** The product's side of the mining cases. */
import type { Metric } from '../../stages/lib/distance.js';
import { mineDiagnosis } from '../../stages/lib/mining.js';
import { toAnswer } from '../stages/pair-cases.js';
import type { Run } from './child.js';
import type { Setting } from './context.js';
import { readPairs } from './pair-data.js';

export interface PairArgs extends Setting {
  readonly dir: string;
  readonly metric: Metric;
  readonly m: number;
}

/** Thresholds and pairs of one diagnosis. */
export function minePairs({ dir, metric, m }: PairArgs): Run {
  const { task, ids } = readPairs(dir, metric, m);
  return () => toAnswer(mineDiagnosis(task), (row) => ids[row]!);
}
