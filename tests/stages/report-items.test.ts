import { describe, expect, test } from 'vitest';
import { uniformity, upperTail } from '../../stages/lib/chi-square.js';
import { randomStream } from '../../stages/lib/random.js';
import { blindReader, longestOption, positions } from '../../stages/report-items/cues.js';
import type { Item } from '../../stages/report-items/read.js';

describe('chi-square', () => {
  // scipy.stats.chi2.sf
  const known: [number, number, number][] = [
    [3.84, 1, 0.05004352124870519],
    [0.5, 1, 0.47950012218695337],
    [9, 1, 0.0026997960632601883],
    [20, 1, 7.744216431044088e-6],
    [5.99, 2, 0.05003662708658629],
    [7.81, 3, 0.05010605635000589],
    [1, 3, 0.8012519569012009],
    [30, 3, 1.3800570312932553e-6],
    [9.488, 4, 0.04999440557799463],
    [50, 7, 1.4444852779215397e-8],
    [2, 5, 0.8491450360846096],
    [100, 4, 9.836624224615988e-21],
  ];
  test.each(known)('P(X >= %d) with %d degrees of freedom', (x, df, p) => {
    expect(Math.abs(upperTail(x, df) / p - 1)).toBeLessThan(1e-10);
  });

  test('equal counts are uniform, no counts too', () => {
    expect(uniformity([5, 5, 5])).toEqual({ chi_square: 0, df: 2, p_value: 1 });
    expect(uniformity([0, 0])).toEqual({ chi_square: 0, df: 1, p_value: 1 });
    expect(uniformity([7])).toEqual({ chi_square: 0, df: 0, p_value: 1 });
  });
});

const random = randomStream(0, 'cues');
const LETTERS = ['A', 'B', 'C', 'D'];

function item(
  id: number,
  texts: readonly string[],
  keys: readonly string[],
  pair_id: string | null = null,
): Item {
  return {
    instance_id: String(id),
    config: 'gf',
    split: 'test',
    question: 'Which?',
    options: texts.map((t, i) => [LETTERS[i]!, t] as const),
    keys,
    none_letter: null,
    rule_id: 'r',
    source_id: 's',
    pair_id,
    drugs: [],
    labels: {},
  };
}

const drugs = Array.from({ length: 40 }, (_, i) => `drug${i}`.padEnd(8, 'x'));
const draw = (): string[] => {
  const chosen = new Set<string>();
  while (chosen.size < 4) chosen.add(drugs[random.below(drugs.length)]!);
  return [...chosen];
};

describe('cues', () => {
  test('keys drawn at random leave no cue: letters uniform, readers near chance', () => {
    const items = Array.from({ length: 2000 }, (_, i) => item(i, draw(), [LETTERS[random.below(4)]!]));
    const [right] = positions(items);
    expect(right!.p_value).toBeGreaterThan(0.001);
    // Standard error of a share of one quarter in 2000 items is 0.0097.
    expect(Math.abs(blindReader(items).rate - 0.25)).toBeLessThan(0.04);
    expect(Math.abs(longestOption(items).rate - 0.25)).toBeLessThan(0.04);
  });

  test('a letter that is mostly right, and the first text of the alphabet, are found', () => {
    const first = Array.from({ length: 400 }, (_, i) => {
      const texts = draw();
      return item(i, texts, [random.below(2) === 0 ? 'A' : LETTERS[random.below(4)]!]);
    });
    expect(positions(first)[0]!.p_value).toBeLessThan(1e-6);
    const lowest = Array.from({ length: 400 }, (_, i) => {
      const texts = draw();
      return item(i, texts, [LETTERS[texts.indexOf([...texts].sort()[0]!)]!]);
    });
    expect(blindReader(lowest).rate).toBeGreaterThan(0.6);
  });

  test('the blind reader never gains from the other member of a pair', () => {
    const items = Array.from({ length: 200 }, (_, i) => {
      const texts = draw().map((t) => `${t}-${i}`);
      return [item(2 * i, texts, ['A'], `p${i}`), item(2 * i + 1, texts, ['B'], `p${i}`)];
    }).flat();
    const { rate, chance } = blindReader(items);
    expect(rate).toBeCloseTo(chance, 10);
  });

  test('options of equal length share the pick', () => {
    expect(longestOption([item(0, ['aa', 'bb', 'c', 'd'], ['A'])]).rate).toBe(0.5);
    expect(longestOption([item(0, ['a', 'bbb', 'c', 'd'], ['B', 'C'])])).toEqual({
      items_n: 1,
      rate: 1,
      chance: 0.5,
    });
  });

  test('None is counted once a pair', () => {
    const two = [0, 1].map((i) => ({
      ...item(i, ['a', 'b', 'c', 'None of the above'], ['A'], 'p'),
      none_letter: 'D',
    }));
    expect(positions(two).find((p) => p.what === 'None')!.counts).toEqual([0, 0, 0, 1]);
  });
});
