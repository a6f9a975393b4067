/** Ranks the features of every selected diagnosis. */
import { FEATURE_IDS, FEATURES_N, kSweep, rankSummary, ranks } from '../../schemas/supmimic.js';
import type { Matrix, SqlRow, StageContext } from '../contract.js';
import { type Bins, sharedBins } from '../lib/binning.js';
import { halfOverlap, type ImportanceSums, rankColumns } from '../lib/importance.js';
import { parseRegistry, REGISTRY_FILE } from '../lib/registry.js';
import type { RankFeaturesConfig } from './config.js';
import { type Anchor, growForests, growLibraryForests, WORKER } from './forests.js';
import { codedInThisAdmission, drawTrainingRows } from './training.js';
import type { BinTask } from './worker.js';

const BIN_BLOCK = 28;

/** Entry point of the stage. */
export async function run(ctx: StageContext, config: RankFeaturesConfig): Promise<void> {
  const columns = usableColumns(ctx, config);
  const rank = config.ranker === 'forest' ? rankByForest : rankByLibrary;
  const { anchors, sums } = await rank(ctx, config, columns);
  await writeTables(ctx, config, columns, anchors, sums);
}

interface Ranking {
  readonly anchors: readonly Anchor[];
  readonly sums: readonly ImportanceSums[];
}

async function rankByForest(
  ctx: StageContext,
  config: RankFeaturesConfig,
  columns: Int32Array,
): Promise<Ranking> {
  const bins = await readBins(ctx, config.bins);
  const anchors = await readAnchors(ctx, config, bins.rows);
  return { anchors, sums: await growForests(ctx, bins, columns, anchors) };
}

async function rankByLibrary(
  ctx: StageContext,
  config: RankFeaturesConfig,
  columns: Int32Array,
): Promise<Ranking> {
  const matrix = await readMatrix(ctx);
  const anchors = await readAnchors(ctx, config, matrix.rows);
  return { anchors, sums: await growLibraryForests(ctx, matrix, columns, anchors) };
}

/** Column numbers that may enter a ranking, ascending. */
function usableColumns(ctx: StageContext, config: RankFeaturesConfig): Int32Array {
  const coded = codedInThisAdmission(parseRegistry(ctx.file(REGISTRY_FILE)));
  const excluded = new Set([...coded, ...config.exclude_features]);
  ctx.count('features_from_this_admissions_codes', coded.length);
  ctx.count('features_excluded', excluded.size);
  const columns = FEATURE_IDS.flatMap((id, f) => (excluded.has(id) ? [] : [f]));
  if (columns.length < config.ranks_kept) {
    ctx.fail({
      message: 'too few features are left to rank',
      got: String(columns.length),
      expected: `at least ranks_kept = ${config.ranks_kept}`,
      next: 'shorten exclude_features or lower ranks_kept',
    });
  }
  return Int32Array.from(columns);
}

async function readMatrix(ctx: StageContext): Promise<Matrix> {
  const [strange] = await ctx.sql.rows<{ stay_id: number }>(
    'select stay_id from cohort anti join imputed using (stay_id) union all select stay_id from imputed anti join cohort using (stay_id) limit 1',
  );
  if (strange) {
    ctx.fail({
      message: 'the imputed matrix and the cohort hold different stays',
      row: `stay ${strange.stay_id}`,
      next: 'rebuild both from the same extract',
    });
  }
  const matrix = await ctx.sql.matrix(`select stay_id, ${FEATURE_IDS.join(', ')} from imputed`, 'stay_id');
  const hole = firstHole(matrix.data);
  if (hole >= 0) {
    ctx.fail({
      message: 'the imputed matrix holds a value that is not a finite number',
      file: 'imputed',
      row: (hole % matrix.rows) + 1,
      field: FEATURE_IDS[Math.floor(hole / matrix.rows)]!,
      got: String(matrix.data[hole]),
      expected: 'a finite number',
    });
  }
  return matrix;
}

/** Place of the first value that is not finite, or -1. A plain loop: 40 million calls of a function would cost 0.4 s. */
export function firstHole(data: Float64Array): number {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i]!)) return i;
  return -1;
}

async function readAnchors(
  ctx: StageContext,
  config: RankFeaturesConfig,
  cohortN: number,
): Promise<Anchor[]> {
  const codes = await ctx.sql.rows<{ dx_code: string }>(
    'select dx_code from diagnoses where is_selected order by dx_code',
  );
  const positives = new Map<string, number[]>(codes.map((c) => [c.dx_code, []]));
  const rows = await ctx.sql.rows<{ dx_code: string; stay_id: number; r: number | null }>(
    `select l.dx_code, l.stay_id, c.r from labels l
     left join (select stay_id, row_number() over (order by stay_id) - 1 as r from cohort) c using (stay_id)
     order by l.dx_code, l.stay_id`,
  );
  for (const { dx_code, stay_id, r } of rows) {
    const list = positives.get(dx_code);
    if (!list || r === null) {
      ctx.fail({
        message: 'a label names a diagnosis that was not selected or a stay outside the cohort',
        file: 'labels',
        row: `${dx_code}, stay ${stay_id}`,
      });
    }
    list.push(r);
  }
  return [...positives].map(([dx_code, list]) => createAnchor(ctx, config, cohortN, dx_code, list));
}

function createAnchor(
  ctx: StageContext,
  config: RankFeaturesConfig,
  cohortN: number,
  dx_code: string,
  positives: readonly number[],
): Anchor {
  const training = drawTrainingRows(cohortN, Int32Array.from(positives), ctx.random(`negatives.${dx_code}`));
  if (training.positives_n === 0 || training.negatives_n === 0) {
    ctx.fail({
      message: `diagnosis ${dx_code} has stays of one class only; there is nothing to tell apart`,
      got: `${training.positives_n} positive and ${cohortN - training.positives_n} negative stays`,
      expected: 'at least one of each',
      next: 'raise min_positives or top_share in select-diagnoses',
    });
  }
  return {
    ...training,
    dx_code,
    seed: ctx.random(`forest.${dx_code}`).u32(),
    trees_n: treesFor(config, training.rows.length),
  };
}

/** 100 trees leave about 8 of the top 20 to chance at 200 rows, 1,000 about 2; large training sets settle earlier. */
export function treesFor(config: Pick<RankFeaturesConfig, 'trees' | 'ranker'>, rowsN: number): number {
  if (config.trees !== 'auto') return config.trees;
  if (config.ranker === 'ml-random-forest') return 100;
  return rowsN < 2000 ? 1000 : 300;
}

/** The binned cohort. The values themselves, eight times as large, are let go on return. */
async function readBins(ctx: StageContext, limit: number): Promise<Bins> {
  const matrix = await readMatrix(ctx);
  const bins = sharedBins(matrix.rows, FEATURES_N);
  const tasks: BinTask[] = [];
  for (let from = 0; from < FEATURES_N; from += BIN_BLOCK) {
    tasks.push({ data: matrix.data, bins, from, to: Math.min(from + BIN_BLOCK, FEATURES_N), limit });
  }
  await ctx.workers.map<BinTask, void>({ module: WORKER, name: 'binColumns', tasks });
  return bins;
}

async function writeTables(
  ctx: StageContext,
  config: RankFeaturesConfig,
  columns: Int32Array,
  anchors: readonly Anchor[],
  sums: readonly ImportanceSums[],
): Promise<void> {
  const rankRows: SqlRow[] = [];
  const summaryRows: SqlRow[] = [];
  const orders = anchors.map((a, i) => {
    const importance = sums[i]!.all.map((x) => x / a.trees_n);
    const order = rankColumns(importance).slice(0, config.ranks_kept);
    if (importance[order[0]!] === 0) {
      ctx.fail({
        message: `no feature tells the stays of diagnosis ${a.dx_code} apart`,
        got: `${a.trees_n} trees without a useful split`,
        expected: 'at least one feature that differs between positives and negatives',
      });
    }
    order.forEach((f, r) => {
      rankRows.push({
        dx_code: a.dx_code,
        rank: r + 1,
        feature_id: FEATURE_IDS[columns[f]!]!,
        importance: importance[f]!,
      });
    });
    const { dx_code, positives_n, negatives_n, trees_n } = a;
    const half_overlap_n = halfOverlap(sums[i]!, config.top_k);
    summaryRows.push({ dx_code, positives_n, negatives_n, trees_n, half_overlap_n });
    return order;
  });
  ctx.count('diagnoses_with_fewer_negatives', anchors.filter((a) => a.negatives_n < a.positives_n).length);
  ctx.count(
    'top_k_features_of_importance_0',
    rankRows.filter((r) => (r.rank as number) <= config.top_k && r.importance === 0).length,
  );
  await ctx.sql.insert('ranks', ranks, rankRows);
  await ctx.sql.insert('rank_summary', rankSummary, summaryRows);
  await ctx.sql.insert('k_sweep', kSweep, sweep(config.k_sweep, orders));
}

/** Size of the union of the top-k sets, and its share of all features. */
function sweep(ks: readonly number[], orders: readonly (readonly number[])[]): SqlRow[] {
  return [...new Set(ks)].map((k) => {
    const union_n = new Set(orders.flatMap((o) => o.slice(0, k))).size;
    return { k, union_n, utilisation: union_n / FEATURES_N };
  });
}
