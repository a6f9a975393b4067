/** Decides for every ICU stay whether it enters the cohort, and writes the flow that adds up. */
import { cohortFlow } from '../../schemas/supmimic.js';
import type { StageContext } from '../contract.js';
import type { BuildCohortConfig } from './config.js';

/** Reasons in the order in which they are looked at, with what they mean. */
export const REASONS = {
  orphan_subject: 'the patient has no row in patients',
  orphan_admission: 'the admission is unknown or belongs to another patient',
  missing_outtime: 'the end of the stay is unknown',
  negative_los: 'the stay ends before or when it begins',
  hosp_time_order: 'the hospital discharge lies before the admission',
  after_death: 'the stay begins after the death of the patient (organ donors)',
  under_age: 'the patient is younger than the smallest age',
  later_stay: 'not the first stay',
  excluded_careunit: 'the first care unit is excluded by the configuration',
  short_stay: 'the stay is shorter than the shortest length asked for',
} as const;

const SQL = ['stages/build-cohort/exclusions.sql', 'stages/build-cohort/cohort.sql'] as const;
/** SQL files of this stage. */
export const SQL_FILES: readonly string[] = SQL;

/** Runs the stage. */
export async function run(ctx: StageContext, config: BuildCohortConfig): Promise<void> {
  await ctx.sql.run('create table excluded_careunits (careunit varchar)');
  for (const careunit of config.exclude_careunits) {
    await ctx.sql.run('insert into excluded_careunits values ($careunit)', { careunit });
  }
  await ctx.sql.run(ctx.file(SQL[0]), {
    stays: config.stays,
    min_age: config.min_age,
    min_los_hours: config.min_los_hours,
  });
  await ctx.sql.run(ctx.file(SQL[1]));
  const taken = await writeFlow(ctx);
  const [row] = await ctx.sql.rows<{ n: number; short: number }>(
    'select count(*) as n, count(*) filter (where hours_observed < 24) as short from cohort',
  );
  ctx.count('stays_under_24_hours', row!.short);
  if (row!.n === 0) {
    ctx.fail({
      message: 'no ICU stay is left for the cohort',
      got: taken.map((t) => `${t.n} ${t.reason}`).join(', ') || 'no ICU stay in the extract',
      expected: 'at least one stay',
      next: 'relax min_age, min_los_hours or exclude_careunits, or check the extract',
    });
  }
}

async function writeFlow(ctx: StageContext): Promise<{ reason: string; n: number }[]> {
  const taken = await ctx.sql.rows<{ reason: string; n: number }>(
    'select reason, count(*) as n from judged where reason is not null group by reason order by n desc, reason',
  );
  const steps = ['start', ...Object.keys(REASONS)];
  const flow = [];
  for (const [step, reason] of steps.entries()) {
    const excluded = step === 0 ? 0 : (taken.find((t) => t.reason === reason)?.n ?? 0);
    const gone = steps.slice(1, step + 1).map((r) => `'${r}'`);
    const left = `reason is null${gone.length > 0 ? ` or reason not in (${gone.join(', ')})` : ' or true'}`;
    const [n] = await ctx.sql.rows<{ stays: number; patients: number }>(
      `select count(*) as stays, count(distinct subject_id) as patients from judged where ${left}`,
    );
    if (excluded > 0) {
      ctx.drop('icustays', reason, excluded);
      ctx.log(`${reason}: ${excluded} stays, ${n!.stays} left`);
    }
    flow.push({
      step,
      reason,
      doc: step === 0 ? 'all ICU stays of the extract' : REASONS[reason as keyof typeof REASONS],
      excluded_stays_n: excluded,
      stays_n: n!.stays,
      patients_n: n!.patients,
    });
  }
  await ctx.sql.insert('cohort_flow', cohortFlow, flow);
  return taken;
}
