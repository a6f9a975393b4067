/** gather-orders against a brute-force reading of its rules, and ids against the shared hash. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prescriptions as rx } from '../../schemas/mimic-orders.js';
import type { SqlRow } from '../../stages/contract.js';
import { gatherOrders } from '../../stages/gather-orders/stage.js';
import { foldDrug, routeClass } from '../../stages/lib/drug-fold.js';
import { sha256 } from '../../stages/lib/hash.js';
import { runStageOn } from '../support/stage.js';
import { complete } from './complete.js';

const HOUR = 3600_000;
const BASE = Date.UTC(2150, 2, 1);
const stamp = (hours: number): string =>
  new Date(BASE + hours * HOUR).toISOString().slice(0, 19).replace('T', ' ');
const hours = (text: unknown): number => (Date.parse(`${String(text).replace(' ', 'T')}Z`) - BASE) / HOUR;

const ADMISSION: SqlRow = {
  hadm_id: 20000001,
  subject_id: 10000001,
  admittime: stamp(0),
  dischtime: stamp(2000),
  admission_type: 'URGENT',
  service: null,
  age: 60,
  gender: 'F',
  chapter: '7',
  has_note: false,
  split: 'test',
};

interface Draw {
  readonly drug: string;
  readonly dose: string;
  readonly route: string;
  readonly start: number;
  readonly length: number | null;
  /** Hours from the start to the order time. */
  readonly order: number | null;
}

const draw: fc.Arbitrary<Draw> = fc.record({
  drug: fc.constantFrom('Furosemide', 'furosemide ', 'Metoprolol Tartrate', 'METOPROLOL  tartrate'),
  dose: fc.constantFrom('40', '80', '0.5-1'),
  route: fc.constantFrom('PO', 'PO/NG', 'IV', 'IV BOLUS'),
  start: fc.integer({ min: 1, max: 150 }),
  length: fc.option(fc.integer({ min: -5, max: 60 })),
  order: fc.option(fc.constantFrom(-1, 0, 0.5, 1, 1.5, 5)),
});

function prescriptions(draws: readonly Draw[]): SqlRow[] {
  return complete(
    rx,
    draws.map((d, i) => ({
      subject_id: 10000001,
      hadm_id: 20000001,
      pharmacy_id: i + 1,
      poe_id: d.order === null ? null : `10000001-${i + 1}`,
      starttime: stamp(d.start),
      stoptime: d.length === null ? null : stamp(d.start + d.length),
      drug_type: 'MAIN',
      drug: d.drug,
      dose_val_rx: d.dose,
      dose_unit_rx: 'mg',
      route: d.route,
    })),
  );
}

function poe(draws: readonly Draw[]): SqlRow[] {
  return draws.flatMap((d, i) =>
    d.order === null
      ? []
      : [
          {
            poe_id: `10000001-${i + 1}`,
            poe_seq: i + 1,
            subject_id: 10000001,
            hadm_id: 20000001,
            ordertime: stamp(d.start + d.order),
            order_type: 'Medications',
            order_subtype: null,
            transaction_type: 'New',
            discontinue_of_poe_id: null,
            discontinued_by_poe_id: null,
            order_status: 'Inactive',
          },
        ],
  );
}

const inputs = (draws: readonly Draw[]): Record<string, SqlRow[]> => ({
  sampled_admissions: [ADMISSION],
  prescriptions: prescriptions(draws),
  pharmacy: [],
  poe: poe(draws),
  emar: [],
});

/** The rules of the README, one order against all others. */
function expected(draws: readonly Draw[], i: number): string | null {
  const d = draws[i]!;
  if (d.order !== null && d.order > 1) return 'reentry';
  const same = (o: Draw): boolean =>
    foldDrug(o.drug) === foldDrug(d.drug) && o.dose === d.dose && routeClass(o.route) === routeClass(d.route);
  const end = (o: Draw): number => o.start + Math.max(o.length ?? 0, 0);
  const isActive = draws.some((o) => same(o) && o.start < d.start && end(o) >= d.start - 24);
  return isActive ? 'same_within_24h' : null;
}

describe('gather-orders', () => {
  it('marks continued orders as a comparison of every order with every other does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(draw, { minLength: 1, maxLength: 25 }), async (draws) => {
        const run = await runStageOn(gatherOrders, { inputs: inputs(draws) });
        const rows = await run.table('orders');
        expect(rows).toHaveLength(draws.length);
        for (const row of rows) {
          const i = (row.pharmacy_id as number) - 1;
          expect(row.continuation_reason).toBe(expected(draws, i));
          expect(hours(row.decided_at)).toBe(draws[i]!.start + Math.min(draws[i]!.order ?? 0, 0));
          const key = ['order', row.hadm_id, row.pharmacy_id, row.drug, row.starttime];
          expect(row.order_id).toBe(`O${sha256(key.join('\u001f')).slice(0, 12)}`);
        }
        const groups = new Set(
          rows.map((r) => [r.starttime, r.drug_fold, r.route_class, r.dose_val_rx].join()),
        );
        expect(rows.filter((r) => r.non_decision_reason === null)).toHaveLength(groups.size);
      }),
      { numRuns: 15, seed: 5 },
    );
  }, 60_000);

  it('gives the same bytes for shuffled rows and any number of workers', async () => {
    const draws = fc.sample(draw, { numRuns: 60, seed: 9 });
    const hash = async (given: Record<string, SqlRow[]>, workers: number): Promise<string> =>
      (await runStageOn(gatherOrders, { inputs: given, workers })).result.outputs.orders!.sha256;
    const given = inputs(draws);
    const turned = Object.fromEntries(Object.entries(given).map(([n, rows]) => [n, [...rows].reverse()]));
    const first = await hash(given, 1);
    expect(await hash(turned, 2)).toBe(first);
    expect(await hash(given, 7)).toBe(first);
  });
});
