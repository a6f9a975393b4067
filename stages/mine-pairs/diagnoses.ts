/** Hands diagnoses to the workers; the large ones in parts, so that no thread is idle at the end. */
import type { StageContext } from '../contract.js';
import type { MinedDiagnosis, MinedPart, MiningSettings, MiningTask } from '../lib/mining.js';
import type { Part } from '../lib/within-pass.js';
import type { Anchor } from './anchors.js';
import type { CohortData } from './cohort.js';
import type { MinePairsConfig } from './config.js';

export const WORKER = 'stages/mine-pairs/worker.ts';
export const WITHIN_KERNEL = 'stages/lib/assembly/within.ts';
export const NEAR_KERNEL = 'stages/lib/assembly/near.ts';

/** One diagnosis, or a part of one. */
interface Piece {
  readonly anchor: number;
  readonly part: Part;
  readonly cost: number;
}

/** Results in the order of `anchors`; they do not depend on how the work was cut. */
export async function mineAll(
  ctx: StageContext,
  config: MinePairsConfig,
  data: CohortData,
  anchors: readonly Anchor[],
): Promise<MinedDiagnosis[]> {
  const tasks = anchors.map((anchor) => toTask(ctx, config, data, anchor));
  const pieces = cutWork(
    anchors.map((a) => a.positives.length),
    data.rows,
    ctx.workers.count,
  );
  const done = await ctx.workers.map<MiningTask & { part: Part }, MinedDiagnosis | MinedPart>({
    module: WORKER,
    name: 'minePiece',
    tasks: pieces.map(({ anchor, part }) => ({ ...tasks[anchor]!, part })),
    onDone: (n) => ctx.progress(n, pieces.length, 'diagnoses and parts of diagnoses'),
  });
  const mined: MinedDiagnosis[] = new Array(anchors.length);
  const parts = new Map<number, MinedPart[]>();
  pieces.forEach(({ anchor, part }, p) => {
    if (part.of === 1) mined[anchor] = done[p] as MinedDiagnosis;
    else parts.set(anchor, [...(parts.get(anchor) ?? []), done[p] as MinedPart]);
  });
  const joined = await ctx.workers.map<MiningTask & { parts: MinedPart[] }, MinedDiagnosis>({
    module: WORKER,
    name: 'joinParts',
    tasks: [...parts].map(([anchor, found]) => ({ ...tasks[anchor]!, parts: found })),
  });
  [...parts.keys()].forEach((anchor, n) => {
    mined[anchor] = joined[n]!;
  });
  return mined;
}

/** Costs in pairs of positive stays: a pair of opposite labels, and packing a stay, which every part does anew. */
const CROSS_PAIR = 0.03;
const PACKING = 30;

/** Largest first. A diagnosis is cut into parts of about a quarter of a worker's share, unless packing would outweigh them. */
export function cutWork(positives: readonly number[], stays: number, workers: number): Piece[] {
  const packing = PACKING * stays;
  const pairs = positives.map((n) => (n * n) / 2 + CROSS_PAIR * n * (stays - n));
  const share = pairs.reduce((sum, cost) => sum + cost + packing, 0) / workers;
  return pairs
    .flatMap((cost, anchor) => {
      const of = Math.max(1, Math.floor(Math.min(workers, (4 * cost) / share, cost / packing)));
      return Array.from({ length: of }, (_, part) => ({
        anchor,
        part: { part, of },
        cost: cost / of + packing,
      }));
    })
    .sort((a, b) => b.cost - a.cost || a.anchor - b.anchor || a.part.part - b.part.part);
}

function toTask(
  ctx: StageContext,
  config: MinePairsConfig,
  { rows, scaled, filled, patient, split, splitsN }: CohortData,
  { features, positives }: Anchor,
): MiningTask {
  return {
    data: { rows, scaled, filled, patient, split, splitsN },
    settings: settingsOf(config),
    features,
    positives,
    kernels: { within: ctx.kernel(WITHIN_KERNEL), near: ctx.kernel(NEAR_KERNEL) },
  };
}

function settingsOf(config: MinePairsConfig): MiningSettings {
  return {
    metric: config.distance,
    top_m: config.top_m,
    cap: config.cap_per_patient,
    min_observed_share: config.min_observed_share,
    apply_thresholds: config.apply_thresholds,
    theta_quantile: config.theta_percentile / 100,
    phi_quantile: config.phi_percentile / 100,
  };
}
