/** Builds the trajectory of every sampled admission: events with the time from which they could be known. */
import type { StageContext } from '../contract.js';
import type { BuildTrajectoriesConfig } from './config.js';
import { createLists } from './tables.js';

const FOLDER = 'stages/build-trajectories';
/** In the order in which they run. */
const STEPS = [
  'windows',
  'lab-token',
  'lab-results',
  'parts',
  'lab-parts',
  'culture-parts',
  'procedure-parts',
  'report-parts',
  'prescription-parts',
  'charted-parts',
  'events',
  'event-items',
] as const;

export const SQL_FILES: readonly string[] = STEPS.map((step) => `${FOLDER}/${step}.sql`);

/** Runs the stage. */
export async function run(ctx: StageContext, config: BuildTrajectoriesConfig): Promise<void> {
  await createLists(ctx);
  const steps = STEPS.filter((step) => step !== 'charted-parts' || config.events === 'all');
  for (const [i, step] of steps.entries()) {
    const params =
      step === 'lab-parts' ? { event_unit: config.event_unit, lab_filter: config.lab_filter } : undefined;
    await ctx.sql.run(ctx.file(`${FOLDER}/${step}.sql`), params);
    ctx.progress(i + 1, steps.length, step);
  }
  await countEvents(ctx);
  await countLeftOut(ctx);
}

async function countEvents(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<{ kind: string; is_shown: boolean; n: number }>(
    'select kind, is_shown, count(*) as n from events group by all order by all',
  );
  for (const { kind, is_shown, n } of rows) ctx.count(`${is_shown ? 'shown' : 'hidden'}.${kind}`, n);
  const [items] = await ctx.sql.rows<{ shown: number; hidden: number }>(
    `select count(*) filter (is_shown) as shown, count(*) filter (not is_shown) as hidden
     from parts where kind = 'lab'`,
  );
  ctx.count('results_shown', items!.shown);
  ctx.count('results_hidden', items!.hidden);
}

/** What is no event, by reason; nothing of it is lost without a number. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  labs_skipped_item: `select count(*) as n from labevents where itemid in (select itemid from skipped_labs)
    and subject_id in (select subject_id from sampled_admissions)`,
  labs_of_other_times: `select count(*) as n from labevents l
    where subject_id in (select subject_id from sampled_admissions)
      and itemid not in (select itemid from skipped_labs)
      and labevent_id not in (select labevent_id from lab_results)`,
  labs_no_result: "select count(*) as n from lab_results where fault = 'no_result'",
  labs_implausible: "select count(*) as n from lab_results where fault = 'implausible'",
  labs_corrected: "select count(*) as n from lab_results where fault = 'corrected'",
  cultures_without_store_time: `select count(*) as n from microbiologyevents
    where subject_id in (select subject_id from sampled_admissions) and storetime is null and storedate is null`,
  cultures_cancelled: `select count(*) as n from microbiologyevents
    where subject_id in (select subject_id from sampled_admissions)
      and (org_itemid = 90760 or regexp_matches(lower(comments), 'cancel+ed'))`,
};

async function countLeftOut(ctx: StageContext): Promise<void> {
  for (const [reason, sql] of Object.entries(LEFT_OUT)) {
    const [row] = await ctx.sql.rows<{ n: number }>(sql);
    ctx.count(`left_out.${reason}`, row!.n);
  }
}
