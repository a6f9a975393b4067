/** build-trajectories: what is shown, when it is available, and that nothing depends on what comes later. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admissions, chartevents, dLabitems, outputevents } from '../../schemas/mimic.js';
import { microbiologyevents } from '../../schemas/mimic-orders.js';
import { orders } from '../../schemas/rxeval-record.js';
import { buildTrajectories } from '../../stages/build-trajectories/stage.js';
import type { SqlRow } from '../../stages/contract.js';
import { sha256 } from '../../stages/lib/hash.js';
import { runStageOn } from '../support/stage.js';
import { complete } from './complete.js';

const stamp = (minutes: number): string =>
  new Date(Date.UTC(2150, 2, 1) + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
const IDS = { hadm_id: 20000001, subject_id: 10000001 };
const SAMPLED: SqlRow = {
  ...IDS,
  admittime: stamp(0),
  dischtime: stamp(9000),
  admission_type: 'URGENT',
  service: null,
  age: 60,
  gender: 'F',
  chapter: '7',
  has_note: false,
  split: 'test',
};
const ITEMS = [50971, 50912, 50970];

interface Lab {
  readonly item: number;
  readonly draw: number;
  readonly lag: number | null;
  readonly is_abnormal: boolean;
  readonly has_hadm: boolean;
}
const lab: fc.Arbitrary<Lab> = fc.record({
  item: fc.constantFrom(...ITEMS),
  draw: fc.integer({ min: 0, max: 12 }).map((n) => n * 50),
  lag: fc.option(fc.integer({ min: 0, max: 120 })),
  is_abnormal: fc.boolean(),
  has_hadm: fc.boolean(),
});
interface Charted {
  readonly item: number;
  readonly at: number;
  readonly lag: number | null;
  readonly value: number;
}
const charted: fc.Arbitrary<Charted> = fc.record({
  item: fc.constantFrom(220045, 220179, 226559),
  at: fc.integer({ min: 0, max: 600 }),
  lag: fc.option(fc.integer({ min: 0, max: 130 })),
  value: fc.integer({ min: 40, max: 200 }),
});

/** Each result is a specimen of its own, so that none corrects another. */
const labRows = (labs: readonly Lab[]): SqlRow[] =>
  labs.map((l, i) => ({
    labevent_id: i + 1,
    subject_id: IDS.subject_id,
    hadm_id: l.has_hadm ? IDS.hadm_id : null,
    specimen_id: i + 1,
    itemid: l.item,
    charttime: stamp(l.draw),
    storetime: l.lag === null ? null : stamp(l.draw + l.lag),
    value: '100',
    valuenum: 4 + i / 1000,
    valueuom: 'mEq/L',
    flag: l.is_abnormal ? 'abnormal' : null,
    ref_range_lower: null,
    ref_range_upper: null,
    comments: null,
  }));
const chartRows = (rows: readonly Charted[]): SqlRow[] =>
  rows
    .filter((c) => c.item !== 226559)
    .map((c) => ({
      ...IDS,
      stay_id: 30000001,
      charttime: stamp(c.at),
      storetime: c.lag === null ? null : stamp(c.at + c.lag),
      itemid: c.item,
      value: String(c.value),
      valuenum: c.value,
      valueuom: null,
    }));
const outputRows = (rows: readonly Charted[]): SqlRow[] =>
  rows
    .filter((c) => c.item === 226559)
    .map((c) => ({
      ...IDS,
      stay_id: 30000001,
      charttime: stamp(c.at),
      storetime: c.lag === null ? null : stamp(c.at + c.lag),
      itemid: c.item,
      value: c.value,
      valueuom: 'mL',
    }));

function inputs(given: Record<string, SqlRow[]>): Record<string, SqlRow[]> {
  return {
    ...Object.fromEntries(Object.keys(buildTrajectories.inputs).map((name) => [name, []])),
    sampled_admissions: [SAMPLED],
    admissions: complete(admissions, [{ ...IDS, admittime: stamp(0), dischtime: stamp(9000) }]),
    d_labitems: complete(
      dLabitems,
      ITEMS.map((itemid) => ({ itemid, label: `Item ${itemid}`, fluid: 'Blood', category: 'Chemistry' })),
    ),
    ...given,
  };
}

const available = (l: Lab): number => l.draw + (l.lag ?? 0);

/** Results that are shown, by number of the row: by looking at all results that could be known before. */
function shown(labs: readonly Lab[]): Set<number> {
  const order = labs
    .map((l, i) => ({ l, i }))
    .sort((a, b) => available(a.l) - available(b.l) || a.l.draw - b.l.draw || a.i - b.i);
  return new Set(
    order
      .filter(({ l }, n) => {
        const before = order.slice(0, n).filter((x) => x.l.item === l.item);
        return l.is_abnormal || before.length === 0 || before.at(-1)!.l.is_abnormal;
      })
      .map(({ i }) => i + 1),
  );
}

describe('build-trajectories', () => {
  it('groups results by draw and filing and shows what a look at all earlier ones shows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lab, { minLength: 1, maxLength: 30 }), async (labs) => {
        const run = await runStageOn(buildTrajectories, { inputs: inputs({ labevents: labRows(labs) }) });
        const events = new Map((await run.table('events')).map((e) => [e.event_id, e]));
        const items = await run.table('event_items');
        expect(items).toHaveLength(labs.length);
        const visible = shown(labs);
        for (const item of items) {
          const n = Number(String(item.source_key).split('=')[1]);
          const l = labs[n - 1]!;
          const key = `draw ${stamp(l.draw)} ${stamp(available(l))}`;
          const hash = sha256(['event', IDS.hadm_id, 'lab', key].join('\u001f')).slice(0, 12);
          expect(item.event_id).toBe(`E${hash}`);
          expect(item.is_shown).toBe(visible.has(n));
          expect(events.get(item.event_id)?.available_at).toBe(stamp(available(l)));
        }
        for (const [id, e] of events)
          expect(e.is_shown).toBe(items.some((i) => i.event_id === id && i.is_shown === true));
      }),
      { numRuns: 8, seed: 8 },
    );
  }, 60_000);

  it('an event that was known by a time is the same when nothing later is on record', async () => {
    const world = fc.tuple(
      fc.array(lab, { minLength: 1, maxLength: 20 }),
      fc.array(charted, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 60, max: 600 }),
    );
    await fc.assert(
      fc.asyncProperty(world, async ([labs, values, minutes]) => {
        const until = stamp(minutes);
        const known = (rows: SqlRow[]): SqlRow[] =>
          rows.filter((r) => String(r.storetime ?? r.charttime) < until);
        const all = {
          labevents: labRows(labs),
          chartevents: complete(chartevents, chartRows(values)),
          outputevents: complete(outputevents, outputRows(values)),
        };
        const past = Object.fromEntries(Object.entries(all).map(([n, rows]) => [n, known(rows)]));
        const events = async (given: Record<string, SqlRow[]>): Promise<string[]> => {
          const run = await runStageOn(buildTrajectories, {
            inputs: inputs(given),
            config: { events: 'all' },
          });
          return (await run.table('events')).map((e) => JSON.stringify(e));
        };
        const before = new Set(await events(past));
        const later = (await events(all)).filter((e) => JSON.parse(e).available_at < until);
        for (const e of later) expect(before).toContain(e);
      }),
      { numRuns: 6, seed: 21 },
    );
  }, 90_000);

  it('gives the same bytes for shuffled rows and any number of workers', async () => {
    const given = inputs({
      labevents: labRows(fc.sample(lab, { numRuns: 80, seed: 1 })),
      chartevents: complete(chartevents, chartRows(fc.sample(charted, { numRuns: 80, seed: 2 }))),
      outputevents: complete(outputevents, outputRows(fc.sample(charted, { numRuns: 80, seed: 3 }))),
    });
    const turned = Object.fromEntries(Object.entries(given).map(([n, rows]) => [n, [...rows].reverse()]));
    const hashes = async (rows: Record<string, SqlRow[]>, workers: number): Promise<string[]> =>
      Object.values(
        (await runStageOn(buildTrajectories, { inputs: rows, workers, config: { events: 'all' } })).result
          .outputs,
      ).map((o) => o.sha256);
    const first = await hashes(given, 1);
    expect(await hashes(turned, 2)).toEqual(first);
    expect(await hashes(given, 7)).toEqual(first);
  });

  it('a lab without admission goes to the later of two that overlap, and to none outside', async () => {
    const later = { hadm_id: 20000002, subject_id: IDS.subject_id };
    const rows = [10, 500, 9500].map((at, i) => ({
      ...labRows([{ item: 50971, draw: at, lag: 0, is_abnormal: true, has_hadm: false }])[0]!,
      labevent_id: i + 1,
      specimen_id: i + 1,
    }));
    const run = await runStageOn(buildTrajectories, {
      inputs: {
        ...inputs({ labevents: rows }),
        admissions: complete(admissions, [
          { ...IDS, admittime: stamp(0), dischtime: stamp(9000) },
          { ...later, admittime: stamp(400), dischtime: stamp(600) },
        ]),
      },
    });
    expect((await run.table('events')).map((e) => e.source_keys)).toEqual(['["labevent_id=1"]']);
    expect(run.result.counts['left_out.labs_of_other_times']).toBe(2);
  });

  it('an order that was entered again is on record from then, and every order is an event', async () => {
    const order = (n: number, ordertime: string | null): SqlRow => ({
      ...IDS,
      order_id: `O${n}`,
      pharmacy_id: n,
      starttime: stamp(600),
      ordertime,
      decided_at: ordertime !== null && ordertime < stamp(600) ? ordertime : stamp(600),
      drug: 'Lisinopril',
      drug_fold: 'lisinopril',
      source_rows: `["prescriptions:pharmacy_id=${n};drug_type=MAIN;drug=Lisinopril"]`,
    });
    const run = await runStageOn(buildTrajectories, {
      inputs: inputs({
        orders: complete(orders, [order(1, stamp(570)), order(2, stamp(900)), order(3, null)]),
      }),
    });
    const at = Object.fromEntries((await run.table('events')).map((e) => [e.order_id, e.available_at]));
    expect(at).toEqual({ O1: stamp(570), O2: stamp(900), O3: stamp(600) });
  });

  it('results of a culture without any time of filing are left out and counted', async () => {
    const row = (n: number, storetime: string | null): SqlRow => ({
      microevent_id: n,
      ...IDS,
      micro_specimen_id: n,
      chartdate: stamp(0),
      charttime: null,
      spec_type_desc: 'URINE',
      test_name: 'URINE CULTURE',
      test_seq: 1,
      storetime,
      comments: 'NO GROWTH.',
    });
    const run = await runStageOn(buildTrajectories, {
      inputs: inputs({
        microbiologyevents: complete(microbiologyevents, [row(1, null), row(2, stamp(100))]),
      }),
    });
    // The day of the draw ends at minute 1440; its time is unknown, so nothing is known of it before.
    expect((await run.table('events')).map((e) => e.available_at)).toEqual([stamp(1440)]);
    expect(run.result.counts['left_out.cultures_without_store_time']).toBe(1);
  });
});
