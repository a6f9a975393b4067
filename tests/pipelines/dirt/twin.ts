/** Comparison with the clean twin: which faults may change which features, and that nothing else changes. */
import { expect } from 'vitest';
import { type Fault, FEATURES, inCohort, isSame, type World } from './world.js';

const ITEM =
  (itemid: number, also: RegExp) =>
  (name: string): boolean =>
    also.test(name) || FEATURES.find((f) => f.name === name)!.itemids.includes(itemid);
const COUNTS_OF_ROWS = /^lab_(specimen_count|abnormal_fraction)$/;

/** Faults whose right handling leaves another value than the clean row would give. All others must change nothing. */
const CHANGES: Readonly<Record<string, RegExp>> = {
  D11: /^(adm_(prior|days)|comorb_|score_)/,
  D16: /heart_rate|hr_gt110|shock_index|^score_/,
  D25: /resp_rate|rr_gt24|^score_/,
  D29: COUNTS_OF_ROWS,
  D34: COUNTS_OF_ROWS,
  D36: COUNTS_OF_ROWS,
  D43: COUNTS_OF_ROWS,
  D47: COUNTS_OF_ROWS,
  D38: /_temp(_|erature)|^score_/,
  D42: /height|bmi/,
  D48: /sbp|shock_index|pulse_pressure|^score_/,
  D58: /urine|^out_total|net_balance|^score_/,
  // A stay whose only output it is counts 0 rows, not none.
  D59: /^out_urine_count$/,
  D77: /language|insurance/,
  D98: /spo2|^score_/,
};
/** Rates written in another unit come back rounded. */
const ROUNDED: Readonly<Record<string, RegExp>> = {
  D54: /phenylephrine|vasopressin|ne_equivalent/,
  D55: /phenylephrine|ne_equivalent/,
};
/** Faults on or of a lab result that change what reads its itemid. */
const LAB_CHANGES = ['D23', 'D27', 'D32', 'D46'];
/** Faults on a result that the stay has; where it has none the generator draws one, and the itemid gains a value. */
const ON_A_RESULT = ['D17', 'D21', 'D33', 'D44', 'D89'];
/** Relative difference allowed for ROUNDED; rates are written with three decimals. */
const RATE_TOLERANCE = 2e-3;

interface Rule {
  readonly id: string;
  readonly covers: (name: string) => boolean;
  readonly tolerance: number;
}

/** Compares the features of both extracts. */
export interface Twin {
  /** Cells of these features that differ although no fault on the stay may change them. */
  unexplained(stays: readonly number[], names: RegExp): string[];
  /** The features of these faults' stays equal the clean run; cells that other faults of the stay change are left out. */
  same(faults: readonly Fault[], names: RegExp): void;
}

/** Reads which labs the ledger touched and which it added. */
export async function openTwin(w: World): Promise<Twin> {
  const items = new Map<number, number>();
  const inClean = new Set<number>();
  const wanted = w.faults.flatMap((f) => (f.key.labevent_id ? [Number(f.key.labevent_id)] : []));
  const read = (side: string): Promise<{ labevent_id: number; itemid: number }[]> =>
    w.sql(`select labevent_id, itemid from ${side}_labevents where labevent_id in (${wanted.join()})`);
  for (const r of await read('dirty')) items.set(r.labevent_id, r.itemid);
  for (const r of await read('clean')) inClean.add(r.labevent_id);

  const rules = new Map<number, Rule[]>();
  for (const fault of w.faults) {
    const stay = w.stayOf(fault);
    const rule = stay === undefined ? undefined : ruleOf(fault, items, inClean);
    if (rule) rules.set(stay!, [...(rules.get(stay!) ?? []), rule]);
  }

  const differs = (stay: number, name: string, own?: string): boolean | 'changed' => {
    const by = (rules.get(stay) ?? []).filter((r) => r.covers(name));
    if (by.some((r) => r.tolerance === Infinity && r.id !== own)) return 'changed';
    const [a, b] = [w.dirty.values.cell(stay, name), w.clean.values.cell(stay, name)];
    return !isSame(a, b, Math.max(1e-9, ...by.map((r) => (r.tolerance < 1 ? r.tolerance : 0))));
  };
  const show = (stay: number, name: string): string =>
    `${stay} ${name}: ${w.dirty.values.cell(stay, name)}, clean ${w.clean.values.cell(stay, name)}`;
  return {
    unexplained: (stays, names) =>
      FEATURES.filter((f) => names.test(f.name)).flatMap((f) =>
        stays.filter((stay) => differs(stay, f.name) === true).map((stay) => show(stay, f.name)),
      ),
    same(faults, names) {
      const features = FEATURES.filter((f) => names.test(f.name));
      expect(features.length).toBeGreaterThan(0);
      const found: string[] = [];
      let compared = 0;
      for (const { fault, stay } of inCohort(w, faults)) {
        for (const f of features) {
          const result = differs(stay, f.name, fault.id);
          if (result === true) found.push(show(stay, f.name));
          if (result !== 'changed') compared++;
        }
      }
      expect(found).toEqual([]);
      expect(compared).toBeGreaterThan(0.5 * faults.length * features.length);
    },
  };
}

function ruleOf(
  fault: Fault,
  items: ReadonlyMap<number, number>,
  inClean: ReadonlySet<number>,
): Rule | undefined {
  const { id } = fault;
  const labevent_id = Number(fault.key.labevent_id);
  const itemid = id === 'D23' ? 50971 : items.get(labevent_id);
  const fresh = ON_A_RESULT.includes(id) && itemid !== undefined && !inClean.has(labevent_id);
  if (LAB_CHANGES.includes(id) || fresh) {
    const covers = ITEM(itemid!, /^(score_|lab_(specimen_count|abnormal_fraction)$)/);
    return { id, covers, tolerance: Infinity };
  }
  if (CHANGES[id]) return { id, covers: (name) => CHANGES[id]!.test(name), tolerance: Infinity };
  if (ROUNDED[id]) return { id, covers: (name) => ROUNDED[id]!.test(name), tolerance: RATE_TOLERANCE };
  return undefined;
}
