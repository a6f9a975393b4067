/** Decides for every admission whether questions may come from it, draws, and assigns splits. */
import { sampledAdmissions } from '../../schemas/rxeval-record.js';
import type { SqlRow, StageContext } from '../contract.js';
import { CHAPTERS_FILE, findRange, parseRanges } from '../lib/code-ranges.js';
import { assignSplit, splitBounds } from '../lib/patient-split.js';
import type { SampleAdmissionsConfig } from './config.js';
import { Funnel } from './funnel.js';
import { DRAWS } from './reasons.js';
import { drawStratified, type Eligible, onePerPatient } from './sample.js';

/** SQL of this stage. */
export const JUDGED_FILE = 'stages/sample-admissions/judged.sql';
/** Chapter of an admission without a code, or whose first code is in no chapter. */
export const NO_CHAPTER = 'none';

type Admission = Eligible & SqlRow & { readonly has_note: boolean };

/** Runs the stage. */
export async function run(ctx: StageContext, config: SampleAdmissionsConfig): Promise<void> {
  await ctx.sql.run(ctx.file(JUDGED_FILE), {
    min_age: config.min_age,
    min_stay_hours: config.min_stay_hours,
    needs_note: await needsNote(ctx, config),
  });
  const funnel = new Funnel(ctx);
  await funnel.addExclusions();
  const sampled = draw(ctx, config, funnel, await eligible(ctx));
  if (sampled.length === 0) {
    ctx.fail({
      message: 'no admission is left to take questions from',
      got: funnel.words() || 'no admission in the extract',
      expected: 'at least one admission',
      next: 'relax min_age, min_stay_hours or needs_note, or check that the extract holds prescriptions and notes',
    });
  }
  await funnel.write();
  await writeSampled(ctx, config, sampled);
}

/** An extract without a single discharge note (the open demo) cannot be asked for them: said, not silently waived. */
async function needsNote(ctx: StageContext, config: SampleAdmissionsConfig): Promise<boolean> {
  const [row] = await ctx.sql.rows<{ n: number }>('select count(*) as n from discharge');
  const is_waived = config.needs_note && row!.n === 0;
  ctx.count('notes_waived', is_waived ? 1 : 0);
  if (is_waived) ctx.log('the extract has no discharge note: admissions are taken without one');
  return config.needs_note && !is_waived;
}

async function eligible(ctx: StageContext): Promise<Admission[]> {
  const chapters = parseRanges(ctx.file(CHAPTERS_FILE), CHAPTERS_FILE);
  const rows = await ctx.sql.rows<SqlRow>(
    'select * exclude (reason) from judged where reason is null order by hadm_id',
  );
  return rows.map(({ icd_code, icd_version, ...row }) => {
    const label = icd_version === 9 ? `ICD9:${icd_code}` : `${icd_code}`;
    const range = icd_code === null ? undefined : findRange(chapters, label);
    return { ...row, chapter: range?.row.category_name ?? NO_CHAPTER } as Admission;
  });
}

function draw(
  ctx: StageContext,
  config: SampleAdmissionsConfig,
  funnel: Funnel,
  all: readonly Admission[],
): readonly Admission[] {
  const patients = (rows: readonly Admission[]): number => new Set(rows.map((r) => r.subject_id)).size;
  const left = (rows: readonly Admission[]) => ({ admissions: rows.length, patients: patients(rows) });
  const single = config.one_per_patient ? onePerPatient(ctx.seed, all) : all;
  funnel.add(DRAWS.another_admission, 'another_admission', left(single));
  const places = config.max_admissions;
  const drawn = places === null ? single : drawStratified(ctx.seed, single, places);
  funnel.add(DRAWS.not_drawn, 'not_drawn', left(drawn));
  return drawn;
}

async function writeSampled(
  ctx: StageContext,
  config: SampleAdmissionsConfig,
  sampled: readonly Admission[],
): Promise<void> {
  const bounds = splitBounds(config.splits);
  const rows = sampled.map((a) => ({ ...a, split: assignSplit(ctx.seed, a.subject_id, bounds) }));
  for (const { split } of bounds)
    ctx.count(`admissions.${split}`, rows.filter((r) => r.split === split).length);
  ctx.count('with_note', rows.filter((r) => r.has_note).length);
  ctx.count('without_chapter', rows.filter((r) => r.chapter === NO_CHAPTER).length);
  await ctx.sql.insert('sampled_admissions', sampledAdmissions, rows);
}
