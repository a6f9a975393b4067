/** All cases of `make bench`, and the larger ones of `make bench-full`. */
import type { Metric } from '../../stages/lib/distance.js';
import type { BenchCase } from './case.js';
import { forestCase, libraryForestCase } from './forest.js';
import { pairCase, tieCase } from './pairs.js';

const METRICS: readonly Metric[] = ['euclidean', 'gower'];
const TIES = ['grid', 'dup', 'onehot', 'heavy', 'tiny'];

/** Small to large. */
export function casesOf(isFull: boolean): BenchCase[] {
  const forests = [forestCase(200, 4), libraryForestCase(), forestCase(1000, 4), forestCase(4000, 3)];
  const sizes = [100, 1000, 4000, ...(isFull ? [20_000] : [])];
  return [
    ...METRICS.flatMap((metric) => TIES.map((kind) => tieCase(kind, metric))),
    ...forests,
    ...(isFull ? [forestCase(40_000, 2)] : []),
    ...METRICS.flatMap((metric) => sizes.map((nA) => pairCase(nA, 94_000 - nA, metric))),
  ];
}
