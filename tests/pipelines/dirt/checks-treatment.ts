/** Faults of inputs, outputs, procedures and outpatient measurements. */
import { expect } from 'vitest';
import type { Twin } from './twin.js';
import { type Checks, type Fault, FEATURES, inCohort, isSame, type World } from './world.js';

const DAY = 86_400_000;
const time = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

interface Interval {
  readonly stay_id: number;
  readonly orderid: number;
  readonly starttime: string;
  readonly endtime: string;
  readonly amount: number;
  readonly t0: string;
}

/** Share of an interval that lies in the first day. */
function share(i: Interval): number {
  const [from, to, t0] = [time(i.starttime), time(i.endtime), time(i.t0)];
  return Math.max(0, Math.min(to, t0 + DAY) - Math.max(from, t0)) / (to - from);
}

const itemidsOf = (name: string): string => FEATURES.find((f) => f.name === name)!.itemids.join();

function intervals(w: World, table: string, amount: string, itemids: string): Promise<Interval[]> {
  return w.sql<Interval>(`
    select e.stay_id, e.orderid, cast(e.starttime as varchar) as starttime, cast(e.endtime as varchar) as endtime,
      ${amount} as amount, cast(c.t0 as varchar) as t0
    from dirty_${table} e join dirty_cohort c using (stay_id)
    where e.itemid in (${itemids}) and e.statusdescription <> 'Rewritten'`);
}

/** Rates that a fault wrote in another unit come back as the clean ones, but for their three decimals. */
function expectRates(w: World, twin: Twin, faults: readonly Fault[]): void {
  twin.same(faults, /^trt_(norepinephrine|phenylephrine|vasopressin)_max|^trt_(ne_equivalent|vasopressor)/);
  for (const { stay } of inCohort(w, faults)) {
    expect(w.dirty.values.cell(stay, 'trt_phenylephrine_max')).toBeGreaterThan(0);
  }
}

export const treatmentChecks = (twin: Twin): Checks => ({
  D30: {
    says: 'outpatient values beyond the limits are dropped: the body mass index is the last sound one',
    async run(w, faults) {
      for (const stay of w.dirty.values.stays()) {
        const bmi = w.dirty.values.cell(stay, 'demo_bmi');
        if (bmi !== null) expect(bmi >= 10 && bmi <= 80).toBe(true);
      }
      const sound = await w.sql<{ subject_id: number; bmi: number }>(`
        select o.subject_id, arg_max(cast(o.result_value as double), o.chartdate) as bmi
        from dirty_omr o join dirty_cohort c using (subject_id)
        where o.result_name = 'BMI (kg/m2)' and o.chartdate < cast(c.admittime as date)
          and cast(o.result_value as double) between 10 and 80 group by o.subject_id`);
      const bmis = new Map(sound.map((r) => [r.subject_id, r.bmi]));
      const found = inCohort(w, faults).map(({ fault, stay }) => {
        expect(w.dirty.values.cell(stay, 'demo_height_cm')).toBeNull();
        expect([stay, w.dirty.values.cell(stay, 'demo_bmi')]).toEqual([
          stay,
          bmis.get(fault.subject_id) ?? null,
        ]);
        return fault.key.result_name === 'BMI (kg/m2)' && bmis.has(fault.subject_id);
      });
      expect(found).toContain(true);
      twin.same(faults, /bmi|height|weight/);
    },
  },
  D54: {
    says: 'norepinephrine in mg/kg/min, phenylephrine in mcg/min and vasopressin in units/min are converted and counted',
    run(w, faults) {
      expectRates(w, twin, faults);
      const of = (unit: string): number => faults.filter((f) => f.dirty!.endsWith(unit)).length;
      const { counts } = w.dirty.features.result;
      const heavy = w.faults.filter((f) => f.id === 'D55').length;
      expect(counts['converted.F381']).toBe(of(' mcg/min') + heavy);
      expect(counts['converted.F382']).toBe(of(' units/min'));
      expect(of('mg/kg/min')).toBeGreaterThan(0);
    },
  },
  D55: {
    says: 'a drip with patientweight 0 or 1 uses the weight of the stay',
    async run(w, faults) {
      expectRates(w, twin, faults);
      for (const { fault, stay } of inCohort(w, faults)) {
        const [, rate, kg] = /^rate (\S+) mcg\/min over the stay's (\S+) kg$/.exec(fault.expectation)!;
        expect(Number(fault.dirty)).toBeLessThan(2);
        const highest = w.dirty.values.cell(stay, 'trt_phenylephrine_max')!;
        expect(highest).toBeGreaterThanOrEqual((Number(rate) / Number(kg)) * (1 - 1e-9));
        expect(highest).toBeLessThan(18.2);
      }
    },
  },
  D56: {
    says: 'an infusion across the end of the first day counts with its share',
    async run(w, faults) {
      const name = 'trt_crystalloid_ml_total';
      const rows = await intervals(w, 'inputevents', 'e.amount', itemidsOf(name));
      for (const { fault, stay } of inCohort(w, faults)) {
        const inside = Number(/^(\S+) mL of it lie inside the first day$/.exec(fault.expectation)![1]);
        const own = rows.filter((r) => r.stay_id === stay && r.endtime > r.starttime);
        const crossing = own.find((r) => r.orderid === Number(fault.key.orderid))!;
        expect(isSame(crossing.amount * share(crossing), inside, 1e-3)).toBe(true);
        const others = own.filter((r) => r !== crossing).reduce((sum, r) => sum + r.amount * share(r), 0);
        const total = w.dirty.values.cell(stay, name);
        expect([stay, isSame(total, others + inside, 1e-3), total]).toEqual([stay, true, total]);
      }
    },
  },
  D57: {
    says: 'rewritten orders are left out of every sum and counted',
    run(w, faults) {
      expect(w.dirty.features.result.counts['input_row.rewritten_order']).toBe(faults.length);
      expect(w.clean.features.result.counts['input_row.rewritten_order']).toBeUndefined();
      twin.same(faults, /^trt_/);
    },
  },
  D58: {
    says: 'irrigant that went in is subtracted from urine',
    run(w, faults) {
      for (const { fault, stay } of inCohort(w, faults)) {
        const net = Number(/^counts as (\d+) mL with/.exec(fault.expectation)![1]);
        const [dirty, clean] = [w.dirty, w.clean].map((s) => s.values.cell(stay, 'out_urine_total'));
        expect(isSame(dirty!, (clean ?? 0) + net)).toBe(true);
      }
    },
  },
  D59: {
    says: 'a urine row above 5000 mL is null and counted',
    run(w, faults) {
      expect(w.dirty.features.result.counts['output_row.implausible']).toBe(faults.length);
      expect(w.clean.features.result.counts['output_row.implausible']).toBeUndefined();
      twin.same(faults, /^out_(urine_(total|ml|first)|total)|net_balance/);
      for (const { stay } of inCohort(w, faults)) {
        const [dirty, clean] = [w.dirty, w.clean].map((s) => s.values.cell(stay, 'out_urine_count'));
        expect(dirty).toBe(clean ?? 0);
      }
    },
  },
  D60: {
    says: 'hours of ventilation come from start and end, whatever unit the value has',
    async run(w, faults) {
      const rows = await intervals(w, 'procedureevents', 'e.value', '225792');
      for (const { fault, stay } of inCohort(w, faults)) {
        const own = rows.filter((r) => r.stay_id === stay);
        const row = own.find((r) => r.orderid === Number(fault.key.orderid))!;
        expect(fault.expectation).toBe(`hours from ${row.starttime} to ${row.endtime}`);
        const hours = own.reduce(
          (sum, r) => sum + (share(r) * (time(r.endtime) - time(r.starttime))) / 3_600_000,
          0,
        );
        expect([stay, isSame(w.dirty.values.cell(stay, 'trt_invasive_vent_hours'), hours)]).toEqual([
          stay,
          true,
        ]);
      }
      twin.same(faults, /vent_hours/);
    },
  },
  D62: {
    says: 'an interval that ends before it begins is rejected, reason negative_interval',
    async run(w, faults) {
      const rejects = await w.sql<{ got: string }>("from dirty_rejects where reason = 'negative_interval'");
      expect(rejects.map((r) => r.got).sort()).toEqual(faults.map((f) => f.dirty).sort());
      const ids = faults.map((f) => f.key.orderid).join();
      expect(await w.sql(`from dirty_inputevents where orderid in (${ids})`)).toEqual([]);
      twin.same(faults, /^trt_/);
    },
  },
});
