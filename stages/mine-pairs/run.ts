/** Mines DDT and DCT pairs and draws BA stays for every selected diagnosis. */
import { baseline, FEATURE_IDS, pairs, ranges, thresholds } from '../../schemas/supmimic.js';
import type { SqlRow, StageContext } from '../contract.js';
import { drawBaseline } from '../lib/baseline.js';
import type { MinedDiagnosis } from '../lib/mining.js';
import { parseRegistry, REGISTRY_FILE } from '../lib/registry.js';
import { type Anchor, readAnchors } from './anchors.js';
import { type CohortData, readCohort, scaleAll } from './cohort.js';
import type { MinePairsConfig } from './config.js';
import { mineAll } from './diagnoses.js';

export const ELIGIBILITY_SQL = 'stages/mine-pairs/eligibility.sql';

/** Entry point of the stage. */
export async function run(ctx: StageContext, config: MinePairsConfig): Promise<void> {
  const registry = parseRegistry(ctx.file(REGISTRY_FILE));
  const data = await readCohort(ctx);
  const anchors = await readAnchors(ctx, config.top_k);
  const columns = scaleAll(data, registry, config);
  await ctx.sql.insert(
    'ranges',
    ranges,
    columns.map((range, f) => ({ feature_id: FEATURE_IDS[f]!, scale: registry[f]!.scale, ...range })),
  );
  const mined = await mineAll(ctx, config, data, anchors);
  await writeEligibility(ctx, config, anchors);
  await writeResults(ctx, config, data, anchors, mined);
}

async function writeEligibility(
  ctx: StageContext,
  config: MinePairsConfig,
  anchors: readonly Anchor[],
): Promise<void> {
  const sql = ctx.file(ELIGIBILITY_SQL);
  // A row for every stay and diagnosis: codes as an enumeration take a byte or two instead of sixteen.
  await ctx.sql.run('create type dx_codes as enum (select dx_code from diagnoses where is_selected)');
  await ctx.sql.run(
    'create table eligible_stays (dx_code dx_codes, stay_id integer, observed_n utinyint, is_eligible boolean)',
  );
  await ctx.sql.run(
    'create view eligibility as select cast(dx_code as varchar) as dx_code, stay_id, observed_n, is_eligible from eligible_stays',
  );
  for (const { dx_code, features } of anchors) {
    const filled = Array.from(features, (f) => `cast(${FEATURE_IDS[f]} as integer)`).join(' + ');
    await ctx.sql.run(sql.replaceAll('{{filled}}', filled), {
      dx_code,
      k: config.top_k,
      share: config.min_observed_share,
    });
  }
}

async function writeResults(
  ctx: StageContext,
  config: MinePairsConfig,
  data: CohortData,
  anchors: readonly Anchor[],
  mined: readonly MinedDiagnosis[],
): Promise<void> {
  const thresholdRows: SqlRow[] = [];
  const pairRows: SqlRow[] = [];
  const baselineRows: SqlRow[] = [];
  const rowsOfSplit = data.splits.map((_, s) =>
    Array.from(data.split.keys()).filter((r) => data.split[r] === s),
  );
  anchors.forEach((anchor, a) => {
    const { pairs: found, ...numbers } = mined[a]!;
    const drawn = baselineOf(ctx, config, data, rowsOfSplit, anchor);
    const ba = (label: number): number => drawn.filter((r) => r.label === label).length;
    baselineRows.push(...drawn);
    pairRows.push(...found.map((p) => pairRow(anchor.dx_code, data, p)));
    thresholdRows.push({
      dx_code: anchor.dx_code,
      k: config.top_k,
      ...numbers,
      ddt_n: found.filter((p) => p.task === 'ddt').length,
      dct_n: found.filter((p) => p.task === 'dct').length,
      ba_positives_n: ba(1),
      ba_negatives_n: ba(0),
    });
  });
  await ctx.sql.insert('thresholds', thresholds, thresholdRows);
  await ctx.sql.insert('pairs', pairs, pairRows);
  await ctx.sql.insert('baseline', baseline, baselineRows);
  countShortages(ctx, config, data, thresholdRows);
}

function pairRow(dx_code: string, data: CohortData, p: MinedDiagnosis['pairs'][number]): SqlRow {
  return {
    dx_code,
    task: p.task,
    split: data.splits[p.split]!,
    pair_rank: p.rank,
    stay_i: data.stay_id[p.i]!,
    stay_j: data.stay_id[p.j]!,
    distance: p.distance,
  };
}

/** BA draws from all cohort stays of a split; eligibility is a rule of pairs only. */
function baselineOf(
  ctx: StageContext,
  config: MinePairsConfig,
  data: CohortData,
  rowsOfSplit: readonly (readonly number[])[],
  { dx_code, positives }: Anchor,
): SqlRow[] {
  const isPositive = new Set(positives);
  return data.splits.flatMap((split, s) => {
    const rows = rowsOfSplit[s]!;
    const drawn = drawBaseline({
      positives: rows.filter((r) => isPositive.has(r)),
      negatives: config.ba_classes === 'both' ? rows.filter((r) => !isPositive.has(r)) : [],
      perClass: config.ba_per_class,
      patient: data.patient,
      random: ctx.random(`ba.${dx_code}.${split}`),
    });
    const toRow = (label: number) => (r: number) => ({ dx_code, split, stay_id: data.stay_id[r]!, label });
    return [...drawn.positives.map(toRow(1)), ...drawn.negatives.map(toRow(0))];
  });
}

/** What fell short of the wanted numbers goes into the report; nothing is padded. */
function countShortages(
  ctx: StageContext,
  config: MinePairsConfig,
  data: CohortData,
  rows: readonly SqlRow[],
): void {
  const short = (column: string, wanted: number): number =>
    rows.filter((r) => (r[column] as number) < wanted * data.splitsN).length;
  ctx.count('diagnoses_without_theta', rows.filter((r) => r.theta === null).length);
  ctx.count('diagnoses_short_of_ddt', short('ddt_n', config.top_m));
  ctx.count('diagnoses_short_of_dct', short('dct_n', config.top_m));
  ctx.count('diagnoses_short_of_ba_positives', short('ba_positives_n', config.ba_per_class));
  if (config.ba_classes === 'both') {
    ctx.count('diagnoses_short_of_ba_negatives', short('ba_negatives_n', config.ba_per_class));
  }
}
