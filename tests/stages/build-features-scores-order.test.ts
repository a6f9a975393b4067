/** Random patients: no score depends on the order of rows or on threads, and each stays within its limits. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import { at, type Patient, readFile, scoresOf } from './build-features-scores-support.js';

const SCORE_IDS = ['F070', ...Array.from({ length: 24 }, (_, i) => `F${340 + i}`)];
/** Sums, in which a missing part counts 0: they are never missing. */
const TOTALS = ['F070', 'F340', 'F347', 'F348', 'F349', 'F350', 'F351', 'F357'];
const registry = parseRegistry(readFile(REGISTRY_FILE));
/** Features that the scores read, drawn from their plausible limits. */
const READ =
  'F001 F002 F089 F090 F095 F096 F104 F105 F110 F111 F116 F117 F126 F127 F163 F183 F184 F187 F190 F191 F200 F201 F203';
const READ_LABS = 'F204 F209 F213 F216 F217 F219 F220 F222 F223 F235 F237 F248 F278 F364';

const hours = fc.integer({ min: -6 * 60, max: 30 * 60 }).map((minutes) => minutes / 60);
const tenth = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.ceil(low * 10), max: Math.floor(high * 10) }).map((n) => n / 10);
const some = <T>(row: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(row, { maxLength: 6 });

const features = fc.record(
  Object.fromEntries(
    `${READ} ${READ_LABS}`.split(' ').map((id) => {
      const f = registry.find((r) => r.feature_id === id)!;
      return [id, id === 'F002' ? fc.constantFrom(0, 1) : tenth(f.plausible_low!, f.plausible_high!)];
    }),
  ),
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, number>>;

const patient: fc.Arbitrary<Patient> = fc.record({
  features,
  kg: tenth(40, 150),
  admission_type: fc.constantFrom('ELECTIVE', 'URGENT', 'SURGICAL SAME DAY ADMISSION'),
  services: some(
    fc.record({
      transfertime: hours.map(at),
      curr_service: fc.constantFrom('MED', 'SURG', 'ORTHO', 'CSURG'),
    }),
  ),
  stay: hours.map((h) => ({ outtime: at(Math.max(0, h + 6)), admittime: at(h - 24) })),
  chart: some(
    fc.record({
      charttime: hours.map(at),
      itemid: fc.constantFrom(220210, 224690, 220050, 220179),
      valuenum: tenth(0, 200),
    }),
  ),
  lab: some(
    fc.record({
      charttime: hours.map(at),
      specimen_id: fc.integer({ min: 1, max: 3 }),
      itemid: fc.constantFrom(50912, 51006, 50862, 51301, 51256, 51244, 52075, 51133),
      num: tenth(0, 20),
    }),
  ),
  gcs: fc.uniqueArray(
    fc.record({
      charttime: hours.map(at),
      eye: fc.integer({ min: 1, max: 4 }),
      verbal: fc.integer({ min: 0, max: 5 }),
      motor: fc.integer({ min: 1, max: 6 }),
      total: fc.integer({ min: 3, max: 15 }),
    }),
    { maxLength: 5, selector: (g) => g.charttime },
  ),
  gas: some(
    fc.record({
      charttime: hours.map(at),
      specimen_id: fc.integer({ min: 1, max: 9 }),
      po2: tenth(20, 500),
      pco2: tenth(15, 90),
      ph: tenth(6.9, 7.7),
      fio2: fc.constantFrom(21, 40, 50, 100, null),
      aado2: tenth(0, 600),
      pf_ratio: tenth(20, 600),
    }),
  ),
  vent: some(
    fc.record({
      starttime: hours.map(at),
      endtime: fc.constant(at(20)),
      kind: fc.constantFrom('invasive', 'niv', 'hfnc'),
    }),
  ),
  pressor: some(
    fc.record({
      drug: fc.constantFrom('norepinephrine', 'dopamine', 'dobutamine', 'epinephrine', 'vasopressin'),
      starttime: hours.map(at),
      endtime: fc.constant(at(20)),
      rate: tenth(0, 20),
    }),
  ),
  urine: fc.array(fc.record({ charttime: hours.map(at), ml: tenth(-200, 600) }), { maxLength: 20 }),
  prior_dx: some(fc.record({ icd_code: fc.constantFrom('B20', 'C900', 'C787', 'N186', 'I21') })),
});

test('row order and threads change nothing; every value lies within the limits of the registry', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(patient, { minLength: 8, maxLength: 8 }),
      fc.boolean(),
      async (drawn, isOracle) => {
        const patients = Object.fromEntries(drawn.map((p, i) => [`p${i}`, p]));
        const plain = await scoresOf(patients, isOracle, { threads: 1 });
        const turned = await scoresOf(patients, isOracle, {
          threads: 2,
          arrange: (rows) => [...rows].reverse(),
        });
        for (const name of Object.keys(patients)) {
          for (const id of SCORE_IDS) {
            const value = plain.feature(name, id);
            expect(turned.feature(name, id), `${name} ${id}`).toBe(value);
            const { plausible_low: low, plausible_high: high } = registry.find((r) => r.feature_id === id)!;
            if (TOTALS.includes(id)) expect(value, `${name} ${id}`).not.toBeNull();
            if (value === null) continue;
            expect(value, id).toBeGreaterThanOrEqual(low!);
            expect(value, id).toBeLessThanOrEqual(high!);
          }
        }
      },
    ),
    { numRuns: 8, seed: 7 },
  );
});
