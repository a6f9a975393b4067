/** Every edge of every band: exactly on it and just beside it, against the points written down apart from the CSV files. */
import { describe, expect, test } from 'vitest';
import { SCORE_DATA_FILES, scoreTables } from '../../stages/build-features/scores/tables.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { acidBase, neurologic, published } from './build-features-scores-published.js';
import { openBase, readFile } from './build-features-scores-support.js';

const HERE = 'stages/build-features/scores';
/** Readings are rounded to the sixth decimal: this is the nearest neighbour that differs. */
const BESIDE = 0.000001;

interface Reading {
  readonly score: string;
  readonly item: string;
  readonly value: number;
  readonly value_2: number | null;
  readonly expected: number | null;
}

/** Points that the SQL gives to readings, in their order. */
async function lookUp(readings: readonly Reading[]): Promise<(number | null)[]> {
  const session = await openBase({});
  try {
    for (const { schema, rows } of scoreTables(readFile, readFile('raw/mimic/feature-registry.csv'))) {
      await session.insert(schema.name, schema, rows);
    }
    await session.run(
      'create table score_input (stay_id integer, score varchar, slot integer, item varchar, value double, value_2 double)',
    );
    const values = readings.map(
      (r, i) => `(${i}, '${r.score}', 0, '${r.item}', ${r.value}::double, ${r.value_2 ?? 'null'})`,
    );
    await session.run(`insert into score_input values ${values.join(', ')}`);
    await session.run(readFile(`${HERE}/score-parts.sql`));
    const found = await session.rows<{ stay_id: number; points: number }>(
      'select stay_id, points from score_part',
    );
    const points = new Map(found.map((f) => [f.stay_id, f.points]));
    return readings.map((_, i) => points.get(i) ?? null);
  } finally {
    session.close();
  }
}

const bandFiles = SCORE_DATA_FILES.filter((f) => f.includes('/points/') && !/grids|normals/.test(f));
const bands = bandFiles.flatMap((file) => parseCsv(readFile(file), file));

describe('bands', () => {
  test('the files hold exactly the scores and items of the publications', () => {
    const items = new Set(bands.map((b) => `${b.score} ${b.item}`));
    const expected = Object.entries(published).flatMap(([score, of]) =>
      Object.keys(of).map((item) => `${score} ${item}`),
    );
    expect([...items].sort()).toEqual(expected.sort());
  });

  test('the bands of an item leave no hole and do not overlap', () => {
    for (const key of new Set(bands.map((b) => `${b.score}/${b.item}`))) {
      const own = bands.filter((b) => `${b.score}/${b.item}` === key);
      expect(own[0]!.low, `${key} starts open`).toBe('');
      expect(own.at(-1)!.high, `${key} ends open`).toBe('');
      for (let i = 1; i < own.length; i++) {
        expect(own[i]!.low, key).toBe(own[i - 1]!.high);
        expect(
          Number(own[i]!.low_inclusive) + Number(own[i - 1]!.high_inclusive),
          `${key} at ${own[i]!.low}`,
        ).toBe(1);
        if (i > 1) expect(Number(own[i]!.low)).toBeGreaterThan(Number(own[i - 1]!.low));
      }
    }
  });

  test('every row names its publication', () => {
    for (const b of bands) expect(b.source).toMatch(/\b(19|20)\d\d doi:10\.\d{4,5}\/\S+/);
  });

  test('on each edge and just beside it', async () => {
    const edges = bands.filter((b) => b.low !== '');
    const readings = edges.flatMap(({ score, item, low }) =>
      [Number(low) - BESIDE, Number(low), Number(low) + BESIDE].map((value) => ({
        score: score!,
        item: item!,
        value,
        value_2: null,
        expected: published[score!]![item!]!(isFlag(score!, item!) ? Math.floor(value) : value),
      })),
    );
    expect(edges.length).toBeGreaterThan(240);
    const got = await lookUp(readings);
    const wrong = readings.filter((r, i) => got[i] !== r.expected);
    expect(wrong).toEqual([]);
  });

  test('far below and far above', async () => {
    const readings = Object.entries(published).flatMap(([score, items]) =>
      Object.entries(items).flatMap(([item, points]) =>
        [0, 1, 7, 50, 1e5].map((value) => ({
          score,
          item,
          value,
          value_2: null,
          expected: points(isFlag(score, item) ? Math.min(1, value) : value),
        })),
      ),
    );
    const got = await lookUp(readings);
    expect(readings.filter((r, i) => got[i] !== r.expected)).toEqual([]);
  });
});

/** Items that are yes or no; between them lies no value, so the test asks for the floor. */
function isFlag(score: string, item: string): boolean {
  const ofSaps = [
    'aids',
    'hematologic_malignancy',
    'metastatic_cancer',
    'medical',
    'scheduled_surgical',
    'unscheduled_surgical',
  ];
  const ofOasis = ['ventilated', 'elective_surgery'];
  return (
    score === 'charlson' ||
    (score === 'saps_ii' && ofSaps.includes(item)) ||
    (score === 'oasis' && ofOasis.includes(item))
  );
}

describe('APS III grids', () => {
  test('acid-base: every corner of every cell and its neighbours', async () => {
    const around = (edges: number[]): number[] => edges.flatMap((e) => [e - BESIDE, e, e + BESIDE]);
    const readings = around([7.15, 7.2, 7.25, 7.3, 7.35, 7.4, 7.45, 7.5, 7.55, 7.6, 7.65]).flatMap((ph) =>
      around([25, 30, 35, 40, 45, 50, 55, 60]).map((paco2) => ({
        score: 'aps_iii',
        item: 'ph_by_paco2',
        value: ph,
        value_2: paco2,
        expected: acidBase(ph, paco2),
      })),
    );
    const got = await lookUp(readings);
    expect(readings.filter((r, i) => got[i] !== r.expected)).toEqual([]);
  });

  test('neurologic: all 120 combinations of eye, verbal and motor response', async () => {
    const readings: Reading[] = [];
    for (let eye = 1; eye <= 4; eye++) {
      for (let verbal = 1; verbal <= 5; verbal++) {
        for (let motor = 1; motor <= 6; motor++) {
          const item = eye === 1 ? 'verbal_by_motor_eyes_closed' : 'verbal_by_motor_eyes_open';
          readings.push({
            score: 'aps_iii',
            item,
            value: verbal,
            value_2: motor,
            expected: neurologic(eye, verbal, motor),
          });
        }
      }
    }
    const got = await lookUp(readings);
    expect(readings).toHaveLength(120);
    expect(readings.filter((r, i) => got[i] !== r.expected)).toEqual([]);
  });
});

describe('largest totals', () => {
  test('agree with the registry', () => {
    const most = (score: string, extra: Record<string, number> = {}): number => {
      const parts = new Map<string, number>(Object.entries(extra));
      for (const b of bands.filter((row) => row.score === score)) {
        parts.set(b.part!, Math.max(parts.get(b.part!) ?? 0, Number(b.points)));
      }
      return [...parts.values()].reduce((a, b) => a + b, 0);
    };
    expect(most('charlson')).toBe(29);
    expect(most('sofa')).toBe(24);
    expect(most('saps_ii')).toBe(163);
    expect(most('oasis')).toBe(75);
    expect(most('lods')).toBe(22);
    expect(most('sirs')).toBe(4);
    expect(most('qsofa')).toBe(3);
    // With the two grids. The registry allows 299, which is APACHE III with age (24) and chronic health (23).
    expect(most('aps_iii', { acid_base: 12, neurologic: 48 })).toBe(252);
  });
});
