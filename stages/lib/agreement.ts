/** Agreement between people: raw, Cohen's kappa, Fleiss' kappa. What is undefined is null and says why. */

/** A number with what it rests on; `undefined_because` says why `value` or the interval is missing. */
export interface Agreement {
  /** Subjects that it rests on. */
  readonly n: number;
  readonly value: number | null;
  readonly standard_error: number | null;
  /** 95 % interval. */
  readonly low: number | null;
  readonly high: number | null;
  readonly undefined_because: string | null;
}

const Z95 = 1.959963984540054;

const undefinedFor = (n: number, why: string): Agreement => ({
  n,
  value: null,
  standard_error: null,
  low: null,
  high: null,
  undefined_because: why,
});

const NO_OVERLAP = 'no subject was judged by both';
const ONE_CATEGORY = 'everybody used one and the same category, so chance alone gives full agreement';

/** Estimate and error as an interval, cut at -1 and 1. */
function interval(n: number, value: number, standard_error: number): Agreement {
  return {
    n,
    value,
    standard_error,
    low: Math.max(-1, value - Z95 * standard_error),
    high: Math.min(1, value + Z95 * standard_error),
    undefined_because: null,
  };
}

/** Share of pairs of equal categories, with Wilson's interval (1927). */
export function rawAgreement(pairs: readonly (readonly [string, string])[]): Agreement {
  const n = pairs.length;
  if (n === 0) return undefinedFor(0, NO_OVERLAP);
  const p = pairs.filter(([a, b]) => a === b).length / n;
  const z2 = Z95 * Z95;
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  const [low, high] = [p === 0 ? 0 : middle - half, p === 1 ? 1 : middle + half];
  return { n, value: p, standard_error: Math.sqrt((p * (1 - p)) / n), low, high, undefined_because: null };
}

/**
 * Cohen's kappa of two raters (Cohen 1960), standard error for kappa other than 0 of Fleiss, Cohen and Everitt (1969,
 * equation 13). Undefined without subjects, or when both used one and the same category.
 */
export function cohenKappa(pairs: readonly (readonly [string, string])[]): Agreement {
  const n = pairs.length;
  if (n === 0) return undefinedFor(0, NO_OVERLAP);
  const categories = [...new Set(pairs.flat())].sort();
  if (categories.length === 1) return undefinedFor(n, ONE_CATEGORY);
  const count = (test: (pair: readonly [string, string]) => boolean): number => pairs.filter(test).length;
  const first = new Map(categories.map((c) => [c, count(([a]) => a === c)]));
  const second = new Map(categories.map((c) => [c, count(([, b]) => b === c)]));
  // Whole numbers as long as possible: full agreement is exactly 1, and the order of subjects cannot matter.
  const agreed = count(([a, b]) => a === b);
  const chance = categories.reduce((total, c) => total + first.get(c)! * second.get(c)!, 0);
  const kappa = (n * agreed - chance) / (n * n - chance);
  return interval(n, kappa, cohenError(countCells(pairs), { n, first, second, agreed, chance }));
}

interface CohenSums {
  readonly n: number;
  /** Subjects by category of the first and of the second rater. */
  readonly first: ReadonlyMap<string, number>;
  readonly second: ReadonlyMap<string, number>;
  readonly agreed: number;
  /** Sum of products of the two. */
  readonly chance: number;
}

function cohenError(cells: readonly Cell[], sums: CohenSums): number {
  const { n } = sums;
  const [observed, expected] = [sums.agreed / n, sums.chance / (n * n)];
  const rest = 1 - expected;
  const parts = cells.map(({ a, b, count }) => {
    // Crossed on purpose: row share of b, column share of a.
    const margins = (sums.second.get(a)! + sums.first.get(b)!) / n;
    const weight = a === b ? rest - margins * (1 - observed) : margins * (1 - observed);
    return (count / n) * weight ** 2;
  });
  const total = parts.reduce((x, y) => x + y, 0) - (observed * expected - 2 * expected + observed) ** 2;
  return Math.sqrt(Math.max(0, total / (n * rest ** 4)));
}

interface Cell {
  readonly a: string;
  readonly b: string;
  count: number;
}

/** The filled cells of the table of two raters, in an order that does not depend on the order of subjects. */
function countCells(pairs: readonly (readonly [string, string])[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const [a, b] of pairs) {
    const key = JSON.stringify([a, b]);
    const cell = cells.get(key) ?? { a, b, count: 0 };
    cell.count += 1;
    cells.set(key, cell);
  }
  return [...cells].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, cell]) => cell);
}

/**
 * Fleiss' kappa (Fleiss 1971) of subjects that equally many raters judged, whoever they were; one list of categories a
 * subject. Unequal counts are an error: group the subjects by their number of raters. The standard error is the
 * delete-one jackknife over subjects (Efron and Stein 1981); without one subject the value may be undefined, and then
 * there is no interval.
 */
export function fleissKappa(subjects: readonly (readonly string[])[]): Agreement {
  const n = subjects.length;
  if (n === 0) return undefinedFor(0, NO_OVERLAP);
  const raters = subjects[0]!.length;
  const odd = subjects.find((s) => s.length !== raters);
  if (odd) throw new Error(`Fleiss' kappa needs equally many raters: ${raters} and ${odd.length}`);
  if (raters < 2) return undefinedFor(n, 'one judgement a subject; agreement needs two');
  const sums = sumSubjects(subjects);
  const value = kappaOf(sums.pairs, sums.totals, n, raters);
  if (value === null) return undefinedFor(n, ONE_CATEGORY);
  const parts = jackknife(subjects, sums, raters);
  if (parts === null) {
    const why = 'no interval: without one of the subjects everybody used one category';
    return { ...undefinedFor(n, why), value };
  }
  const mean = parts.reduce((a, b) => a + b, 0) / n;
  const squares = parts.reduce((total, p) => total + (p - mean) ** 2, 0);
  return interval(n, value, Math.sqrt(((n - 1) / n) * squares));
}

interface Sums {
  /** Pairs of raters that agree, ordered pairs, over all subjects. */
  readonly pairs: number;
  /** Judgements by category. */
  readonly totals: ReadonlyMap<string, number>;
}

const tally = (subject: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const c of subject) counts.set(c, (counts.get(c) ?? 0) + 1);
  return counts;
};

const agreeing = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, k) => total + k * (k - 1), 0);

function sumSubjects(subjects: readonly (readonly string[])[]): Sums {
  const pairs = subjects.reduce((total, s) => total + agreeing(tally(s)), 0);
  return { pairs, totals: tally([...subjects.flat()].sort()) };
}

/** Whole numbers until the last step, so that the order of subjects cannot matter; null when undefined. */
function kappaOf(
  pairs: number,
  totals: ReadonlyMap<string, number>,
  n: number,
  raters: number,
): number | null {
  const judgements = n * raters;
  const squares = [...totals.values()].reduce((total, k) => total + k * k, 0);
  if (n === 0 || squares === judgements * judgements) return null;
  const observed = pairs / (judgements * (raters - 1));
  const expected = squares / (judgements * judgements);
  return (observed - expected) / (1 - expected);
}

/** Kappa without each subject in turn; null when one of them is undefined. */
function jackknife(subjects: readonly (readonly string[])[], sums: Sums, raters: number): number[] | null {
  const parts: number[] = [];
  for (const subject of subjects) {
    const own = tally(subject);
    const totals = new Map([...sums.totals].map(([c, k]) => [c, k - (own.get(c) ?? 0)]));
    const part = kappaOf(sums.pairs - agreeing(own), totals, subjects.length - 1, raters);
    if (part === null) return null;
    parts.push(part);
  }
  return parts.sort((a, b) => a - b);
}
