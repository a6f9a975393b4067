/** Notes of a synthetic extract up to the profile, for tests against the ledger of planted faults. */
import { join } from 'node:path';
import { buildProfile } from '../../stages/build-profile/stage.js';
import type { SqlRow, StageSpec } from '../../stages/contract.js';
import { loadMimic } from '../../stages/load-mimic/stage.js';
import { loadOrders } from '../../stages/load-orders/stage.js';
import { splitNotes } from '../../stages/split-notes/stage.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun, type TestInput } from '../support/stage.js';

/** Runs of the stages by name. */
export type Chain = ReadonlyMap<string, StageRun>;

/** Every admission with one discharge note is taken, with all its orders. */
export async function profileChain(stays: number, seed: number): Promise<Chain> {
  const made = new Map<string, TestInput>();
  const runs = new Map<string, StageRun>();
  const step = async (stage: StageSpec, config: object = {}): Promise<StageRun> => {
    const names = Object.keys(stage.inputs).filter((name) => made.has(name));
    const inputs = Object.fromEntries(names.map((name) => [name, made.get(name)!]));
    const run = await runStageOn(stage, { inputs, config, seed });
    for (const [name, { kind }] of Object.entries(stage.outputs)) {
      const path = join(run.dir, name);
      if (kind !== 'document')
        made.set(name, kind === 'folder' ? { folder: path } : { parquet: `${path}.parquet` });
    }
    runs.set(stage.name, run);
    return run;
  };
  await step(synthMimic as StageSpec, { stays });
  const tables = await step(loadMimic as StageSpec);
  const orders = await step(loadOrders as StageSpec);
  made.set('sampled_admissions', await sampled(tables, orders));
  made.set('orders', (await orders.table('prescriptions')).flatMap(orderRow));
  await step(splitNotes as StageSpec);
  await step(buildProfile as StageSpec);
  return runs;
}

async function sampled(tables: StageRun, orders: StageRun): Promise<SqlRow[]> {
  const notes = new Map<number, number>();
  for (const { hadm_id, note_type } of await orders.table('discharge'))
    if (note_type === 'DS') notes.set(Number(hadm_id), (notes.get(Number(hadm_id)) ?? 0) + 1);
  const admissions = await tables.table('admissions');
  return admissions
    .filter((a) => notes.get(Number(a.hadm_id)) === 1 && a.dischtime !== null)
    .map(({ hadm_id, subject_id, admittime, dischtime, admission_type }) => ({
      ...{ hadm_id: hadm_id!, subject_id: subject_id!, admittime: admittime!, dischtime: dischtime! },
      ...{
        admission_type: admission_type!,
        service: null,
        age: 60,
        gender: 'F',
        chapter: '1',
        has_note: true,
      },
      split: 'test',
    }));
}

/** An order as far as the leak check reads it; rows of one order count once. */
function orderRow(row: SqlRow, i: number): SqlRow[] {
  const { drug_type, drug, hadm_id, subject_id, pharmacy_id, starttime } = row;
  if (drug_type !== 'MAIN') return [];
  return [
    {
      ...{
        order_id: `O${i}`,
        subject_id: subject_id!,
        hadm_id: hadm_id!,
        pharmacy_id: pharmacy_id!,
        poe_id: null,
      },
      ...{ starttime: starttime!, stoptime: null, ordertime: null, decided_at: starttime!, drug: drug! },
      ...{ drug_fold: String(drug).toLowerCase(), dose_val_rx: null, dose_unit_rx: null, dose_low: null },
      ...{ dose_high: null, dose_text: null, route: null, route_class: null, frequency: null, is_bag: false },
      ...{ components: '[]', transaction_type: null, discontinued_at: null, is_administered: null },
      ...{ non_decision_reason: /flush/i.test(String(drug)) ? 'flush' : null, continuation_reason: null },
      ...{ routine_reason: null, source_rows: '[]' },
    },
  ];
}
