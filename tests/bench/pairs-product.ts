/** The product's side of the mining cases. */
import type { StageSpec } from '../../stages/contract.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { keyAbove, keyToDistance, type Metric } from '../../stages/lib/distance.js';
import type { MiningData, MiningTask } from '../../stages/lib/mining.js';
import { NearestPairs } from '../../stages/lib/nearest-pairs.js';
import { scanPositivePairs } from '../../stages/lib/positive-pairs.js';
import { WHOLE } from '../../stages/lib/within-pass.js';
import type { CohortData } from '../../stages/mine-pairs/cohort.js';
import { type MinePairsConfig, minePairsConfig } from '../../stages/mine-pairs/config.js';
import { mineAll, NEAR_KERNEL, WITHIN_KERNEL } from '../../stages/mine-pairs/diagnoses.js';
import { minePairs } from '../../stages/mine-pairs/stage.js';
import { type PairAnswer, toAnswer } from '../stages/pair-cases.js';
import type { Part, Run } from './child.js';
import { benchContext, type Setting, settingLabel } from './context.js';
import { readPairs } from './pair-data.js';

export interface PairArgs extends Setting {
  readonly dir: string;
  readonly metric: Metric;
  readonly m: number;
}

/** Settings of the stage without its own rules. */
export const plainConfig = (metric: Metric, m: number): MinePairsConfig =>
  minePairsConfig.parse({ distance: metric, top_m: m, cap_per_patient: 'none', min_observed_share: 0 });

export const withNames = (data: MiningData): CohortData => ({
  ...data,
  stay_id: new Int32Array(),
  splits: ['all'],
});

/** Thresholds and pairs of one diagnosis over the worker pool, as the stage makes them. */
export const mineWithWorkers = (args: PairArgs): Run => prepareWorkers(args).run;

function prepareWorkers({ dir, metric, m, ...setting }: PairArgs) {
  const { task, ids } = readPairs(dir, metric, m);
  const { ctx, pool } = benchContext(minePairs as StageSpec, setting);
  const anchor = { dx_code: 'bench', features: task.features, positives: task.positives };
  const run = async (): Promise<PairAnswer> => {
    const [mined] = await mineAll(ctx, plainConfig(metric, m), withNames(task.data), [anchor]);
    return toAnswer(mined!, (row) => ids[row]!);
  };
  return { run, close: () => pool.close() };
}

export interface ManyArgs extends Omit<PairArgs, keyof Setting> {
  readonly settings: readonly Setting[];
}

/** The answer that all settings, and the passes on this thread, agree on; an error when they do not. */
export function mineEverySetting({ settings, ...args }: ManyArgs): Run {
  return async (part: Part) => {
    const answer = await minePasses({ ...args, ...settings[0]! })(part);
    for (const setting of settings) {
      const { run, close } = prepareWorkers({ ...args, ...setting });
      const other = await run();
      await close();
      if (canonicalJson(other) !== canonicalJson(answer)) {
        throw new Error(`${settingLabel(setting)} gives another result`);
      }
    }
    return answer;
  };
}

/** The two passes on this thread, each timed on its own; what they find must equal `mineWithWorkers`. */
export function minePasses({ dir, metric, m, ...setting }: PairArgs): Run {
  const { task, ids } = readPairs(dir, metric, m);
  const { ctx } = benchContext(minePairs as StageSpec, setting);
  const kernels = { within: ctx.kernel(WITHIN_KERNEL), near: ctx.kernel(NEAR_KERNEL) };
  const negatives = negativesOf(task);
  return (part: Part): PairAnswer => {
    const { theta, phi, dct } = part('within', () => withinPass(task, m, kernels.within));
    const ddt = part('ddt', () => nearPass(task, negatives, m, theta, kernels.near));
    const named = (pairs: readonly number[][]) => pairs.map(([i, j, d]) => [ids[i!]!, ids[j!]!, d!]);
    return { theta, phi, ddt: named(ddt), dct: named(dct) };
  };
}

const sourceOf = ({ data, settings, features }: MiningTask) => ({
  metric: settings.metric,
  data: data.scaled,
  matrixRows: data.rows,
  features,
});

function withinPass(task: MiningTask, m: number, kernel: WebAssembly.Module | null) {
  const { data, positives, features, settings } = task;
  const { theta, phi, farthest } = scanPositivePairs({
    ...sourceOf(task),
    rows: positives,
    patient: positives,
    split: new Int32Array(positives.length),
    splitsN: data.splitsN,
    quantiles: [settings.theta_quantile, settings.phi_quantile],
    capacity: m,
    kernel,
  });
  const distance = (key: number): number => keyToDistance(settings.metric, -key, features.length);
  const pairs = farthest[0]!.sorted().map((p) => [p.i, p.j, distance(p.key)]);
  return { theta: theta!, phi: phi!, dct: pairs.filter(([, , d]) => d! > phi!) };
}

/** The peers get positives and negatives apart. */
function negativesOf({ data, positives }: MiningTask): Int32Array {
  const isPositive = new Uint8Array(data.rows);
  for (const r of positives) isPositive[r] = 1;
  return Int32Array.from(isPositive.keys()).filter((r) => isPositive[r] === 0);
}

function nearPass(
  task: MiningTask,
  negatives: Int32Array,
  m: number,
  theta: number,
  kernel: WebAssembly.Module | null,
): number[][] {
  const { positives, features, settings } = task;
  const heap = new NearestPairs(sourceOf(task), negatives, positives.length, kernel).search({
    rows: positives,
    capacity: m,
    limit: keyAbove(settings.metric, theta, features.length),
    isWanted: () => true,
    part: WHOLE,
  });
  const distance = (key: number): number => keyToDistance(settings.metric, key, features.length);
  return heap
    .sorted()
    .map((p) => [p.i, p.j, distance(p.key)])
    .filter(([, , d]) => d! < theta);
}
