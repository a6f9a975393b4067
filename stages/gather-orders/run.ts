/** Gathers the MAIN orders of the sampled admissions and marks which of them are no new decisions. */
import type { StageContext } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import type { GatherOrdersConfig } from './config.js';
import { type OrderWords, orderReader, readings } from './readings.js';

export const SQL_FILES = ['stages/gather-orders/orders.sql', 'stages/gather-orders/marks.sql'] as const;
export const GIVEN_EVENTS = 'stages/gather-orders/given-events.csv';

/** Rows of prescriptions that are no order of ours, with the condition on a row. */
export const DROPS = {
  not_sampled: 'hadm_id not in (select hadm_id from sampled_admissions)',
  component: "hadm_id in (select hadm_id from sampled_admissions) and drug_type <> 'MAIN'",
} as const;

/** Runs the stage. */
export async function run(ctx: StageContext, config: GatherOrdersConfig): Promise<void> {
  await dropOthers(ctx);
  await ctx.sql.run('create table given_events (event_txt varchar)');
  for (const { event_txt } of parseCsv(ctx.file(GIVEN_EVENTS), GIVEN_EVENTS))
    await ctx.sql.run('insert into given_events values ($event_txt)', { event_txt: event_txt! });
  await ctx.sql.run(ctx.file(SQL_FILES[0]));
  const words = await ctx.sql.rows<OrderWords>(
    `select distinct drug, route, dose_val_rx, dose_unit_rx, form_unit_disp, frequency from read_orders`,
  );
  await ctx.sql.insert('readings', readings, words.map(orderReader(ctx)));
  await ctx.sql.run(ctx.file(SQL_FILES[1]), { ...config });
  await countMarks(ctx);
}

async function dropOthers(ctx: StageContext): Promise<void> {
  for (const [reason, condition] of Object.entries(DROPS)) {
    const [row] = await ctx.sql.rows<{ n: number }>(
      `select count(*) as n from prescriptions where ${condition}`,
    );
    if (row!.n > 0) ctx.drop('prescriptions', reason, row!.n);
  }
}

async function countMarks(ctx: StageContext): Promise<void> {
  for (const mark of ['non_decision_reason', 'continuation_reason', 'routine_reason']) {
    const rows = await ctx.sql.rows<{ reason: string; n: number }>(
      `select ${mark} as reason, count(*) as n from orders where ${mark} is not null group by all order by all`,
    );
    for (const { reason, n } of rows) ctx.count(`${mark}.${reason}`, n);
  }
  const [row] = await ctx.sql.rows<{ bags: number; stops: number; texts: number }>(
    `select count(*) filter (is_bag) as bags,
       (select count(*) from read_orders where is_stop_before_start) as stops,
       count(*) filter (dose_val_rx is not null and dose_low is null) as texts
     from orders`,
  );
  ctx.count('bags', row!.bags);
  ctx.count('stops_before_start', row!.stops);
  ctx.count('doses_without_number', row!.texts);
}
