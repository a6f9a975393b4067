/** The product's side of the ranking cases: bins, forest and importances from values in memory. */
import { join } from 'node:path';
import type { StageSpec } from '../../stages/contract.js';
import { sharedBins } from '../../stages/lib/binning.js';
import { growForests } from '../../stages/rank-features/forests.js';
import { rankFeatures } from '../../stages/rank-features/stage.js';
import type { BinTask } from '../../stages/rank-features/worker.js';
import type { Part, Run } from './child.js';
import { type BenchContext, benchContext, type Setting } from './context.js';
import { readBytes, readFloats, readMeta, toColumns } from './files.js';

export interface ForestArgs extends Setting {
  readonly dir: string;
  readonly trees: number;
  readonly seeds: readonly number[];
}

const BIN_BLOCK = 28;
const MAX_BINS = 256;
const WORKER = 'stages/rank-features/worker.ts';

/** One importance vector per seed. */
export function rankForest({ dir, trees, seeds, ...setting }: ForestArgs): Run {
  const { n, p } = readMeta<{ n: number; p: number }>(dir);
  const data = toColumns(readFloats(join(dir, 'X.f64')), n, p);
  const labels = readBytes(join(dir, 'y.u8'));
  const context = benchContext(rankFeatures as StageSpec, setting);
  const all = (size: number): Int32Array => Int32Array.from({ length: size }, (_, i) => i);
  const positives_n = labels.reduce((sum, y) => sum + y, 0);
  const rows = { rows: all(n), labels, positives_n, negatives_n: n - positives_n };
  return async (part: Part) => {
    const bins = await part('bin', () => binColumns(context, data, n, p));
    const forests: number[][] = [];
    for (const seed of seeds) {
      const anchor = { ...rows, dx_code: 'bench', seed, trees_n: trees };
      const [sums] = await part('forest', () => growForests(context.ctx, bins, all(p), [anchor]));
      forests.push(Array.from(sums!.all, (x) => x / trees));
    }
    return forests;
  };
}

/** Bins the whole matrix, blocks of columns to each worker, as the stage does. */
export async function binColumns({ pool }: BenchContext, data: Float64Array, n: number, p: number) {
  const bins = sharedBins(n, p);
  const tasks: BinTask[] = [];
  for (let from = 0; from < p; from += BIN_BLOCK) {
    tasks.push({ data, bins, from, to: Math.min(from + BIN_BLOCK, p), limit: MAX_BINS });
  }
  await pool.map<BinTask, void>({ module: WORKER, name: 'binColumns', tasks });
  return bins;
}
