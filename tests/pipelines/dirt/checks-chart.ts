/** Faults of charted rows. */
import { expect } from 'vitest';
import { type ChartRow, chartRows, chartStatistics, expectFeatures, type Point } from './recompute.js';
import type { Twin } from './twin.js';
import { type Checks, type Fault, inCohort, isSame, tally, type World } from './world.js';

const HEART_RATE = [220045];
const PRESSURE = [220050, 220179, 225309];
const RESPIRATION = [220210, 224690];
const TEMPERATURE = [223762, 223761];
const SPO2 = [220277];
const OXYGEN = [223835];
const GCS = [220739, 223900, 223901];

type Read = (row: ChartRow) => number | null;
const plain: Read = (r) => r.valuenum;
/** Celsius as it is; Fahrenheit (also in the Celsius field) from 70 to 120. */
const celsius: Read = (r) => {
  const x = r.valuenum!;
  if (r.itemid === 223762 && x <= 50) return x;
  return x >= 70 && x <= 120 ? (x - 32) / 1.8 : null;
};

function points(rows: readonly ChartRow[], read: Read, limits: readonly [number, number]): Point[] {
  return rows.flatMap((r) => {
    const num = read(r);
    return num === null || num < limits[0] || num > limits[1] ? [] : [{ at: r.charttime, num }];
  });
}

/** The vital sign's features are those of the stay's rows, for every ledgered stay; calls `look` with the rows at the fault's time. */
async function expectSeries(
  w: World,
  faults: readonly Fault[],
  itemids: readonly number[],
  limits: readonly [number, number],
  look: (at: readonly ChartRow[], fault: Fault) => void = () => {},
  read: Read = plain,
): Promise<void> {
  const rows = await chartRows(w, 'dirty', itemids);
  for (const { fault, stay } of inCohort(w, faults)) {
    const own = rows.get(stay) ?? [];
    look(
      own.filter((r) => r.charttime === fault.key.charttime),
      fault,
    );
    expectFeatures(w.dirty.values, stay, itemids, chartStatistics(points(own, read, limits)));
  }
}

/** The expected mean of a charttime, as the ledger states it. */
const meanOf = (fault: Fault): number =>
  Number(/mean (?:of the charttime )?(\S+)$/.exec(fault.expectation)![1]);
const meanAt = (at: readonly ChartRow[]): number => at.reduce((sum, r) => sum + r.valuenum!, 0) / at.length;

const expectImplausible = (w: World, feature: string, n: number): void => {
  expect([feature, w.dirty.features.result.counts[`implausible.${feature}`]]).toEqual([feature, n]);
  expect([feature, w.clean.features.result.counts[`implausible.${feature}`] ?? 0]).toEqual([feature, 0]);
};

/** GCS totals by charttime, from texts and numbers: an untestable verbal part makes 15. */
function totals(rows: readonly ChartRow[]): Point[] {
  const times = [...new Set(rows.map((r) => r.charttime))];
  return times.map((at) => {
    const part = (itemid: number): ChartRow => rows.find((r) => r.charttime === at && r.itemid === itemid)!;
    const [eye, verbal, motor] = GCS.map(part);
    return {
      at,
      num: verbal!.value === 'No Response-ETT' ? 15 : eye!.valuenum! + verbal!.valuenum! + motor!.valuenum!,
    };
  });
}

/** Lowest total when an untestable verbal part is set to the mean of the two others. */
function lowestBlind(rows: readonly ChartRow[]): number {
  const of = (at: string, itemid: number): ChartRow =>
    rows.find((r) => r.charttime === at && r.itemid === itemid)!;
  const seen = totals(rows).map(({ at, num }) =>
    of(at, 223900).value === 'No Response-ETT'
      ? 1.5 * (of(at, 220739).valuenum! + of(at, 223901).valuenum!)
      : num,
  );
  return Math.min(...seen);
}

export const chartChecks = (twin: Twin): Checks => ({
  D16: {
    says: 'rows a year late are dropped: counter far_charttime equals the ledger, no feature has them',
    async run(w, faults) {
      expect(w.dirty.loaded.result.dropped['icu.chartevents']!.far_charttime).toBe(faults.length);
      await expectSeries(w, faults, HEART_RATE, [1, 299], (at) => expect(at).toEqual([]));
      for (const f of faults) {
        const kept = await w.sql(
          `from dirty_chartevents where stay_id = ${f.stay_id} and charttime = timestamp '${f.dirty}'`,
        );
        expect(kept).toEqual([]);
      }
    },
  },
  D19: {
    says: 'weight charted at or before entry is used',
    run(w, faults) {
      for (const { stay } of inCohort(w, faults)) {
        expect(w.dirty.values.cell(stay, 'demo_weight_admit_kg')).not.toBeNull();
      }
    },
  },
  D20: {
    says: 'the window starts at the minute of entry, so the first heart rate counts',
    async run(w, faults) {
      const t0 = new Map(
        (await w.dirty.cohort.table('cohort')).map((r) => [r.stay_id as number, r.t0 as string]),
      );
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(fault.clean).not.toMatch(/:00$/);
        expect(t0.get(stay)).toBe(fault.key.charttime);
        if (w.faults.some((f) => f.id === 'D98' && f.stay_id === stay)) continue;
        expect(`first heart rate ${w.dirty.values.cell(stay, 'vital_heart_rate_first')}`).toBe(
          fault.expectation,
        );
      }
    },
  },
  D24: {
    says: 'exact copies are collapsed: counts equal the clean run and the drop equals the ledger',
    run(w, faults) {
      expect(w.dirty.loaded.result.dropped['icu.chartevents']!.duplicate).toBe(faults.length);
      twin.same(faults, /^vital_heart_rate/);
    },
  },
  D25: {
    says: 'two values at one charttime count as their mean',
    async run(w, faults) {
      await expectSeries(w, faults, RESPIRATION, [1, 69], (at, fault) => {
        expect(at.length).toBe(2);
        expect(meanAt(at)).toBe(meanOf(fault));
      });
    },
  },
  D26: {
    says: 'copies of lab results among charted rows enter no lab feature',
    run: (_, faults) => twin.same(faults, /^(lab|bg)_/),
  },
  D28: {
    says: 'impossible heart rates are removed before anything is computed, and counted',
    run(w, faults) {
      for (const stay of w.dirty.values.stays()) {
        const [low, high] = ['min', 'max'].map((s) => w.dirty.values.cell(stay, `vital_heart_rate_${s}`));
        if (low !== null) expect([low! >= 1, high! <= 299]).toEqual([true, true]);
      }
      expectImplausible(w, 'F087', inCohort(w, faults).length);
      twin.same(faults, /heart_rate|hr_gt110|shock_index/);
    },
  },
  D37: {
    says: 'Fahrenheit in the Celsius field is converted and counted',
    async run(w, faults) {
      expect(w.dirty.features.result.counts.fahrenheit_in_celsius_field).toBe(faults.length);
      expect(w.clean.features.result.counts.fahrenheit_in_celsius_field).toBeUndefined();
      const look = (at: readonly ChartRow[], fault: Fault): void => {
        const degrees = Number(/becomes (\S+) C$/.exec(fault.expectation)![1]);
        expect(isSame(celsius(at.find((r) => r.itemid === 223762)!), degrees, 1e-5)).toBe(true);
      };
      await expectSeries(w, faults, TEMPERATURE, [26, 45], look, celsius);
      twin.same(faults, /^vital_temp/);
      for (const stay of w.dirty.values.stays()) {
        expect(w.dirty.values.cell(stay, 'vital_temperature_max') ?? 37).toBeLessThan(45);
      }
    },
  },
  D38: {
    says: 'Celsius in the Fahrenheit field is dropped and counted',
    async run(w, faults) {
      expectImplausible(w, 'F114', faults.length);
      const look = (at: readonly ChartRow[], fault: Fault): void =>
        expect(at.filter((r) => r.valuenum === Number(fault.dirty)).map(celsius)).toEqual([null]);
      await expectSeries(w, faults, TEMPERATURE, [26, 45], look, celsius);
      for (const stay of w.dirty.values.stays()) {
        expect(w.dirty.values.cell(stay, 'vital_temperature_min') ?? 37).toBeGreaterThan(26);
      }
    },
  },
  D39: {
    says: 'FiO2 written as a fraction is a percentage, counted',
    run(w, faults) {
      expect(w.dirty.features.result.counts['converted.F423']).toBe(faults.length);
      for (const { fault, stay } of inCohort(w, faults)) {
        const percent = Number(/^read as (\S+) percent$/.exec(fault.expectation)![1]);
        const highest = w.dirty.values.cell(stay, 'trt_fio2_max')!;
        expect(highest).toBeGreaterThanOrEqual(percent - 1e-9);
        expect(highest).toBeLessThanOrEqual(100);
      }
      twin.same(faults, /^trt_fio2|^bg_pf/);
    },
  },
  D40: {
    says: 'FiO2 between 2 and 20, or 0, is null and counted',
    async run(w, faults) {
      expectImplausible(w, 'F423', faults.length);
      const rows = await chartRows(w, 'dirty', OXYGEN);
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(rows.get(stay)!.filter((r) => r.valuenum === Number(fault.dirty)).length).toBe(1);
      }
      twin.same(faults, /^trt_fio2|^bg_pf/);
    },
  },
  D41: {
    says: 'the admission weight in kilograms wins over a wrong one in pounds',
    run(w, faults) {
      for (const { fault, stay } of inCohort(w, faults)) {
        const kg = w.dirty.values.cell(stay, 'demo_weight_admit_kg');
        expect(`admission weight stays ${kg} kg`).toBe(fault.expectation);
      }
      twin.same(faults, /weight|bmi/);
    },
  },
  D42: {
    says: 'an impossible height gives way to the outpatient one, or null',
    async run(w, faults) {
      const outpatient = await w.sql<{ subject_id: number; cm: number }>(`
        select o.subject_id, arg_max(cast(o.result_value as double) * 2.54, o.chartdate) as cm
        from dirty_omr o join dirty_cohort c using (subject_id)
        where o.result_name = 'Height (Inches)' and o.chartdate < cast(c.admittime as date) group by o.subject_id`);
      const heights = new Map(outpatient.map((r) => [r.subject_id, r.cm]));
      const found = inCohort(w, faults).map(({ fault, stay }) => {
        const cm = w.dirty.values.cell(stay, 'demo_height_cm');
        expect(isSame(cm, heights.get(fault.subject_id) ?? null)).toBe(true);
        return cm;
      });
      expect(found.filter((cm) => cm !== null).length).toBeGreaterThan(0);
    },
  },
  D48: {
    says: 'line and cuff at one charttime count as their mean',
    async run(w, faults) {
      await expectSeries(w, faults, PRESSURE, [1, 399], (at, fault) => {
        expect(at.length).toBeGreaterThan(1);
        const values = at.map((r) => r.valuenum!);
        expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(30);
        if (at.length === 2) expect(meanAt(at)).toBe(meanOf(fault));
      });
    },
  },
  D49: {
    says: 'alarm limits are no measurement',
    run(w, faults) {
      const { dropped } = w.dirty.loaded.result;
      const copies = w.faults.filter((f) => f.id === 'D26').length;
      expect(dropped['icu.chartevents']!.item_not_read).toBe(faults.length + copies);
      twin.same(faults, /spo2/);
    },
  },
  D51: {
    says: 'the degree sign survives',
    async run(w, faults) {
      const units = await w.sql<{ itemid: number; valueuom: string }>(
        'select distinct itemid, valueuom from dirty_chartevents where itemid in (223761, 223762) order by itemid',
      );
      expect(units).toEqual([
        { itemid: 223761, valueuom: '°F' },
        { itemid: 223762, valueuom: '°C' },
      ]);
      expect(new Set(faults.map((f) => f.dirty))).toEqual(new Set(['°F', '°C']));
    },
  },
  D52: {
    says: 'a tube makes the verbal part untestable and the total 15, also in the oracle profile',
    async run(w, faults) {
      const oracle = await w.valuesWith({ profile: 'oracle' });
      const rows = await chartRows(w, 'dirty', GCS);
      const { values } = w.dirty;
      let looked = 0;
      for (const { fault, stay } of inCohort(w, faults)) {
        const own = rows.get(stay)!;
        const all = totals(own);
        expectFeatures(values, stay, GCS, chartStatistics(all), /^gcs_total_(first|last|min|max)$/);
        expect(values.cell(stay, 'gcs_total_sedation_blind_min')).toBe(lowestBlind(own));
        if (!all.some((p) => p.at === fault.key.charttime)) continue;
        looked++;
        expect(values.cell(stay, 'gcs_verbal_untestable_any')).toBe(1);
        expect([values.cell(stay, 'gcs_total_max'), oracle.cell(stay, 'gcs_total_max')]).toEqual([15, 15]);
        const spoken = own.filter((r) => r.itemid === 223900 && r.value !== 'No Response-ETT');
        const lowest = spoken.length > 0 ? Math.min(...spoken.map((r) => r.valuenum!)) : null;
        expect(values.cell(stay, 'gcs_verbal_min')).toBe(lowest);
      }
      expect(looked).toBeGreaterThan(0.9 * faults.length);
    },
  },
  D53: {
    says: 'device texts with a blank behind them are recognised, also where no procedure tells of the mask',
    async run(w, faults) {
      const procedures = await w.sql<{ stay_id: number }>('from dirty_procedureevents where itemid = 225794');
      const told = new Set(procedures.map((r) => r.stay_id));
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(fault.dirty).toBe(`${fault.clean} `);
        expect([stay, w.dirty.values.cell(stay, 'trt_niv_any')]).toEqual([stay, 1]);
      }
      expect(faults.filter((f) => !told.has(f.stay_id)).length).toBeGreaterThan(faults.length / 4);
    },
  },
  D95: {
    says: 'twins of a label in d_items change nothing: itemids are used',
    async run(w, faults) {
      const labels = tally(faults, (f) => f.dirty!);
      const items = await w.sql<{ label: string; n: number }>(
        'select label, count(*)::integer as n from dirty_d_items group by label having count(*) > 1',
      );
      for (const label of Object.keys(labels)) expect(items.map((r) => r.label)).toContain(label);
      const added = faults.map((f) => f.key.itemid).join();
      expect(await w.sql(`from dirty_chartevents where itemid in (${added})`)).toEqual([]);
      expect(w.dirty.loaded.result.counts.items_known).toBe(w.clean.loaded.result.counts.items_known);
      const stays = w.dirty.values.stays().filter((stay) => w.clean.values.has(stay));
      expect(twin.unexplained(stays, /^(vital|gcs)_/)).toEqual([]);
    },
  },
  D98: {
    says: 'a tie at the first charttime is its mean, and a repeated run gives the same bytes',
    async run(w, faults) {
      await expectSeries(w, faults, SPO2, [1, 100], (at, fault) => {
        expect(at.length).toBe(2);
        expect(w.dirty.values.cell(fault.stay_id, 'vital_spo2_first')).toBe(meanOf(fault));
      });
      const again = await w.featuresWith({}, { chartevents: await w.shuffled('chartevents') });
      expect(again.result.outputs.features!.sha256).toBe(w.dirty.features.result.outputs.features!.sha256);
    },
  },
});
