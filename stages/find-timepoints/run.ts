/** Finds the moments of prescribing of the sampled admissions and draws those that questions may come from. */
import { col, table } from '../../schemas/table.js';
import type { StageContext } from '../contract.js';
import type { FindTimepointsConfig } from './config.js';
import { dropOrders, meanJaccard, writeFunnel } from './funnel.js';
import { createHomeList } from './home-list.js';
import { type OrderTime, withinAnHour } from './moments.js';

const FOLDER = 'stages/find-timepoints';
export const SQL_FILES: readonly string[] = ['judged', 'moments', 'drawn', 'outputs', 'orders'].map(
  (name) => `${FOLDER}/${name}.sql`,
);

const orderTimes = table({
  name: 'order_times',
  doc: 'times of orders and the moment they belong to',
  key: ['hadm_id', 'time_at'],
  row: { hadm_id: col.int(), time_at: col.timestamp(), moment_at: col.timestamp() },
});

/** Runs the stage. */
export async function run(ctx: StageContext, config: FindTimepointsConfig): Promise<void> {
  await createOrderTimes(ctx, config);
  await createHomeList(ctx);
  const [judged, moments, drawn, outputs, orders] = SQL_FILES.map((file) => ctx.file(file));
  await ctx.sql.run(judged!, { group_window: config.group_window });
  await ctx.sql.run(moments!);
  await ctx.sql.run(drawn!, { seed: ctx.seed, per_phase: config.per_phase });
  await ctx.sql.run(outputs!);
  await ctx.sql.run(orders!);
  await writeFunnel(ctx);
  await dropOrders(ctx);
  await countPhases(ctx);
  for (const [name, condition] of [
    ['jaccard_mean', 'd.is_drawn'],
    ['jaccard_mean_eligible', 'm.is_eligible'],
  ] as const) {
    const mean = await meanJaccard(ctx, condition);
    if (mean !== null) ctx.count(name, mean);
  }
}

async function createOrderTimes(ctx: StageContext, config: FindTimepointsConfig): Promise<void> {
  const at = config.group_window === 'ordertime' ? 'coalesce(ordertime, starttime)' : 'starttime';
  const times = await ctx.sql.rows<OrderTime>(
    `select distinct hadm_id, ${at} as time_at from orders order by hadm_id, time_at`,
  );
  const moments =
    config.group_window === '60min'
      ? withinAnHour(times)
      : times.map((t) => ({ ...t, moment_at: t.time_at }));
  await ctx.sql.insert('order_times', orderTimes, moments);
}

async function countPhases(ctx: StageContext): Promise<void> {
  const rows = await ctx.sql.rows<{ phase: string; eligible: number; drawn: number; events: number }>(
    `select d.phase, count(*) as eligible, count(*) filter (d.is_drawn) as drawn,
       coalesce(round(avg(t.events_n), 2), 0) as events
     from drawn d left join timepoints t on t.timepoint_id = d.timepoint_id
     group by d.phase order by d.phase`,
  );
  for (const { phase, eligible, drawn, events } of rows) {
    ctx.count(`eligible.${phase}`, eligible);
    ctx.count(`drawn.${phase}`, drawn);
    ctx.count(`events_per_moment.${phase}`, events);
  }
}
