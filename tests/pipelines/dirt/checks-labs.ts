/** Faults of laboratory results. */
import { expect } from 'vitest';
import {
  expectFeatures,
  isReadAlone,
  type LabRow,
  labPoints,
  labRows,
  labStatistics,
  limitsOf,
} from './recompute.js';
import type { Twin } from './twin.js';
import { type Checks, type Fault, FEATURES, inCohort, tally, type Values, type World } from './world.js';

interface Result {
  readonly labevent_id: number;
  readonly itemid: number;
  readonly hadm_id: number | null;
  readonly value: string | null;
  readonly valuenum: number | null;
  readonly valueuom: string | null;
  readonly comments: string | null;
}

/** The loaded rows that the ledger names. */
async function results(w: World, faults: readonly Fault[]): Promise<(fault: Fault) => Result | undefined> {
  const ids = faults.map((f) => f.key.labevent_id).join();
  const rows = await w.sql<Result>(
    `select labevent_id, itemid, hadm_id, value, valuenum, valueuom, comments from dirty_labevents where labevent_id in (${ids})`,
  );
  const byId = new Map(rows.map((r) => [r.labevent_id, r]));
  return (fault) => byId.get(Number(fault.key.labevent_id));
}

/** Numbers of one itemid give every feature that reads it alone. */
function expectItem(values: Values, stay: number, itemid: number, rows: readonly LabRow[]): void {
  expectFeatures(values, stay, [itemid], labStatistics(labPoints(rows, limitsOf(itemid))));
}

/** Checks every ledgered result: the item's features are those of the rows, and the result is among them. */
async function expectUsed(
  w: World,
  faults: readonly Fault[],
  changed: (row: Result, fault: Fault) => void,
): Promise<void> {
  const of = await results(w, faults);
  const rows = await labRows(w, 'dirty');
  for (const { fault, stay } of inCohort(w, faults)) {
    const row = of(fault)!;
    changed(row, fault);
    expect(row.valuenum).not.toBeNull();
    if (!isReadAlone(row.itemid)) continue;
    const own = rows(stay, row.itemid);
    expect(own.map((r) => r.labevent_id)).toContain(row.labevent_id);
    expectItem(w.dirty.values, stay, row.itemid, own);
  }
}

/** Per itemid, a counter of build-features equals the number of ledger rows. */
async function expectCounter(w: World, faults: readonly Fault[], name: string): Promise<void> {
  const of = await results(w, faults);
  const { counts } = w.dirty.features.result;
  for (const [itemid, n] of Object.entries(tally(faults, (f) => String(of(f)!.itemid)))) {
    expect([itemid, counts[`${name}.${itemid}`]]).toEqual([itemid, n]);
  }
}

/** Number of a text such as `>182*.`, `GREATER THAN 20 NG/ML.`, `NEG.` or `TR.`; trace as the registry says. */
function numberOf(row: LabRow, trace: number): number | null {
  if (row.valuenum !== null) return row.valuenum;
  const text = row.value ?? row.comments ?? '';
  if (text.startsWith('NEG')) return 0;
  if (text.startsWith('TR')) return trace;
  const limit = /^(?:>|GREATER THAN )(\d+)/.exec(text);
  return limit ? Number(limit[1]) : null;
}
const maximum = (rows: readonly LabRow[], trace = 0): number =>
  Math.max(...rows.map((r) => numberOf(r, trace)).filter((x) => x !== null));

const TEXT_ITEMS: Readonly<Record<number, string>> = {
  51492: 'lab_ua_protein_max',
  51516: 'lab_ua_wbc_max',
  51493: 'lab_ua_rbc_max',
  51003: 'lab_troponin_t_max',
};
/** Dipsticks: feature, itemid, what a trace counts. */
const STRIP: readonly [string, number, number][] = [
  ['lab_ua_protein_max', 51492, 10],
  ['lab_ua_glucose_max', 51478, 50],
  ['lab_ua_ketone_max', 51484, 5],
];

export const labChecks = (twin: Twin): Checks => ({
  D17: {
    says: 'filed after the first day: used by charttime, not by storetime, and nothing else differs',
    async run(w, faults) {
      const stored = await w.valuesWith({ availability: 'storetime' });
      const of = await results(w, faults);
      const rows = await labRows(w, 'dirty');
      const ledger = new Set<string>();
      for (const { fault, stay } of inCohort(w, faults)) {
        const { itemid, labevent_id, valuenum } = of(fault)!;
        expect(fault.expectation).toBe(`${itemid} = ${valuenum} only under availability charttime`);
        const own = rows(stay, itemid);
        const filed = own.filter((r) => r.is_filed);
        expect(own.filter((r) => !r.is_filed).map((r) => r.labevent_id)).toEqual([labevent_id]);
        expectItem(w.dirty.values, stay, itemid, own);
        expectItem(stored, stay, itemid, filed);
        ledger.add(`${stay} ${itemid}`);
      }
      const labs = FEATURES.filter(
        (f) => f.source_tables.join() === 'hosp.labevents' && f.itemids.length === 1,
      );
      const differing = labs.flatMap((f) =>
        stored
          .stays()
          .filter((s) => stored.cell(s, f.name) !== w.dirty.values.cell(s, f.name))
          .map((s) => `${s} ${f.itemids[0]}`),
      );
      expect(new Set(differing).size).toBeGreaterThan(faults.length / 2);
      expect(differing.filter((cell) => !ledger.has(cell))).toEqual([]);
    },
  },
  D18: {
    says: 'panel before entry: ignored with lookback 0, used with lookback 6',
    async run(w, faults) {
      const back = await w.valuesWith({ lab_lookback_hours: 6 });
      const of = await results(w, faults);
      const [day, early] = [await labRows(w, 'dirty'), await labRows(w, 'dirty', 6)];
      let compared = 0;
      for (const { fault, stay } of inCohort(w, faults)) {
        const { itemid, valuenum } = of(fault)!;
        const plain = /^(?:first value (\S+)|null) with lookback 0, (\S+) with lookback 6 h$/.exec(
          fault.expectation,
        )!;
        expect(Number(plain[2])).toBe(valuenum);
        if (!isReadAlone(itemid)) continue;
        expectItem(w.dirty.values, stay, itemid, day(stay, itemid));
        expectItem(back, stay, itemid, early(stay, itemid));
        const first = FEATURES.find((f) => f.itemids.join() === String(itemid) && f.statistic === 'first');
        if (!first) continue;
        compared++;
        expect([stay, w.dirty.values.cell(stay, first.name)]).toEqual([
          stay,
          plain[1] ? Number(plain[1]) : null,
        ]);
        expect([stay, back.cell(stay, first.name)]).toEqual([stay, valuenum]);
      }
      expect(compared).toBeGreaterThan(faults.length / 2);
    },
  },
  D21: {
    says: 'a result without hadm_id is joined by patient and time',
    run: (w, faults) => expectUsed(w, faults, (row) => expect(row.hadm_id).toBeNull()),
  },
  D23: {
    says: 'a result under the moved itemid is rejected with a message and used nowhere',
    async run(w, faults) {
      const rejects = await w.sql<{ key: string; expected: string }>(
        "from dirty_rejects where reason = 'itemid_moved' order by key",
      );
      expect(rejects.map((r) => r.key)).toEqual(faults.map((f) => `labevent_id=${f.key.labevent_id}`).sort());
      for (const r of rejects) expect(r.expected).toContain('50971');
      expect(w.dirty.loaded.result.counts.itemid_moved).toBe(faults.length);
      const of = await results(w, faults);
      const rows = await labRows(w, 'dirty');
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(of(fault)).toBeUndefined();
        expectItem(w.dirty.values, stay, 50971, rows(stay, 50971));
      }
    },
  },
  D27: {
    says: 'a corrected result: one value per specimen, the one filed last (the largest in the oracle profile)',
    async run(w, faults) {
      await expectUsed(w, faults, (row, fault) => expect(row.valuenum).toBe(Number(fault.dirty)));
      const oracle = await w.valuesWith({ profile: 'oracle' });
      const of = await results(w, faults);
      const rows = await labRows(w, 'dirty');
      let lower = 0;
      for (const { fault, stay } of inCohort(w, faults)) {
        const { itemid, labevent_id } = of(fault)!;
        const own = rows(stay, itemid);
        const { specimen_id } = own.find((r) => r.labevent_id === labevent_id)!;
        const pair = own.filter((r) => r.specimen_id === specimen_id);
        expect(pair.map((r) => r.valuenum).sort()).toEqual([Number(fault.clean), Number(fault.dirty)].sort());
        const name = FEATURES.find((f) => f.itemids.join() === String(itemid) && f.statistic === 'max')!.name;
        const largest = Math.max(Number(fault.clean), Number(fault.dirty));
        expect(fault.expectation).toBe(`${fault.dirty} (latest storetime); ${largest} in the oracle profile`);
        expect(oracle.cell(stay, name)).toBeGreaterThanOrEqual(largest);
        if (Number(fault.dirty) < Number(fault.clean)) lower++;
      }
      expect(lower).toBeGreaterThan(0);
      expect(lower).toBeLessThan(faults.length);
    },
  },
  D29: {
    says: 'impossible lactate, glucose and sodium are null, counted per item',
    async run(w, faults) {
      const of = await results(w, faults);
      const first: Record<number, string> = { 50813: 'F311', 50931: 'F221', 50983: 'F198' };
      const counted = tally(faults, (f) => first[of(f)!.itemid]!);
      for (const [feature, n] of Object.entries(counted)) {
        expect([feature, w.dirty.features.result.counts[`implausible.${feature}`]]).toEqual([feature, n]);
      }
      twin.same(faults, /^lab_(glucose|sodium)|^bg_lactate/);
    },
  },
  D31: {
    says: 'troponin below detection is half the limit and counted as censored; the number of the sentence is not taken',
    async run(w, faults) {
      const rows = await labRows(w, 'dirty');
      const names = ['first', 'last', 'max'].map((s) => `lab_troponin_t_${s}`);
      let alone = 0;
      for (const { stay } of inCohort(w, faults)) {
        const others = rows(stay, 51003).filter((r) => !r.comments?.startsWith('<0.01.'));
        if (others.length > 0) continue;
        alone++;
        expect([stay, ...names.map((n) => w.dirty.values.cell(stay, n))]).toEqual([
          stay,
          0.005,
          0.005,
          0.005,
        ]);
      }
      expect(alone).toBeGreaterThan(0.9 * faults.length);
      const censored = w.dirty.values
        .stays()
        .flatMap((stay) => rows(stay, 51003))
        .filter((r) => r.valuenum === null && /^(<|GREATER)/.test(r.comments ?? ''));
      expect(w.dirty.features.result.counts['censored.F258']).toBe(censored.length);
    },
  },
  D32: {
    says: 'results above a limit give the limit and are counted as censored',
    async run(w, faults) {
      const of = await results(w, faults);
      const rows = await labRows(w, 'dirty');
      for (const { fault, stay } of inCohort(w, faults)) {
        const row = of(fault)!;
        const limit = Number(/^value (\d+), censored above$/.exec(fault.expectation)![1]);
        const own = rows(stay, row.itemid);
        expect(numberOf(own.find((r) => r.labevent_id === row.labevent_id)!, 0)).toBe(limit);
        expect([stay, w.dirty.values.cell(stay, TEXT_ITEMS[row.itemid]!)]).toEqual([stay, maximum(own)]);
      }
      const protein = faults.filter((f) => of(f)!.itemid === 51492);
      expect(w.dirty.features.result.counts['censored.F299']).toBe(protein.length);
      expect(w.clean.features.result.counts['censored.F299']).toBeUndefined();
    },
  },
  D33: {
    says: 'value ___ beside a number: the number is used',
    run: (w, faults) => expectUsed(w, faults, (row) => expect(row.value).toBe('___')),
  },
  D34: {
    says: 'value ___ without a number is null, counted per item',
    async run(w, faults) {
      await expectCounter(w, faults, 'lab_without_number');
      twin.same(faults, /^lab_(potassium|creatinine|sodium)/);
    },
  },
  D35: {
    says: 'urine dipsticks: words in comments or value map to numbers',
    async run(w, faults) {
      const rows = await labRows(w, 'dirty');
      const { values } = w.dirty;
      for (const { fault, stay } of inCohort(w, faults)) {
        expect(`nitrite ${values.cell(stay, 'lab_ua_nitrite_any')}`).toBe(fault.expectation);
        for (const [name, itemid, trace] of STRIP) {
          expect([stay, name, values.cell(stay, name)]).toEqual([
            stay,
            name,
            maximum(rows(stay, itemid), trace),
          ]);
        }
        const esterase = rows(stay, 51486).some((r) => !(r.value ?? r.comments)!.startsWith('NEG'));
        expect(values.cell(stay, 'lab_ua_leukocyte_esterase_any')).toBe(esterase ? 1 : 0);
      }
      expect(new Set(faults.map((f) => f.column))).toEqual(new Set(['comments', 'value']));
      expect(new Set(faults.map((f) => f.expectation))).toEqual(new Set(['nitrite 0', 'nitrite 1']));
    },
  },
  D36: {
    says: 'fragments such as 35/. are no number and stop nothing',
    async run(w, faults) {
      const of = await results(w, faults);
      for (const f of faults) expect(of(f)!.valuenum).toBeNull();
      twin.same(faults, /^(?!lab_specimen_count)/);
    },
  },
  D43: {
    says: 'D-dimer of the other unit (52551) stays out',
    async run(w, faults) {
      const of = await results(w, faults);
      for (const f of faults) expect(of(f)!.itemid).toBe(52551);
      expect(FEATURES.filter((f) => f.itemids.includes(52551))).toEqual([]);
      twin.same(faults, /^lab_d_dimer/);
    },
  },
  D44: {
    says: 'MCHC in % and in g/dL is the same number',
    async run(w, faults) {
      await expectUsed(w, faults, (row) => expect(row.valueuom).toBe('%'));
      twin.same(
        faults.filter((f) => w.clean.values.cell(w.stayOf(f)!, 'lab_mchc_first') !== null),
        /^lab_mchc/,
      );
    },
  },
  D45: {
    says: 'C-reactive protein in mg/dL is multiplied by 10, counted',
    async run(w, faults) {
      for (const { fault, stay } of inCohort(w, faults)) {
        const mgL = Number(/^read as (\d+) mg\/L$/.exec(fault.expectation)![1]);
        expect(w.dirty.values.cell(stay, 'lab_crp_max')).toBeGreaterThanOrEqual(mgL);
      }
      twin.same(faults, /^lab_crp/);
      expect(w.dirty.features.result.counts['converted.F268']).toBe(faults.length);
    },
  },
  D46: {
    says: 'glucose of other fluids is not blood glucose',
    run: (_, faults) => twin.same(faults, /^(lab|bg)_glucose/),
  },
  D47: {
    says: 'venous gases enter no arterial feature',
    run: (_, faults) => twin.same(faults, /^bg_(pf_ratio|aado2|arterial)|^score_(sofa|lods|apsiii|sapsii)/),
  },
});
