/** Moments of the synthetic extract against its truth: orders that a rule wrote for a new reason must be in a moment that is left. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { gatherOrders } from '../../stages/gather-orders/stage.js';
import { type CsvRecord, parseCsv } from '../../stages/lib/csv.js';
import { sampleAdmissions } from '../../stages/sample-admissions/stage.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn } from '../support/stage.js';
import { loadBoth, tablesOf } from './orders-extract.js';

describe('orders of 200 synthetic stays', () => {
  let orders: SqlRow[];
  let truth: Map<number, CsvRecord>;
  beforeAll(async () => {
    const synth = await runStageOn(synthMimic, { config: { stays: 200 } });
    const loaded = await loadBoth(join(synth.dir, 'extract'));
    const sampled = await runStageOn(sampleAdmissions, {
      inputs: {
        ...tablesOf(
          loaded.mimic,
          Object.keys(sampleAdmissions.inputs).filter((n) => n in loaded.mimic.result.outputs),
        ),
        ...tablesOf(
          loaded.orders,
          Object.keys(sampleAdmissions.inputs).filter((n) => n in loaded.orders.result.outputs),
        ),
      },
    });
    const run = await runStageOn(gatherOrders, {
      inputs: {
        ...tablesOf(sampled, ['sampled_admissions']),
        ...tablesOf(loaded.orders, ['prescriptions', 'pharmacy', 'poe', 'emar']),
      },
    });
    orders = await run.table('orders');
    const path = join(synth.dir, 'truth/orders.csv');
    truth = new Map(parseCsv(readFileSync(path, 'utf8'), path).map((r) => [Number(r.pharmacy_id), r]));
  }, 120_000);

  const isNew = (o: SqlRow): boolean =>
    o.non_decision_reason === null && o.continuation_reason === null && o.routine_reason === null;
  const key = (o: SqlRow): string => `${o.hadm_id} ${o.starttime}`;

  it('keeps nine of ten orders with a new reason in a moment', () => {
    const left = new Set(orders.filter(isNew).map(key));
    const reasoned = orders.filter((o) => {
      const t = truth.get(o.pharmacy_id as number);
      return t?.role === 'REASONED_NEW' && t.kind === 'first';
    });
    expect(reasoned.length).toBeGreaterThan(500);
    const kept = reasoned.filter((o) => left.has(key(o)));
    // Lost are fever and glucose answered with an order of every order set, and a repeat within a day.
    expect(kept.length / reasoned.length).toBeGreaterThan(0.88);
  });

  it('knows what was entered again, and no moment is left of that alone', () => {
    const again = orders.filter((o) => truth.get(o.pharmacy_id as number)?.kind === 'reentry');
    expect(again.length).toBeGreaterThan(100);
    expect(again.filter((o) => o.continuation_reason === 'reentry').length / again.length).toBeGreaterThan(
      0.95,
    );
    expect(again.filter(isNew)).toEqual([]);
  });

  it('takes no flush for a decision', () => {
    const flushes = orders.filter((o) => /flush/i.test(String(o.drug)));
    expect(flushes.length).toBeGreaterThan(100);
    expect(flushes.filter((o) => o.non_decision_reason === null)).toEqual([]);
  });
});
