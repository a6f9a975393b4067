import { codeMap, diagnoses, selectionSteps } from '../../schemas/supmimic.js';
import { col, table } from '../../schemas/table.js';
import type { StageContext } from '../contract.js';
import { ICD9_MAP_FILE, mapCode, parseIcd9Map } from './code-map.js';
import { parseRanges } from './code-ranges.js';
import type { Config } from './config.js';
import type { LabelCounts } from './diagnoses.js';
import { type CohortCode, type CohortCounts, chooseTitles, describeLabel, type Label } from './diagnoses.js';
import { type Selection, selectLabels } from './filters.js';
import { COVERAGE_FILE, measureQuality, parseCoreFeatures } from './quality.js';

const FOLDER = 'stages/select-diagnoses';
export const CHAPTERS_FILE = `${FOLDER}/chapters.csv`;
export const COMPLICATIONS_FILE = `${FOLDER}/complications.csv`;
const QUERIES = ['cohort-rows', 'cohort-codes', 'native-icd10', 'label-counts', 'stay-version'] as const;
type Query = (typeof QUERIES)[number];
const sqlFile = (query: Query): string => `${FOLDER}/${query}.sql`;
export const FILES = [
  ICD9_MAP_FILE,
  COVERAGE_FILE,
  CHAPTERS_FILE,
  COMPLICATIONS_FILE,
  ...QUERIES.map(sqlFile),
];

const stayQuality = table({
  name: 'stay_quality',
  doc: 'core features of each stay: with a value, with an outlying value',
  key: ['stay_id'],
  row: { stay_id: col.int(), observed_n: col.int(), outlying_n: col.int() },
});

/** Labels from diagnosis codes, and the choice among them. */
export async function run(ctx: StageContext, config: Config): Promise<void> {
  const sql = (query: Query): string => ctx.file(sqlFile(query));
  await refuseUnknownVersions(ctx);
  await ctx.sql.run(`create table cohort_rows as ${sql('cohort-rows')}`, {
    primary_only: config.primary_only,
  });
  await countDrops(ctx, config);
  const codes = await mapCodes(ctx, sql);
  await ctx.sql.run(
    'create table label_rows as select r.*, m.dx_code from cohort_rows r join code_map m using (icd_version, icd_code)',
  );
  await countCodes(ctx);
  const core_n = await writeStayQuality(ctx, config);
  await ctx.sql.run(`create table stay_version as ${sql('stay-version')}`);
  const cohort = await countCohort(ctx, core_n);
  const counts = await ctx.sql.rows<LabelCounts>(sql('label-counts'));
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

async function refuseUnknownVersions(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<{ hadm_id: number; icd_version: number }>(
    'select hadm_id, icd_version from diagnoses_icd where icd_version not in (9, 10) order by hadm_id, seq_num limit 1',
  );
  if (rows.length === 0) return;
  ctx.fail({
    message: 'a diagnosis is coded in an unknown ICD version',
    file: 'diagnoses_icd',
    row: `hadm_id ${rows[0]!.hadm_id}`,
    field: 'icd_version',
    got: String(rows[0]!.icd_version),
    expected: '9 or 10',
  });
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

async function mapCodes(ctx: StageContext, sql: (query: Query) => string): Promise<CohortCode[]> {
  const icd9 = parseIcd9Map(ctx.file(ICD9_MAP_FILE));
  const counted = await ctx.sql.rows<{ category: string; admissions_n: number }>(sql('native-icd10'));
  const native = new Map(counted.map((r) => [r.category, r.admissions_n]));
  const found = await ctx.sql.rows<Omit<CohortCode, 'dx_code'>>(sql('cohort-codes'));
  const codes = found.map((c) => ({ ...c, ...mapCode(c, { icd9, native }) }));
  await ctx.sql.insert('code_map', codeMap, codes);
  const rules = new Map<string, number>();
  for (const { rule } of codes) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  for (const [rule, n] of [...rules].sort()) ctx.count(`codes.${rule}`, n);
  return codes;
}

/** Codes without a dictionary row (they stay) and codes given more than once in an admission (they count once). */
async function countCodes(ctx: StageContext): Promise<void> {
  const missing = await ctx.sql.rows<{ icd_version: number; icd_code: string; n: number }>(`
    select icd_version, icd_code, count(*) as n from diagnoses_icd
    anti join d_icd_diagnoses using (icd_version, icd_code)
    group by all order by n desc, icd_version, icd_code`);
  ctx.count(
    'icd_without_dictionary',
    missing.reduce((sum, r) => sum + r.n, 0),
  );
  ctx.count('icd_codes_without_dictionary', missing.length);
  const top = missing.slice(0, 5).map((r) => `${r.icd_code} (ICD-${r.icd_version}) ${r.n} rows`);
  if (top.length > 0) ctx.log(`codes missing from d_icd_diagnoses: ${top.join(', ')}`);
  const [repeated] = await ctx.sql.rows<{ n: number }>(
    'select count(*) - count(distinct (stay_id, icd_version, icd_code)) as n from label_rows',
  );
  ctx.count('repeated_codes', repeated!.n);
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

/** Titles of three-character ICD-10 rows; the dictionary of the full data set has them. */
async function categoryTitles(ctx: StageContext): Promise<Map<string, string>> {
  const rows = await ctx.sql.rows<{ icd_code: string; long_title: string }>(
    'select icd_code, long_title from d_icd_diagnoses where icd_version = 10 and length(icd_code) = 3 and long_title is not null',
  );
  return new Map(rows.map((r) => [r.icd_code, r.long_title]));
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
