/** load-orders and sample-admissions on the open MIMIC-IV demo 2.2, which has no notes. Counts: mimic-iv demo, read by plain SQL. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { MIMIC_FILES, type MimicTable } from '../../schemas/mimic-files.js';
import { sqlColumns } from '../../schemas/table.js';
import type { SqlRow } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { LOADED } from '../../stages/load-orders/tables.js';
import { sampleAdmissions } from '../../stages/sample-admissions/stage.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { runStageOn, type StageRun } from '../support/stage.js';
import { demoFolder } from './demo-folder.js';
import { loadBoth, tablesOf } from './orders-extract.js';

/** Admissions and patients left after each step, counted by plain SQL over the files. */
const FUNNEL = [
  ['all admissions', 275, 100],
  ['end of the stay known', 275, 100],
  ['discharge not before admission', 275, 100],
  ['not after the death of the patient', 275, 100],
  ['of age', 275, 100],
  ['long enough a stay', 245, 100],
  ['with a MAIN prescription', 238, 100],
  ['patient of a group up to 2019', 238, 100],
  ['with a discharge note', 238, 100],
  ['with one discharge note only', 238, 100],
  ['one admission a patient', 100, 100],
  ['drawn', 100, 100],
] as const;

describe.skipIf(!hasDemo())('the open demo', () => {
  let mimic: StageRun;
  let orders: StageRun;
  beforeAll(async () => {
    ({ mimic, orders } = await loadBoth(demoFolder(), { workers: 2 }));
  });

  it('loads without a reject or a drop; files are whole by their hash, notes are absent', async () => {
    expect(await orders.table('rejects')).toEqual([]);
    const dropped = Object.values(orders.result.dropped).flatMap((d) => Object.values(d));
    expect(dropped.every((n) => n === 0)).toBe(true);
    for (const r of await orders.table('orders_report')) {
      const demo = MIMIC_FILES[r.table as MimicTable].documentedRows.demo;
      expect(r).toMatchObject({
        mimic_version: 'demo',
        version_source: 'sha256',
        is_present: demo !== undefined,
      });
      expect(r.truncation_check).toBe(
        demo === undefined ? 'absent: the extract has no such file, so the table is empty' : 'sha256',
      );
      expect([r.records, r.loaded]).toEqual([demo ?? 0, demo ?? 0]);
    }
    expect(orders.result.counts['lookup.procedures_icd.matched']).toBe(722);
  });

  it('has the published shape: order rows, moments, re-entries to come', async () => {
    const rows = await orders.table('prescriptions');
    const n = (is: (r: SqlRow) => boolean): number => rows.filter(is).length;
    const main = rows.filter((r) => r.drug_type === 'MAIN');
    expect([main.length, n((r) => r.drug_type === 'BASE'), n((r) => r.drug_type === 'ADDITIVE')]).toEqual([
      14_391, 3677, 19,
    ]);
    expect(new Set(rows.map((r) => r.hadm_id)).size).toBe(250);
    expect(new Set(main.map((r) => `${r.hadm_id} ${r.starttime}`)).size).toBe(6505);
    expect(n((r) => r.stoptime !== null && String(r.stoptime) < String(r.starttime))).toBe(753);
    expect(n((r) => r.form_rx !== null)).toBe(12);
    expect(n((r) => !String(r.starttime).endsWith(':00:00'))).toBe(0);
    const cultures = await orders.table('microbiologyevents');
    expect(cultures.filter((r) => r.charttime === null)).toHaveLength(183);
    expect(cultures.filter((r) => r.org_itemid === 90_760)).toHaveLength(17);
    const given = (await orders.table('emar')).flatMap((r) => r.hadm_id ?? []);
    expect(new Set(given).size).toBe(181);
    expect((await orders.table('transfers')).filter((r) => r.hadm_id === null)).toHaveLength(54);
  });

  it.each(['prescriptions', 'microbiologyevents', 'poe'])(
    'has the values of %s, compared with a second reader',
    async (name) => {
      const file = join(DEMO_DIRS[0]!, `hosp/${name}.csv.gz`);
      const { schema } = LOADED.find((t) => t.name === name)!;
      const columns = sqlColumns(schema);
      const numbers = new Set(columns.filter((c) => /INTEGER|DOUBLE/.test(c.type)).map((c) => c.name));
      const line = (row: Record<string, unknown>): string =>
        JSON.stringify(columns.map((c) => row[c.name] ?? null));
      const wanted = parseCsv(gunzipSync(readFileSync(file)).toString('utf8'), name).map((r) =>
        line(
          Object.fromEntries(
            columns.map(({ name: c }) => [c, r[c] === '' ? null : numbers.has(c) ? Number(r[c]) : r[c]]),
          ),
        ),
      );
      const got = (await orders.table(name)).map(line);
      expect(got.length).toBe(wanted.length);
      const missing = new Set(wanted);
      for (const g of got) missing.delete(g);
      expect(missing.size).toBe(0);
    },
  );

  it('has eligible admissions without notes, one a patient', async () => {
    const run = await runStageOn(sampleAdmissions, {
      inputs: {
        ...tablesOf(mimic, ['patients', 'admissions', 'services', 'diagnoses_icd']),
        ...tablesOf(orders, ['prescriptions', 'discharge']),
      },
    });
    const left = (await run.table('admission_funnel')).map((r) => [r.step, r.unit, r.n]);
    expect(left).toEqual(
      FUNNEL.flatMap(([step, admissions, patients]) => [
        [step, 'admissions', admissions],
        [step, 'patients', patients],
      ]),
    );
    const rows = await run.table('sampled_admissions');
    expect(rows.every((r) => r.has_note === false && r.service !== null)).toBe(true);
    expect(rows.filter((r) => (r.age as number) > 89).every((r) => r.age === 91)).toBe(true);
    expect(run.result.counts).toMatchObject({ notes_waived: 1, with_note: 0, without_chapter: 0 });
  });
});
