/** Every fault planted in the synthetic extract is answered as raw/mimic/synthetic/dirty_rows.csv says, row by row. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { LOADED } from '../../stages/load-mimic/tables.js';
import { chartChecks } from './dirt/checks-chart.js';
import { fileChecks } from './dirt/checks-files.js';
import { labChecks } from './dirt/checks-labs.js';
import { patientChecks } from './dirt/checks-patients.js';
import { treatmentChecks } from './dirt/checks-treatment.js';
import { openTwin, type Twin } from './dirt/twin.js';
import { buildWorld, type Checks, STAYS, type World } from './dirt/world.js';

const RULES = parseCsv(readFileSync('raw/mimic/synthetic/dirty_rows.csv', 'utf8'), 'dirty_rows.csv');
const twin: Twin = {
  same: (faults, names) => opened.same(faults, names),
  unexplained: (stays, names) => opened.unexplained(stays, names),
};
const CHECKS: Checks = {
  ...patientChecks(twin),
  ...labChecks(twin),
  ...chartChecks(twin),
  ...treatmentChecks(twin),
  ...fileChecks,
};
/** Not planted in the extract: damaged or rewritten copies of it, in dirt-files.test.ts. */
const FIXTURES = ['D90', 'D93', 'D94'];
/** Tables whose rows and faults come with the benchmark of treatments; supmimic reads none of them. */
const LATER: Readonly<Record<string, string>> = {
  'hosp.prescriptions': 'orders',
  'hosp.poe': 'orders',
  'hosp.emar': 'orders',
  'hosp.microbiologyevents': 'microbiology',
  'note.discharge': 'discharge notes',
  'note.radiology': 'radiology reports',
};
let opened: Twin;

describe('faults of the synthetic extract', () => {
  let w: World;
  beforeAll(async () => {
    w = await buildWorld();
    opened = await openTwin(w);
  });
  afterAll(async () => w?.close());

  it.each(RULES.filter((r) => CHECKS[r.dirty_id!]).map((r) => [r.dirty_id!, CHECKS[r.dirty_id!]!.says]))(
    '%s: %s',
    async (id) => {
      const faults = w.faults.filter((f) => f.id === id);
      expect(faults.length).toBeGreaterThan(0);
      await CHECKS[id]!.run(w, faults);
    },
  );
  it('no feature of any stay differs from the clean run for another reason', () => {
    const stays = w.dirty.values.stays().filter((stay) => w.clean.values.has(stay));
    expect(stays.length).toBeGreaterThan(0.98 * STAYS);
    expect(twin.unexplained(stays, /./)).toEqual([]);
  });

  it('every fault of dirty_rows.csv has a check, or is of a table that supmimic does not read', () => {
    const read = new Set<string>(LOADED.map((t) => t.source));
    const open = RULES.filter((r) => !CHECKS[r.dirty_id!] && !FIXTURES.includes(r.dirty_id!));
    expect(RULES.length).toBe(99);
    expect(open.filter((r) => read.has(r.table!) || !LATER[r.table!]).map((r) => r.dirty_id)).toEqual([]);
    expect(Object.keys(LATER).filter((table) => read.has(table))).toEqual([]);
    expect(Object.keys(CHECKS).filter((id) => !RULES.some((r) => r.dirty_id === id))).toEqual([]);
    // What the ledger lists of these tables is what is checked here, no more and no less.
    const later = new Set(RULES.filter((r) => LATER[r.table!]).map((r) => r.dirty_id!));
    const listed = new Set(w.faults.map((f) => f.id).filter((id) => !later.has(id)));
    expect([...listed].sort()).toEqual(Object.keys(CHECKS).sort());
  });
});
