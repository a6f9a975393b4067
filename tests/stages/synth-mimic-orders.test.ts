/** Orders of the synthetic extract: shape, links, and the evidence behind each order. */
import { beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../stages/lib/group-by.js';
import { madeOf, minutes, type Record_, read, STAYS, truthOf } from './synth-orders.fixture.js';

let truth: Record_[];
const rows = new Map<string, Record_[]>();
const table = (name: string): Record_[] => rows.get(name)!;
const main = (): Record_[] => table('hosp.prescriptions').filter((r) => r.drug_type === 'MAIN');
const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const earlier = (a: string, b: string): string => (a < b ? a : b);

const TABLES = [
  ...['prescriptions', 'pharmacy', 'poe', 'poe_detail', 'emar', 'labevents', 'admissions', 'transfers'].map(
    (name) => `hosp.${name}`,
  ),
  ...['hosp.procedures_icd', 'hosp.microbiologyevents', 'note.radiology'],
  ...['icu.chartevents', 'icu.outputevents', 'icu.procedureevents'],
];

beforeAll(async () => {
  const clean = await madeOf('clean');
  for (const name of TABLES) rows.set(name, read(clean, name));
  truth = truthOf(clean, 'orders.csv');
}, 300_000);

const admissions = new Map<string, Record_>();
function hospital(hadm_id: string): Record_ {
  if (admissions.size === 0) for (const r of table('hosp.admissions')) admissions.set(r.hadm_id!, r);
  return admissions.get(hadm_id)!;
}

/** When the evidence of an order ends: nothing from the first order of its moment on. */
function cutOf(t: Record_): string {
  if (cuts.size === 0) {
    for (const x of truth) {
      const key = `${x.hadm_id} ${x.starttime}`;
      cuts.set(key, earlier(cuts.get(key) ?? x.starttime!, x.ordertime!));
    }
  }
  return cuts.get(`${t.hadm_id} ${t.starttime}`)!;
}
const cuts = new Map<string, string>();

describe('orders', () => {
  it('are as many as in an admission of the open demo, at about thirty moments', () => {
    const perStay = [...groupBy(table('hosp.prescriptions'), (r) => r.hadm_id!).values()];
    const moments = [...groupBy(main(), (r) => r.hadm_id!).values()].map(
      (x) => new Set(x.map((r) => r.starttime)).size,
    );
    expect(perStay.length).toBe(STAYS);
    expect(mean(perStay.map((x) => x.length))).toBeGreaterThan(60);
    expect(mean(perStay.map((x) => x.length))).toBeLessThan(85);
    expect(middle(moments)).toBeGreaterThan(22);
    expect(middle(moments)).toBeLessThan(38);
    // Demo: 3,677 BASE of 18,087 rows.
    const base = table('hosp.prescriptions').filter((r) => r.drug_type === 'BASE').length;
    expect(base / table('hosp.prescriptions').length).toBeCloseTo(0.2, 1);
  });

  it('start on the full hour, most of them within the hour after they were written', () => {
    for (const r of table('hosp.prescriptions')) expect(r.starttime).toMatch(/:00:00$/);
    const lead = truth
      .filter((t) => t.kind === 'first')
      .map((t) => minutes(t.ordertime!, t.starttime!))
      .sort((a, b) => a - b);
    // Demo: quartiles 8 and 65 minutes, median 40.
    expect(middle(lead)).toBeGreaterThan(30);
    expect(middle(lead)).toBeLessThan(55);
    expect(lead[Math.floor(lead.length / 4)]).toBeLessThan(25);
    for (const t of truth) expect(t.ordertime! >= hospital(t.hadm_id!).admittime!, t.pharmacy_id).toBe(true);
  });

  it('stop at or after their start and not after the patient has gone', () => {
    for (const r of table('hosp.prescriptions')) {
      expect(r.stoptime! >= r.starttime!, r.pharmacy_id).toBe(true);
      expect(r.stoptime! <= hospital(r.hadm_id!).dischtime!, r.pharmacy_id).toBe(true);
    }
  });

  it('hold together: pharmacy, order system and administrations know the same ids', () => {
    const pharmacy = new Map(table('hosp.pharmacy').map((r) => [r.pharmacy_id, r]));
    const poe = new Map(table('hosp.poe').map((r) => [r.poe_id, r]));
    expect(pharmacy.size).toBe(table('hosp.pharmacy').length);
    expect(poe.size).toBe(table('hosp.poe').length);
    for (const r of table('hosp.prescriptions')) {
      const p = pharmacy.get(r.pharmacy_id)!;
      expect([p.hadm_id, p.starttime, p.stoptime, p.poe_id]).toEqual([
        r.hadm_id,
        r.starttime,
        r.stoptime,
        r.poe_id,
      ]);
      if (r.poe_id !== '') expect(poe.get(r.poe_id!)!.hadm_id).toBe(r.hadm_id);
    }
    const unlinked = main().filter((r) => r.poe_id === '').length / main().length;
    expect(unlinked).toBeGreaterThan(0);
    expect(unlinked).toBeLessThan(0.02);
    for (const r of table('hosp.emar')) {
      expect(pharmacy.get(r.pharmacy_id)!.poe_id).toBe(r.poe_id);
      expect(r.charttime! > poe.get(r.poe_id!)!.ordertime!, r.emar_id).toBe(true);
      expect(r.storetime! >= r.charttime!, r.emar_id).toBe(true);
    }
    for (const r of table('hosp.poe_detail'))
      expect(poe.get(r.poe_id!)!.order_type).toMatch(/^(ADT orders|General Care)$/);
  });

  it('name each other where one replaces or ends another', () => {
    const poe = new Map(table('hosp.poe').map((r) => [r.poe_id, r]));
    const byType = groupBy(table('hosp.poe'), (r) => r.transaction_type!);
    expect([...byType.keys()].sort()).toEqual(['Change', 'D/C', 'New']);
    for (const r of table('hosp.poe')) {
      if (r.discontinue_of_poe_id !== '') {
        const old = poe.get(r.discontinue_of_poe_id!)!;
        expect(old.discontinued_by_poe_id).toBe(r.poe_id);
        expect(old.ordertime! <= r.ordertime!, r.poe_id).toBe(true);
      }
      if (r.transaction_type === 'D/C') expect(r.discontinue_of_poe_id).not.toBe('');
      if (r.transaction_type === 'New') expect(r.discontinue_of_poe_id).toBe('');
    }
    // Demo: 0.13 of the orders for drugs are changes.
    const drugs = table('hosp.poe').filter(
      (r) => r.transaction_type !== 'D/C' && r.order_type !== 'ADT orders',
    );
    const changes = drugs.filter((r) => r.transaction_type === 'Change').length / drugs.length;
    expect(changes).toBeGreaterThan(0.08);
    expect(changes).toBeLessThan(0.28);
  });

  it('are entered again in batches of five to forty, long after their start', () => {
    const again = groupBy(
      truth.filter((t) => t.kind === 'reentry'),
      (t) => `${t.hadm_id} ${t.ordertime}`,
    );
    expect(again.size).toBe(Math.round(0.6 * STAYS));
    for (const batch of again.values()) {
      expect(batch.length).toBeGreaterThanOrEqual(5);
      expect(batch.length).toBeLessThanOrEqual(40);
      for (const t of batch) expect(minutes(t.starttime!, t.ordertime!)).toBeGreaterThan(60);
    }
  });

  it('are given in two thirds of the admissions', () => {
    expect(new Set(table('hosp.emar').map((r) => r.hadm_id)).size).toBe(STAYS - Math.round(0.34 * STAYS));
  });
});

describe('the evidence', () => {
  it('of every first order could be read before the cut of its moment', () => {
    const first = truth.filter((t) => t.kind === 'first');
    expect(first.length).toBeGreaterThan(10 * STAYS);
    for (const t of first) {
      expect(t.available_at! < cutOf(t), `${t.pharmacy_id} ${t.rule_id}`).toBe(true);
      expect(t.trigger_at! <= t.available_at!, t.pharmacy_id).toBe(true);
    }
  });

  it('stands in the row that the truth names, stored when the truth says', () => {
    const index = new Map<string, Map<string, Record_>>();
    const find = (name: string, key: string): Record_ | undefined => {
      const columns = key.split(';').map((x) => x.split('=')[0]!);
      const id = `${name} ${columns.join()}`;
      if (!index.has(id)) {
        const keyOf = (r: Record_): string => columns.map((c) => `${c}=${r[c]}`).join(';');
        index.set(id, new Map(table(name).map((r) => [keyOf(r), r])));
      }
      return index.get(id)!.get(key);
    };
    const named = truth.filter(
      (t) => t.role === 'REASONED_NEW' && /^(hosp|icu|note)\./.test(t.trigger_table!),
    );
    expect(named.length).toBeGreaterThan(2 * STAYS);
    const counts = groupBy(named, (t) => t.trigger_table!);
    for (const name of ['hosp.labevents', 'icu.chartevents', 'hosp.prescriptions'])
      expect(counts.get(name)!.length, name).toBeGreaterThan(20);
    for (const t of named) {
      const row = find(t.trigger_table!, t.trigger_key!);
      expect(row, `${t.trigger_table} ${t.trigger_key}`).toBeDefined();
      if (/labevents|chartevents|outputevents|radiology/.test(t.trigger_table!))
        expect(row!.storetime, t.trigger_key).toBe(t.trigger_at);
    }
  });

  // Rules that ask blood tests alone: item of the rule, and what the last value before the cut must be.
  const LAB_RULES: readonly [string, string, (v: number) => boolean][] = [
    ['R001', '50971', (v) => v < 3.3],
    ['R002', '50971', (v) => v < 3.6],
    ['R003', '50960', (v) => v < 1.8],
    ['R005', '50970', (v) => v < 2],
    ['R014', '50931', (v) => v > 180],
    ['R018', '50931', (v) => v < 60],
    ['R020', '50813', (v) => v > 2.4],
  ];
  it.each(LAB_RULES)('of %s is the last value of %s before the cut', (rule, itemid, isMet) => {
    const labs = groupBy(
      table('hosp.labevents').filter((r) => r.itemid === itemid && r.valuenum !== ''),
      (r) => r.hadm_id!,
    );
    const orders = truth.filter((t) => t.kind === 'first' && t.rule_id === rule);
    expect(orders.length).toBeGreaterThan(3);
    for (const t of orders) {
      const before = labs.get(t.hadm_id!)!.filter((r) => r.storetime! < cutOf(t));
      const last = before.reduce((a, b) => (b.storetime! >= a.storetime! ? b : a));
      expect(isMet(Number(last.valuenum)), t.pharmacy_id).toBe(true);
    }
  });

  it('never shows an absolute contraindication: potassium, glucose, platelets', () => {
    const forbidden: readonly [RegExp, string, (v: number) => boolean][] = [
      [/^kcl_/, '50971', (v) => v > 5.3],
      [/^insulin_/, '50931', (v) => v < 70],
      [/^(heparin_gtt|warfarin)$/, '51265', (v) => v < 30],
      [/^(kphos_iv|neutra_phos)$/, '50970', (v) => v > 4.5],
    ];
    const labs = groupBy(table('hosp.labevents'), (r) => `${r.hadm_id} ${r.itemid}`);
    let seen = 0;
    for (const [drug, itemid, isWrong] of forbidden) {
      for (const t of truth.filter((x) => x.kind === 'first' && drug.test(x.drug_key!))) {
        if (t.drug_key === 'insulin_hyperk') continue;
        const before = (labs.get(`${t.hadm_id} ${itemid}`) ?? []).filter(
          (r) => r.valuenum !== '' && r.storetime! < cutOf(t) && minutes(r.storetime!, cutOf(t)) < 72 * 60,
        );
        if (before.length === 0) continue;
        seen++;
        const last = before.reduce((a, b) => (b.storetime! >= a.storetime! ? b : a));
        expect(isWrong(Number(last.valuenum)), `${t.pharmacy_id} ${t.drug_key}`).toBe(false);
      }
    }
    expect(seen).toBeGreaterThan(STAYS);
  });

  it('gives many drugs a reason, and decisions in all thirds of the admission', () => {
    const reasoned = truth.filter((t) => t.kind === 'first' && t.role === 'REASONED_NEW');
    expect(new Set(reasoned.map((t) => t.drug_key)).size).toBeGreaterThan(70);
    const third = (t: Record_): number => {
      const { admittime, dischtime } = hospital(t.hadm_id!);
      return Math.min(
        2,
        Math.floor((3 * minutes(admittime!, t.ordertime!)) / minutes(admittime!, dischtime!)),
      );
    };
    for (const n of [0, 1, 2])
      expect(reasoned.filter((t) => third(t) === n).length).toBeGreaterThan(STAYS / 5);
  });
});
