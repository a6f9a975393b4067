/** find-timepoints: nothing at or after the cut counts, and the draw depends on no order of rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profiledAdmissions } from '../../schemas/notes.js';
import { events as eventTable, orders as orderTable } from '../../schemas/rxeval-record.js';
import type { SqlRow } from '../../stages/contract.js';
import { splitDose } from '../../stages/find-timepoints/home-list.js';
import { withinAnHour } from '../../stages/find-timepoints/moments.js';
import { findTimepoints } from '../../stages/find-timepoints/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { complete } from './complete.js';

const stamp = (minutes: number): string =>
  new Date(Date.UTC(2150, 2, 1) + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');

const HADM = 20000000;
const admission = (n: number): SqlRow => ({
  hadm_id: HADM + n,
  subject_id: 10000000 + n,
  admittime: stamp(0),
  dischtime: stamp(20_000),
  admission_type: 'URGENT',
  service: null,
  age: 60,
  gender: 'F',
  chapter: '7',
  has_note: false,
  split: 'test',
});

interface OrderDraw {
  readonly n: number;
  /** Hours. */
  readonly start: number;
  /** Minutes from the start to the order time. */
  readonly written: number | null;
  readonly mark: 'none' | 'routine' | 'continued' | 'flush';
}
interface EventDraw {
  readonly n: number;
  readonly at: number;
  readonly kind: string;
  readonly is_shown: boolean;
}

const who = fc.integer({ min: 1, max: 3 });
const orderDraw: fc.Arbitrary<OrderDraw> = fc.record({
  n: who,
  start: fc.integer({ min: 1, max: 30 }),
  written: fc.option(fc.integer({ min: -90, max: 90 })),
  mark: fc.constantFrom('none', 'none', 'routine', 'continued', 'flush'),
});
const eventDraw: fc.Arbitrary<EventDraw> = fc.record({
  n: who,
  at: fc.oneof(
    fc.integer({ min: 0, max: 1900 }),
    fc.integer({ min: 1, max: 30 }).map((h) => h * 60),
  ),
  kind: fc.constantFrom('lab', 'vital', 'culture', 'radiology', 'prescription', 'procedure', 'output'),
  is_shown: fc.boolean(),
});

const orderRow = (d: OrderDraw, i: number): SqlRow => ({
  order_id: `O${i}`,
  subject_id: 10000000 + d.n,
  hadm_id: HADM + d.n,
  pharmacy_id: i,
  starttime: stamp(d.start * 60),
  ordertime: d.written === null ? null : stamp(d.start * 60 + d.written),
  decided_at: stamp(d.start * 60 + Math.min(d.written ?? 0, 0)),
  drug: `Drug ${i % 7}`,
  drug_fold: `drug ${i % 7}`,
  is_bag: false,
  components: '[]',
  source_rows: '[]',
  non_decision_reason: d.mark === 'flush' ? 'flush' : null,
  continuation_reason: d.mark === 'continued' ? 'same_within_24h' : null,
  routine_reason: d.mark === 'routine' ? 'bowel_regimen' : null,
});
const eventRow = (d: EventDraw, i: number): SqlRow => ({
  event_id: `E${i}`,
  subject_id: 10000000 + d.n,
  hadm_id: HADM + d.n,
  kind: d.kind,
  available_at: stamp(d.at),
  text: 'x',
  is_shown: d.is_shown,
  source_table: 'labevents',
  source_keys: '[]',
});

function inputs(orders: readonly OrderDraw[], events: readonly EventDraw[]): Record<string, SqlRow[]> {
  return {
    sampled_admissions: [1, 2, 3].map(admission),
    profiled_admissions: complete(
      profiledAdmissions,
      [1, 2, 3].map((n) => ({ hadm_id: HADM + n, subject_id: 10000000 + n })),
    ),
    profile_spans: [],
    orders: complete(orderTable, orders.map(orderRow)),
    events: complete(eventTable, events.map(eventRow)),
  };
}

const EVIDENCE = ['lab', 'vital', 'culture', 'radiology'];

/** Eligible moments by looking at every order and every event. */
function eligible(orders: readonly OrderDraw[], events: readonly EventDraw[]): Map<string, number> {
  const moments = new Map<string, number>();
  for (const o of orders) {
    const own = orders.filter((x) => x.n === o.n && x.start === o.start);
    const cut = Math.min(...own.map((x) => x.start * 60 + Math.min(x.written ?? 0, 0)));
    const before = events.filter((e) => e.n === o.n && e.is_shown && e.at < cut);
    const isNew = own.some((x) => x.mark === 'none');
    if (isNew && before.some((e) => EVIDENCE.includes(e.kind)))
      moments.set(`${HADM + o.n} ${stamp(o.start * 60)}`, before.length);
  }
  return moments;
}

async function check(
  run: StageRun,
  orders: readonly OrderDraw[],
  events: readonly EventDraw[],
): Promise<void> {
  const moments = eligible(orders, events);
  const drawn = await run.table('timepoints');
  for (const t of drawn) expect(t.events_n).toBe(moments.get(`${t.hadm_id} ${t.starttime}`));
  for (const n of [1, 2, 3]) {
    const starts = [...moments.keys()].filter((k) => k.startsWith(String(HADM + n))).length;
    const own = drawn.filter((t) => t.hadm_id === HADM + n);
    expect(own).toHaveLength(Math.min(starts, 3));
    for (const t of own) {
      expect(t.ranks_n).toBe(starts);
      const third = Math.floor((3 * ((t.rank_n as number) - 1)) / starts);
      expect(t.phase).toBe(['early', 'middle', 'late'][third]);
    }
  }
  const answers = await run.table('timepoint_orders');
  for (const a of answers) {
    const mark = orders[Number(String(a.order_id).slice(1))]!.mark;
    expect(a.is_answer).toBe(mark !== 'flush');
    expect(a.prior_class).toBe(
      mark === 'continued' ? 'CONTINUATION' : mark === 'routine' ? 'ROUTINE' : 'NEW',
    );
  }
}

describe('find-timepoints', () => {
  it('counts what could be known before the cut and nothing else', async () => {
    const world = fc.tuple(
      fc.array(orderDraw, { minLength: 1, maxLength: 40 }),
      fc.array(eventDraw, { maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(world, async ([orders, events]) => {
        await check(await runStageOn(findTimepoints, { inputs: inputs(orders, events) }), orders, events);
      }),
      { numRuns: 15, seed: 3 },
    );
  }, 60_000);

  it('draws the same moments for shuffled rows and any number of workers, others for another seed', async () => {
    const given = inputs(
      fc.sample(orderDraw, { numRuns: 80, seed: 2 }),
      fc.sample(eventDraw, { numRuns: 60, seed: 4 }),
    );
    const turned = Object.fromEntries(Object.entries(given).map(([n, rows]) => [n, [...rows].reverse()]));
    const hashes = async (rows: Record<string, SqlRow[]>, workers: number, seed: number): Promise<string[]> =>
      Object.values((await runStageOn(findTimepoints, { inputs: rows, workers, seed })).result.outputs).map(
        (o) => o.sha256,
      );
    const first = await hashes(given, 1, 0);
    expect(await hashes(turned, 2, 0)).toEqual(first);
    expect(await hashes(given, 7, 0)).toEqual(first);
    expect(await hashes(given, 1, 1)).not.toEqual(first);
  });

  it('a moment of an hour ends an hour after its first order', () => {
    const at = (hadm_id: number, minutes: number) => ({ hadm_id, time_at: stamp(minutes) });
    const moments = withinAnHour([at(1, 0), at(1, 60), at(1, 61), at(1, 121), at(2, 121)]);
    expect(moments.map((m) => m.moment_at)).toEqual([0, 0, 61, 61, 121].map(stamp));
  });

  it.each([
    ['12.5 mg', '12.5', 'mg'],
    ['1,000 mg', '1,000', 'mg'],
    ['1-2 TAB', '1-2', 'TAB'],
    ['one tablet', 'one tablet', ''],
  ])('the dose %s has the number %s and the unit %s', (text, value, unit) =>
    expect(splitDose(text)).toEqual({ value, unit }),
  );
});
