/** From orders to drawn moments on the open MIMIC-IV demo 2.2: the funnel, and the rules again in plain SQL. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { profiledAdmissions } from '../../schemas/notes.js';
import { buildTrajectories } from '../../stages/build-trajectories/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { findTimepoints } from '../../stages/find-timepoints/stage.js';
import { gatherOrders } from '../../stages/gather-orders/stage.js';
import { hasDemo } from '../support/extract.js';
import { runStageOn, type StageRun, type TestInput } from '../support/stage.js';
import { complete } from './complete.js';
import { demoFolder } from './demo-folder.js';
import { loadBoth } from './orders-extract.js';

/** Orders and moments after each step, for all 250 admissions with orders. */
const FUNNEL = [
  [14_391, 6505],
  [11_867, 6040],
  [9817, 5347],
  [7397, 4012],
  [7397, 4012],
  [5587, 3531],
  [5587, 3531],
  [5135, 3361],
  [1144, 700],
];

describe.skipIf(!hasDemo())('the open demo', () => {
  let tables: (names: readonly string[]) => Record<string, TestInput>;
  let gathered: StageRun;
  let built: StageRun;
  let found: StageRun;

  /** Rows of plain SQL over the outputs of the stages and the loaded tables. */
  async function ask<R = SqlRow>(sql: string): Promise<R[]> {
    const session = await DuckDbSession.create({
      threads: 1,
      memoryLimit: '2GB',
      spillDir: join(tmpdir(), 'spill'),
    });
    try {
      const parts = [
        ...['prescriptions', 'poe'].map((n) => [n, (tables([n])[n] as { parquet: string }).parquet]),
        ['orders', join(gathered.dir, 'orders.parquet')],
        ['events', join(built.dir, 'events.parquet')],
        ['timepoints', join(found.dir, 'timepoints.parquet')],
        ['timepoint_orders', join(found.dir, 'timepoint_orders.parquet')],
      ];
      for (const [name, path] of parts)
        await session.run(`create view ${name} as select * from read_parquet(${quoteText(path!)})`);
      return await session.rows<R>(sql);
    } finally {
      session.close();
    }
  }

  beforeAll(async () => {
    const { mimic, orders } = await loadBoth(demoFolder(), { workers: 2 });
    const here = new Set(Object.keys(mimic.result.outputs));
    tables = (names) =>
      Object.fromEntries(
        names.map((n) => [n, { parquet: join((here.has(n) ? mimic : orders).dir, `${n}.parquet`) }]),
      );
    const rows = await mimic.table('admissions');
    const hadms = new Set((await orders.table('prescriptions')).map((r) => r.hadm_id));
    const sampled: SqlRow[] = rows
      .filter((a) => hadms.has(a.hadm_id!))
      .map((a) => ({
        hadm_id: a.hadm_id!,
        subject_id: a.subject_id!,
        admittime: a.admittime!,
        dischtime: a.dischtime!,
        admission_type: a.admission_type!,
        service: null,
        age: 60,
        gender: 'F',
        chapter: '7',
        has_note: false,
        split: 'test',
      }));
    const ordersIn = tables(['prescriptions', 'pharmacy', 'poe', 'emar']);
    gathered = await runStageOn(gatherOrders, {
      inputs: { sampled_admissions: sampled, ...ordersIn },
      workers: 2,
    });
    const made = { orders: { parquet: join(gathered.dir, 'orders.parquet') } };
    const names = Object.keys(buildTrajectories.inputs).filter(
      (n) => !['sampled_admissions', 'orders', 'report_sections'].includes(n),
    );
    built = await runStageOn(buildTrajectories, {
      inputs: { sampled_admissions: sampled, ...made, ...tables(names) },
      config: { events: 'all' },
      workers: 2,
    });
    const events = { events: { parquet: join(built.dir, 'events.parquet') } };
    found = await runStageOn(findTimepoints, {
      inputs: {
        sampled_admissions: sampled,
        profiled_admissions: complete(
          profiledAdmissions,
          sampled.map((a) => ({ hadm_id: a.hadm_id!, subject_id: a.subject_id! })),
        ),
        profile_spans: [],
        ...made,
        ...events,
      },
      workers: 2,
    });
  }, 180_000);

  it('has the funnel that the README tells', async () => {
    const rows = await found.table('timepoint_funnel');
    const n = (step: number, unit: string): unknown =>
      rows.find((r) => r.step_n === step && r.unit === unit)?.n;
    expect(FUNNEL.map((_, step) => [n(step, 'orders'), n(step, 'timepoints')])).toEqual(FUNNEL);
    expect(found.result.counts).toMatchObject({
      'eligible.early': 1200,
      'eligible.middle': 1123,
      'eligible.late': 1038,
      jaccard_mean_eligible: 0.054141,
    });
    expect(gathered.result.counts['continuation_reason.reentry']).toBe(2584);
  });

  it('marks as continued exactly what a comparison of all pairs of orders finds', async () => {
    // Doses are compared as recorded: where that differs from the stage, the unit of mass or a bag explains it.
    const differ = await ask(`
      with pairs as (
        select o.order_id, bool_or(p.order_id is not null) as has_earlier
        from orders o
        left join orders p
          on p.hadm_id = o.hadm_id and p.drug_fold = o.drug_fold
          and coalesce(p.route_class, '') = coalesce(o.route_class, '')
          and p.starttime < o.starttime
          and (p.is_bag and o.is_bag or not p.is_bag and not o.is_bag
            and coalesce(p.dose_low::varchar, p.dose_val_rx, '') = coalesce(o.dose_low::varchar, o.dose_val_rx, '')
            and coalesce(p.dose_high::varchar, '') = coalesce(o.dose_high::varchar, '')
            and lower(coalesce(p.dose_unit_rx, '')) = lower(coalesce(o.dose_unit_rx, '')))
          and coalesce(p.non_decision_reason, '') not in ('withdrawn', 'stop_before_start')
          and date_diff('minute', greatest(p.starttime, coalesce(least(p.stoptime, p.discontinued_at), p.starttime)), o.starttime)
            <= 24 * 60
        group by o.order_id)
      select o.order_id, o.dose_unit_rx, has_earlier
      from orders o join pairs using (order_id)
      where o.continuation_reason is distinct from 'reentry'
        and has_earlier <> coalesce(o.continuation_reason = 'same_within_24h', false)`);
    expect(differ.every((r) => ['g', 'gm', 'mg', 'mcg'].includes(String(r.dose_unit_rx)))).toBe(true);
    expect(differ.filter((r) => r.has_earlier)).toEqual([]);
    expect(differ.length).toBeLessThan(40);
  });

  it('cuts each moment at its first start or order time, and shows nothing from then on', async () => {
    const wrong = await ask(`
      select t.timepoint_id, t.events_n, t.cut_at,
        (select min(least(p.starttime, e.ordertime)) from prescriptions p left join poe e using (poe_id)
          where p.hadm_id = t.hadm_id and p.starttime = t.starttime and p.drug_type = 'MAIN') as cut,
        (select count(*) from events v
          where v.hadm_id = t.hadm_id and v.is_shown and v.available_at < t.cut_at) as n
      from timepoints t
      where cut <> t.cut_at or n <> t.events_n or n = 0`);
    expect(wrong).toEqual([]);
    const own = await ask(`
      select x.order_id from timepoint_orders x join timepoints t using (timepoint_id)
      join events e on e.order_id = x.order_id where e.available_at < t.cut_at`);
    expect(own).toEqual([]);
  });

  it('has an event for every order, and results in units', async () => {
    const [n] = await ask<{ orders: number; events: number }>(`
      select (select count(*) from orders) as orders, (select count(distinct order_id) from events) as events`);
    expect(n!.events).toBe(n!.orders);
    const [potassium] = await ask<{ n: number }>(`
      select count(*) as n from events where kind = 'lab' and regexp_matches(text, 'Potassium [0-9.]+ mEq/L')`);
    expect(potassium!.n).toBeGreaterThan(500);
  });
});
