/** What must hold for any rows: nothing after the window counts, order and threads do not matter, storetime hides what was filed late. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import type { SqlRow } from '../../stages/contract.js';
import { randomStream } from '../../stages/lib/random.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';
import {
  admission,
  at,
  type Case,
  chart,
  END,
  featuresOf,
  input,
  lab,
  output,
  procedure,
  type Row,
  runOn,
  service,
  specimen,
  tablesOf,
} from './build-features-support.js';

const registry = parseRegistry(readFileSync(REGISTRY_FILE, 'utf8'));
const itemsOf = (table: string): number[] => {
  const items = registry.filter((f) => f.source_tables.includes(table)).flatMap((f) => f.itemids);
  const range = table === 'hosp.labevents' ? [50_000, 53_999] : [220_000, 239_999];
  return [...new Set(items)].filter((i) => i >= range[0]! && i <= range[1]!).sort((a, b) => a - b);
};
/** A number within the limits of the first feature that names the itemid. */
function plausible(itemid: number): number {
  const { plausible_low: low, plausible_high: high } = registry.find((f) => f.itemids.includes(itemid))!;
  return low! + Math.round(random.float() * (high! - low!) * 100) / 100;
}
const HEIGHTS = new Set([226730, 226707]);
const TEXTS = [
  'AF (Atrial Fibrillation)',
  'Endotracheal tube',
  'Bipap mask ',
  'No Response-ETT',
  'Positive',
  '3mm',
  'CMV/ASSIST',
  'DNR / DNI',
];

const random = randomStream(7, 'build-features', 'events');
const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;

/** Random rows of every event table with starts in [from, to) minutes; some are filed hours later. */
function events(from: number, to: number, n: number): Row[] {
  const time = (): number => from + random.below(to - from);
  const late = (minute: number): SqlRow => ({ storetime: at(minute + pick([0, 30, 900])) });
  const charts = itemsOf('icu.chartevents').filter((i) => !HEIGHTS.has(i));
  const labs = itemsOf('hosp.labevents');
  const rows: Row[] = [];
  for (let k = 0; k < n; k++) {
    for (const itemid of charts) {
      if (random.below(4) > 0) continue;
      const minute = time();
      rows.push(chart(itemid, minute, random.below(3) ? plausible(itemid) : pick(TEXTS), late(minute)));
    }
    const specimen_id = specimen();
    const drawn = time();
    rows.push(lab(52033, drawn, 'ART.', { specimen_id, ...late(drawn) }));
    for (const itemid of labs) {
      if (itemid === 52033 || random.below(4) > 0) continue;
      const censored = random.below(5) === 0;
      rows.push(
        lab(itemid, drawn, censored ? null : plausible(itemid), {
          specimen_id,
          comments: censored ? pick(['<5.', 'NEG.', 'TR.', '>30.']) : null,
          ...late(drawn),
        }),
      );
    }
    for (const itemid of itemsOf('icu.inputevents')) {
      if (random.below(6) > 0) continue;
      const minute = time();
      const is_rate = random.below(2) === 0;
      rows.push(
        input(itemid, minute, minute + 1 + random.below(200), {
          amount: 1 + random.below(50),
          amountuom: pick(['ml', 'mg', 'units', 'mEq', 'grams']),
          rate: is_rate ? random.below(100) / 50 : null,
          rateuom: is_rate ? 'mcg/kg/min' : null,
          ...late(minute),
        }),
      );
    }
    for (const itemid of itemsOf('icu.outputevents')) {
      const minute = time();
      if (random.below(6) === 0) rows.push(output(itemid, minute, random.below(900), late(minute)));
    }
    for (const itemid of itemsOf('icu.procedureevents')) {
      const minute = time();
      if (random.below(8) === 0)
        rows.push(procedure(itemid, minute, minute + 1 + random.below(300), late(minute)));
    }
  }
  return rows;
}

/** Stays of different density; the last has nothing at all before the window ends. */
const quiet: Case = { name: 'quiet', expect: {} };
const cases: Case[] = [1, 2, 3, 6].map((n) => ({
  name: `${n}`,
  rows: [chart(226730, 20, 170), ...events(-500, END, n)],
  expect: {},
}));
const later = (): Row[] => [
  ...events(END, END + 2000, 3),
  chart(226512, END, 70),
  ...admission(END + 20_000, END + 30_000, [['4280', 9]]),
  service(END, 'TRAUM'),
  [
    'icustays',
    {
      stay_id: 38_000_000 + random.below(900_000),
      intime: at(END + 3000),
      outtime: at(END + 4000),
      los: 1,
      first_careunit: 'Neuro',
      last_careunit: 'Neuro',
    },
  ],
];

describe('nothing after the window counts', () => {
  it('rows planted after the window change no feature, of busy stays and of one without any rows', async () => {
    const before = await featuresOf([...cases, quiet]);
    const after = await featuresOf(
      [...cases, quiet].map((c) => ({ ...c, rows: [...(c.rows ?? []), ...later()] })),
    );
    for (const c of [...cases, quiet]) expect(after.of(c.name)).toEqual(before.of(c.name));
    const filled = FEATURE_IDS.filter((id) => before.of('6')[id] !== null).length;
    expect(filled).toBeGreaterThan(330);
  });

  it('sees the same rows when they lie inside', async () => {
    const inside = await featuresOf([{ ...quiet, rows: events(0, END, 3) }]);
    const outside = await featuresOf([{ ...quiet, rows: events(END, END + 10, 3) }]);
    const filled = (row: SqlRow): number => FEATURE_IDS.filter((id) => row[id] !== null).length;
    expect(filled(inside.of('quiet'))).toBeGreaterThan(filled(outside.of('quiet')) + 150);
  });
});

describe('availability: storetime', () => {
  it('equals leaving out what was filed after the window', async () => {
    const filed = (row: Row): boolean => String(row[1].storetime) < at(END);
    const all = await featuresOf(cases, { availability: 'storetime' });
    const cut = await featuresOf(cases.map((c) => ({ ...c, rows: c.rows!.filter(filed) })));
    const plain = await featuresOf(cases);
    for (const c of cases) expect(all.of(c.name)).toEqual(cut.of(c.name));
    expect(all.of('6')).not.toEqual(plain.of('6'));
  });
});

describe('same bytes', () => {
  let reference: { features: string; feature_report: string };
  const hashes = async (tables: Record<string, SqlRow[]>, workers: number) => {
    const { outputs } = (await runOn(tables, {}, workers)).result;
    return { features: outputs.features!.sha256, feature_report: outputs.feature_report!.sha256 };
  };
  const tables = tablesOf([...cases, quiet]);
  beforeAll(async () => {
    reference = await hashes(tables, 1);
  });

  it('with rows in another order', async () => {
    const order = randomStream(3, 'build-features', 'shuffle');
    const shuffled = Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [
        name,
        rows
          .map((row) => [order.float(), row] as const)
          .sort(([a], [b]) => a - b)
          .map(([, row]) => row),
      ]),
    );
    expect(await hashes(shuffled, 1)).toEqual(reference);
  });

  it('with 3 threads', async () => {
    expect(await hashes(tables, 3)).toEqual(reference);
  });
});

describe('laboratory look-back and the oracle profile', () => {
  const HR = 220045;
  const edges: Case = {
    name: 'edges',
    stay: { intime: `${at(0).slice(0, 17)}30` },
    rows: [
      chart(HR, -360, 50),
      chart(HR, -359, 60),
      chart(HR, 0, 70),
      chart(HR, END, 80),
      chart(HR, END + 1, 90),
      lab(50983, -361, 130),
      lab(50983, -359, 131),
      lab(50983, 1, 140),
      lab(50983, END, 150),
    ],
    expect: {},
  };

  it('look-back brings in earlier laboratory values only', async () => {
    const row = (await featuresOf([edges], { lab_lookback_hours: 6 })).of('edges');
    expect([row.F200, row.F201, row.F089, row.F090]).toEqual([131, 140, 70, 70]);
  });

  it('oracle starts 6 h before the second of intime and includes the last instant', async () => {
    const row = (await featuresOf([edges], { profile: 'oracle', lab_lookback_hours: 6 })).of('edges');
    expect([row.F200, row.F201, row.F089, row.F090]).toEqual([131, 150, 60, 80]);
  });

  it('refuses an unknown profile', async () => {
    await expect(runOn({}, { profile: 'paper' })).rejects.toThrow(/benchmark.*oracle/s);
  });
});
