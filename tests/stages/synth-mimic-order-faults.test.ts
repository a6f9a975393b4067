/** Faults of orders: what the ledger says stands in the files, and nothing else differs from the clean extract. */
import { beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../stages/lib/group-by.js';
import type { StageRun } from '../support/stage.js';
import { madeOf, minutes, type Record_, read, textOf, truthOf } from './synth-orders.fixture.js';

let dirty: StageRun;
let plain: Record_[];
const main = (): Record_[] => plain.filter((r) => r.drug_type === 'MAIN');

beforeAll(async () => {
  plain = read(await madeOf('clean'), 'hosp.prescriptions');
  dirty = await madeOf('dirty');
}, 300_000);

describe('faults of orders', () => {
  let spoilt: Record_[];
  let ledger: Map<string, Record_[]>;
  const byId = (id: string): Record_[] => ledger.get(id)!;
  const keyOf = (r: Record_): string => `pharmacy_id=${r.pharmacy_id};drug_type=${r.drug_type}`;
  const at = (e: Record_): Record_[] => index.get(e.key!) ?? [];
  let index: Map<string, Record_[]>;
  beforeAll(() => {
    spoilt = read(dirty, 'hosp.prescriptions');
    ledger = groupBy(truthOf(dirty, 'dirty_ledger.csv'), (e) => e.dirty_id!);
    index = groupBy(spoilt, keyOf);
  });

  /** D60 and D88 change when procedures and reports of a subject can be read, and with it what is ordered when. */
  const isMoved = (r: Record_): boolean =>
    ['D60', 'D88'].some((id) => (ledger.get(id) ?? []).some((e) => e.subject_id === r.subject_id));

  it('leave all other orders as they are in the clean extract', () => {
    const cleanRows = new Map(plain.map((r) => [`${keyOf(r)} ${r.formulary_drug_cd}`, r]));
    const noted = new Map<string, Set<string>>();
    for (const e of [...ledger.values()].flat().filter((x) => x.table === 'hosp.prescriptions'))
      noted.set(e.key!, (noted.get(e.key!) ?? new Set()).add(e.column!));
    for (const r of spoilt.filter((x) => !isMoved(x))) {
      const before = cleanRows.get(`${keyOf(r)} ${r.formulary_drug_cd}`);
      const columns = noted.get(keyOf(r)) ?? new Set();
      if (!before) {
        expect(columns.has('starttime') || columns.has('drug') || withdrawn(r), keyOf(r)).toBe(true);
        continue;
      }
      for (const [name, value] of Object.entries(before)) {
        // Carrier rows stop with their order, and D76 takes gsn with ndc.
        if (value !== r[name] && !(name === 'stoptime' || name === 'gsn'))
          expect(columns.has(name), `${keyOf(r)} ${name}`).toBe(true);
      }
    }
  });
  const withdrawn = (r: Record_): boolean => byId('D74').some((e) => e.key === `poe_id=${r.poe_id}`);

  it('D61: stop before they start', () => {
    for (const e of byId('D61')) for (const r of at(e)) expect(r.stoptime! < r.starttime!).toBe(true);
    const wrong = spoilt.filter(
      (r) => r.drug_type === 'MAIN' && r.starttime !== '' && r.stoptime! < r.starttime!,
    );
    expect(wrong.length).toBe(byId('D61').length);
  });

  it('D63 and D67: lack a start or a drug', () => {
    expect(spoilt.filter((r) => r.starttime === '').length).toBe(byId('D63').length);
    expect(spoilt.filter((r) => r.drug === '').length).toBe(byId('D67').length);
  });

  it('D65: doses that do not cast, with low and high as the ledger reads them', () => {
    for (const e of byId('D65')) {
      const [r] = at(e);
      expect(Number.isNaN(Number(r!.dose_val_rx))).toBe(true);
      const [low, high = low] = r!.dose_val_rx!.replaceAll(',', '').split('-').map(Number);
      expect(e.expectation).toBe(`low ${low}, high ${high}`);
    }
  });

  it('D66: names that fold to the clean one', () => {
    const fold = (x: string): string => x.trim().replace(/\s+/g, ' ').toLowerCase();
    for (const e of byId('D66')) {
      expect(e.dirty_value).not.toBe(e.clean_value);
      expect(fold(e.dirty_value!)).toBe(fold(e.clean_value!));
    }
  });

  it('D68: one to three parts beside the drug of an order', () => {
    const parts = groupBy(spoilt, (r) => r.pharmacy_id!);
    for (const e of byId('D68')) {
      const others = parts.get(at(e)[0]!.pharmacy_id!)!.filter((r) => r.drug_type !== 'MAIN').length;
      expect(others).toBeGreaterThanOrEqual(1);
      expect(others).toBeLessThanOrEqual(3);
    }
  });

  it('D71: the same drug, dose and route within a day of the end of the order before', () => {
    const byStay = groupBy(main(), (r) => r.hadm_id!);
    const own = new Map(main().map((r) => [keyOf(r), r]));
    for (const e of byId('D71').filter((x) => !isMoved(x))) {
      const r = own.get(e.key!)!;
      const isBefore = (o: Record_): boolean =>
        o.drug === r.drug &&
        o.dose_val_rx === r.dose_val_rx &&
        o.route === r.route &&
        o.starttime! < r.starttime!;
      const gaps = byStay
        .get(r.hadm_id!)!
        .filter(isBefore)
        .map((o) => minutes(o.stoptime!, r.starttime!));
      expect(
        gaps.some((g) => g >= 0 && g <= 24 * 60),
        e.key,
      ).toBe(true);
    }
  });

  it('D73: written at another minute than they start', () => {
    for (const e of byId('D73')) {
      expect(e.dirty_value).toMatch(/:00:00$/);
      expect(e.clean_value).not.toMatch(/:00:00$/);
    }
  });

  it('D74: withdrawn within half an hour and never given', () => {
    const poe = new Map(read(dirty, 'hosp.poe').map((r) => [r.poe_id, r]));
    const given = new Set(read(dirty, 'hosp.emar').map((r) => r.poe_id));
    for (const e of byId('D74')) {
      const order = poe.get(e.key!.split('=')[1]!)!;
      const end = poe.get(order.discontinued_by_poe_id!)!;
      expect(end.discontinue_of_poe_id).toBe(order.poe_id);
      expect(minutes(order.ordertime!, end.ordertime!)).toBeLessThan(30);
      expect(given.has(order.poe_id)).toBe(false);
    }
  });

  it('D76 and D90: no product code, and an empty text beside a null', () => {
    expect(spoilt.filter((r) => r.ndc === '0').length).toBe(byId('D76').length);
    const quoted = textOf(dirty, 'hosp.prescriptions').split('""').length - 1;
    expect(quoted).toBe(byId('D90').length);
  });

  it('D99: infusions stand there as the content of a bag', () => {
    for (const e of byId('D99')) expect(at(e)[0]!.route).toBe('IV DRIP');
  });
});
