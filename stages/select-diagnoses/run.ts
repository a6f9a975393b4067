/** From diagnosis rows to labels, and from labels to the diagnoses of the benchmark. */
import { diagnoses, selectionSteps } from '../../schemas/supmimic.js';
import { col, table } from '../../schemas/table.js';
import type { StageContext } from '../contract.js';
import { CHAPTERS_FILE, parseRanges } from '../lib/code-ranges.js';
import { categoryTitles, countCodes, mapCodes, refuseUnknownVersions } from './codes.js';
import type { Config } from './config.js';
import { type CohortCounts, chooseTitles, describeLabel, type Label, type LabelCounts } from './diagnoses.js';
import { COMPLICATIONS_FILE, sqlFile } from './files.js';
import { type Selection, selectLabels } from './filters.js';
import { COVERAGE_FILE, measureQuality, parseCoreFeatures } from './quality.js';

const stayQuality = table({
  name: 'stay_quality',
  doc: 'core features of each stay: with a value, with an outlying value',
  key: ['stay_id'],
  row: { stay_id: col.int(), observed_n: col.int(), outlying_n: col.int() },
});

/** Labels from diagnosis codes, and the choice among them. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  await refuseUnknownVersions(ctx);
  await ctx.sql.run(`create table cohort_rows as ${ctx.file(sqlFile('cohort-rows'))}`, {
    primary_only: config.primary_only,
  });
  await countDrops(ctx, config);
  const codes = await mapCodes(ctx);
  await ctx.sql.run(
    'create table label_rows as select r.*, m.dx_code from cohort_rows r join code_map m using (icd_version, icd_code)',
  );
  await countCodes(ctx);
  const core_n = await writeStayQuality(ctx, config);
  await ctx.sql.run(`create table stay_version as ${ctx.file(sqlFile('stay-version'))}`);
  const cohort = await countCohort(ctx, core_n);
  const counts = await ctx.sql.rows<LabelCounts>(ctx.file(sqlFile('label-counts')));
  const context = {
    cohort,
    titles: chooseTitles(codes, await categoryTitles(ctx)),
    chapters: parseRanges(ctx.file(CHAPTERS_FILE), CHAPTERS_FILE),
    complications: parseRanges(ctx.file(COMPLICATIONS_FILE), COMPLICATIONS_FILE),
    config,
  };
  const labels = counts.map((l) => describeLabel(l, context));
  const selection = selectLabels(labels, config);
  report(ctx, labels, selection);
  await writeSelection(ctx, labels, selection);
}

/** Every input row stands once in label_rows for each cohort stay of its admission, or is counted here. */
async function countDrops(ctx: StageContext, config: Config): Promise<void> {
  const [n] = await ctx.sql.rows<{ expected: number; outside: number; secondary: number }>(`
    select coalesce(sum(greatest(coalesce(s.stays_n, 0), 1)), 0)::BIGINT as expected,
      count(*) filter (where s.stays_n is null) as outside,
      coalesce(sum(s.stays_n) filter (where d.seq_num <> 1), 0)::BIGINT as secondary
    from diagnoses_icd d
    left join (select hadm_id, count(*) as stays_n from cohort group by hadm_id) s using (hadm_id)`);
  ctx.records('stay_diagnoses', n!.expected);
  ctx.drop('stay_diagnoses', 'not_in_cohort', n!.outside);
  if (config.primary_only) ctx.drop('stay_diagnoses', 'not_primary', n!.secondary);
}

async function writeStayQuality(ctx: StageContext, config: Config): Promise<number> {
  const core = parseCoreFeatures(ctx.file(COVERAGE_FILE));
  const stays = await ctx.sql.rows<{ stay_id: number }>(
    'select stay_id from cohort semi join features using (stay_id) order by stay_id',
  );
  const [all] = await ctx.sql.rows<{ n: number }>('select count(*) as n from cohort');
  if (stays.length !== all!.n) {
    ctx.fail({
      message: 'some cohort stays have no row in features',
      got: `${stays.length} of ${all!.n} stays`,
      next: 'build features from the same cohort',
    });
  }
  const matrix = await ctx.sql.matrix(
    `select ${core.join(', ')} from features semi join cohort using (stay_id) order by stay_id`,
  );
  const quality = measureQuality(matrix, config.outlier_sd);
  ctx.count('core_without_spread', quality.without_spread.length);
  await ctx.sql.insertColumns('stay_quality', stayQuality, {
    stay_id: Int32Array.from(stays, (s) => s.stay_id),
    observed_n: quality.observed,
    outlying_n: quality.outlying,
  });
  return core.length;
}

async function countCohort(ctx: StageContext, core_n: number): Promise<CohortCounts> {
  const [n] = await ctx.sql.rows<Omit<CohortCounts, 'core_n'> & { mixed_n: number; uncoded_n: number }>(`
    select count(*) as stays_n, coalesce(sum(observed_n), 0)::BIGINT as observed_n,
      count(*) filter (where icd_version = 9) as icd9_n,
      count(*) filter (where icd_version = 10) as icd10_n,
      count(*) filter (where v.stay_id is not null and icd_version is null) as mixed_n,
      count(*) filter (where v.stay_id is null) as uncoded_n
    from stay_quality q left join stay_version v using (stay_id)`);
  const { mixed_n, uncoded_n, ...counts } = n!;
  ctx.count('stays_with_both_icd_versions', mixed_n);
  ctx.count('stays_without_codes', uncoded_n);
  return { ...counts, core_n };
}

function report(ctx: StageContext, labels: readonly Label[], selection: Selection): void {
  ctx.count('labels.candidates', labels.length);
  for (const s of selection.steps) ctx.count(`labels.${s.name}`, s.labels_before - s.labels_after);
  const selected = [...selection.status.values()].filter((s) => s === 'selected').length;
  ctx.count('labels.selected', selected);
  if (selected > 0) return;
  const losses = selection.steps.map((s) => `${s.name} ${s.labels_before - s.labels_after}`);
  ctx.fail({
    message: 'no diagnosis is left after selection',
    got: `${labels.length} candidate labels; dropped: ${losses.join(', ')}`,
    expected: 'at least 1 label',
    next: 'use more stays, or lower min_positives and top_share',
  });
}

async function writeSelection(
  ctx: StageContext,
  labels: readonly Label[],
  selection: Selection,
): Promise<void> {
  const rows = labels.map((l) => {
    const status = selection.status.get(l.dx_code)!;
    return { ...l, status, is_selected: status === 'selected' };
  });
  await ctx.sql.insert('diagnoses', diagnoses, rows);
  await ctx.sql.insert(
    'selection_steps',
    selectionSteps,
    selection.steps.map((s) => ({ ...s })),
  );
  await ctx.sql.run(`create table labels as
    select distinct r.dx_code, r.stay_id from label_rows r
    semi join (select dx_code from diagnoses where is_selected) using (dx_code)`);
}
