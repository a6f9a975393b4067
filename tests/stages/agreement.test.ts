/** Agreement against published tables, plain recomputation, and what must hold for any data. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Agreement, cohenKappa, fleissKappa, rawAgreement } from '../../stages/lib/agreement.js';

type Pair = [string, string];

/** A table of counts as single judgements. */
const spread = (table: readonly (readonly number[])[]): Pair[] =>
  table.flatMap((row, a) => row.flatMap((k, b) => Array.from({ length: k }, (): Pair => [`c${a}`, `c${b}`])));
const spreadSubjects = (table: readonly (readonly number[])[]): string[][] =>
  table.map((row) => row.flatMap((k, c) => Array<string>(k).fill(`c${c}`)));

describe('published values', () => {
  it('Cohen 1960, table of two judges and 200 patients: 0.492', () => {
    const pairs = spread([
      [88, 14, 18],
      [10, 40, 10],
      [2, 6, 12],
    ]);
    const kappa = cohenKappa(pairs);
    expect(kappa.n).toBe(200);
    expect(kappa.value).toBeCloseTo((0.7 - 0.41) / 0.59, 12);
    expect(kappa.value!.toFixed(3)).toBe('0.492');
    expect(rawAgreement(pairs).value).toBeCloseTo(0.7, 12);
  });

  it('Fleiss, Levin and Paik, two clinicians and 100 subjects: 0.68, error 0.087 by hand, interval 0.51 to 0.85', () => {
    const kappa = cohenKappa(
      spread([
        [75, 1, 4],
        [5, 4, 1],
        [0, 0, 10],
      ]),
    );
    expect(kappa.value!.toFixed(2)).toBe('0.68');
    // The book computes from rounded shares.
    expect(Math.abs(kappa.standard_error! - 0.087)).toBeLessThan(0.001);
    expect(Math.abs(kappa.low! - 0.51)).toBeLessThan(0.006);
    expect(kappa.high!.toFixed(2)).toBe('0.85');
  });

  it('Fleiss 1971, psychiatric diagnoses, 30 subjects and 6 raters: 0.430', () => {
    const table = [
      ...['00060', '03003', '01401', '00006', '03030', '20400', '00402', '20310', '20040', '00006'],
      ...['10050', '11040', '03300', '10050', '02031', '00501', '30012', '51000', '02040', '10203'],
      ...['00006', '01050', '02013', '20040', '10041', '05010', '40002', '02040', '10500', '00006'],
    ].map((row) => [...row].map(Number));
    const totals = [0, 1, 2, 3, 4].map((c) => table.reduce((sum, row) => sum + row[c]!, 0));
    expect(totals).toEqual([26, 26, 30, 55, 43]);
    expect(fleissKappa(spreadSubjects(table)).value!.toFixed(3)).toBe('0.430');
  });

  it('a common teaching table, 10 subjects and 14 raters: 0.210', () => {
    const table = [
      [0, 0, 0, 0, 14],
      [0, 2, 6, 4, 2],
      [0, 0, 3, 5, 6],
      [0, 3, 9, 2, 0],
      [2, 2, 8, 1, 1],
      [7, 7, 0, 0, 0],
      [3, 2, 6, 3, 0],
      [2, 5, 3, 2, 2],
      [6, 5, 2, 1, 0],
      [0, 2, 2, 3, 7],
    ];
    expect(fleissKappa(spreadSubjects(table)).value!.toFixed(3)).toBe('0.210');
  });

  it("Wilson's interval of 8 in 10: 0.490 to 0.943", () => {
    const raw = rawAgreement([...Array<Pair>(8).fill(['a', 'a']), ...Array<Pair>(2).fill(['a', 'b'])]);
    expect([raw.low!.toFixed(3), raw.high!.toFixed(3)]).toEqual(['0.490', '0.943']);
  });
});

describe('undefined stays undefined', () => {
  const nothing = { value: null, standard_error: null, low: null, high: null };

  it('without overlap, and with one category', () => {
    for (const measure of [rawAgreement, cohenKappa]) {
      expect(measure([])).toMatchObject({ n: 0, ...nothing });
      expect(measure([]).undefined_because).toMatch(/no subject/);
    }
    expect(fleissKappa([])).toMatchObject({ n: 0, ...nothing });
    const same: Pair[] = [
      ['a', 'a'],
      ['a', 'a'],
    ];
    expect(rawAgreement(same)).toMatchObject({ n: 2, value: 1, undefined_because: null });
    expect(cohenKappa(same)).toMatchObject({ n: 2, ...nothing });
    expect(cohenKappa(same).undefined_because).toMatch(/one and the same category/);
    expect(fleissKappa(same)).toMatchObject({ n: 2, ...nothing });
    expect(fleissKappa([['a'], ['b']])).toMatchObject({ n: 2, ...nothing });
  });

  it('no interval where leaving out a subject leaves one category', () => {
    const kappa = fleissKappa([
      ['a', 'b'],
      ['a', 'a'],
    ]);
    expect(kappa).toMatchObject({ standard_error: null, low: null, high: null });
    expect(kappa.value).toBeCloseTo(-1 / 3, 12);
    expect(kappa.undefined_because).toMatch(/^no interval/);
  });

  it('unequal numbers of raters are refused', () => {
    expect(() =>
      fleissKappa([
        ['a', 'b'],
        ['a', 'b', 'b'],
      ]),
    ).toThrow(/equally many raters: 2 and 3/);
  });
});

const category = fc.constantFrom('accept', 'correct', 'reject');
const pairsOf = fc.array(fc.tuple(category, category), { minLength: 1, maxLength: 40 });
const subjectsOf = fc
  .integer({ min: 2, max: 5 })
  .chain((m) =>
    fc.array(fc.array(category, { minLength: m, maxLength: m }), { minLength: 1, maxLength: 30 }),
  );

/** Kappa straight from the proportions p[i][j]; the delta method below differentiates it. */
function kappaOfTable(p: readonly (readonly number[])[]): number {
  const rows = p.map((r) => r.reduce((a, b) => a + b, 0));
  const columns = p.map((_, j) => p.reduce((a, r) => a + r[j]!, 0));
  const observed = p.reduce((a, r, i) => a + r[i]!, 0);
  const expected = rows.reduce((a, r, i) => a + r * columns[i]!, 0);
  return (observed - expected) / (1 - expected);
}

function deltaMethodError(pairs: readonly Pair[]): number {
  const names = ['accept', 'correct', 'reject'];
  const n = pairs.length;
  const p = names.map((a) => names.map((b) => pairs.filter(([x, y]) => x === a && y === b).length / n));
  const step = 1e-6;
  let [mean, squares] = [0, 0];
  p.forEach((row, i) => {
    row.forEach((share, j) => {
      const moved = (by: number) => p.map((r, a) => r.map((q, b) => (a === i && b === j ? q + by : q)));
      const slope = (kappaOfTable(moved(step)) - kappaOfTable(moved(-step))) / (2 * step);
      mean += slope * share;
      squares += slope * slope * share;
    });
  });
  return Math.sqrt(Math.max(0, squares - mean * mean) / n);
}

describe('for any judgements', () => {
  const bounded = (a: Agreement) => {
    if (a.value === null) return expect(a.undefined_because).not.toBeNull();
    expect(a.value).toBeGreaterThanOrEqual(-1);
    expect(a.value).toBeLessThanOrEqual(1);
    if (a.low === null) return expect(a.undefined_because).toMatch(/no interval/);
    expect(a.low).toBeLessThanOrEqual(a.value + 1e-12);
    expect(a.high).toBeGreaterThanOrEqual(a.value - 1e-12);
  };

  it('values lie in their bounds and in their intervals', () => {
    fc.assert(
      fc.property(pairsOf, subjectsOf, (pairs, subjects) => {
        bounded(rawAgreement(pairs));
        bounded(cohenKappa(pairs));
        bounded(fleissKappa(subjects));
      }),
    );
  });

  it('the order of subjects changes no bit, the order of raters no value', () => {
    fc.assert(
      fc.property(pairsOf, subjectsOf, fc.infiniteStream(fc.nat()), (pairs, subjects, keys) => {
        const mixed = <T>(list: readonly T[]): T[] =>
          list
            .map((x) => [keys.next().value as number, x] as const)
            .sort(([a], [b]) => a - b)
            .map(([, x]) => x);
        expect(cohenKappa(mixed(pairs))).toEqual(cohenKappa(pairs));
        expect(rawAgreement(mixed(pairs))).toEqual(rawAgreement(pairs));
        expect(fleissKappa(mixed(subjects).map(mixed))).toEqual(fleissKappa(subjects));
        const turned = cohenKappa(pairs.map(([a, b]) => [b, a]));
        const straight = cohenKappa(pairs);
        expect(turned.value === null).toBe(straight.value === null);
        if (straight.value !== null) {
          expect(turned.value).toBeCloseTo(straight.value, 10);
          expect(turned.standard_error).toBeCloseTo(straight.standard_error!, 10);
        }
      }),
    );
  });

  it('full agreement in two or more categories is 1, for Cohen without error', () => {
    fc.assert(
      fc.property(fc.array(category, { minLength: 2, maxLength: 20 }), (judged) => {
        fc.pre(new Set(judged).size > 1);
        expect(cohenKappa(judged.map((c) => [c, c]))).toMatchObject({ value: 1 });
        expect(cohenKappa(judged.map((c) => [c, c])).standard_error).toBeCloseTo(0, 7);
        expect(fleissKappa(judged.map((c) => [c, c, c]))).toMatchObject({ value: 1 });
      }),
    );
  });

  it("Cohen's error is that of the delta method, differentiated by steps", () => {
    fc.assert(
      fc.property(pairsOf, (pairs) => {
        const kappa = cohenKappa(pairs);
        fc.pre(kappa.value !== null);
        expect(kappa.standard_error).toBeCloseTo(deltaMethodError(pairs), 4);
      }),
    );
  });

  it("Fleiss' kappa of two raters is Scott's pi, recomputed from pairs", () => {
    fc.assert(
      fc.property(pairsOf, (pairs) => {
        const kappa = fleissKappa(pairs);
        fc.pre(kappa.value !== null);
        const all = pairs.flat();
        const shares = [...new Set(all)].map((c) => all.filter((x) => x === c).length / all.length);
        const expected = shares.reduce((sum, q) => sum + q * q, 0);
        const observed = pairs.filter(([a, b]) => a === b).length / pairs.length;
        expect(kappa.value).toBeCloseTo((observed - expected) / (1 - expected), 10);
      }),
    );
  });
});
