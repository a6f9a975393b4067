/** Whole worlds that a patient may live in, and conditions on them evaluated in two values without the engine. */
import fc from 'fast-check';
import type { Condition } from '../../schemas/condition.js';
import { parseCondition } from '../../stages/lib/rules/expression.js';

export interface World {
  readonly age: number;
  readonly sex: 'female' | 'male';
  readonly weeks: number | null;
  readonly heart: 'none' | 'plain' | 'symptoms' | 'no_symptoms';
  readonly crcl: number;
  readonly renal: boolean;
  readonly taken: readonly string[];
  readonly form: 'immediate_release' | 'extended_release';
  readonly dose: number;
}

const cross = <A, B>(as: readonly A[], bs: readonly B[]): (A & B)[] =>
  as.flatMap((a) => bs.map((b) => ({ ...a, ...b })));
const subsets = <T>(of: readonly T[]): T[][] =>
  of.reduce<T[][]>((sets, x) => sets.flatMap((s) => [s, [...s, x]]), [[]]);

const people = [
  { age: 5, sex: 'female', weeks: null },
  { age: 5, sex: 'male', weeks: null },
  ...[null, 10, 31].map((weeks) => ({ age: 40, sex: 'female', weeks })),
  { age: 40, sex: 'male', weeks: null },
  { age: 79, sex: 'female', weeks: null },
  { age: 79, sex: 'male', weeks: null },
] as const;
const hearts = (['none', 'plain', 'symptoms', 'no_symptoms'] as const).map((heart) => ({ heart }));
const kidneys = [
  { crcl: 20, renal: true },
  { crcl: 70, renal: true },
  { crcl: 70, renal: false },
];
export const TAKEN = ['lorazepam', 'naproxen', 'sacubitril-valsartan'];
const PARTS: readonly (readonly object[])[] = [
  hearts,
  kidneys,
  subsets(TAKEN).map((taken) => ({ taken })),
  [{ form: 'immediate_release' }, { form: 'extended_release' }],
  [{ dose: 5 }, { dose: 10 }],
];
export const WORLDS = PARTS.reduce<readonly object[]>(
  (all, more) => cross(all, more),
  people,
) as readonly World[];

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  benzodiazepines: ['lorazepam'],
  nsaids: ['naproxen'],
  arbs: ['sacubitril-valsartan'],
};
const has = (w: World, name: string): boolean => (CLASSES[name] ?? [name]).some((d) => w.taken.includes(d));

export const FACTS: Readonly<Record<string, (w: World) => boolean>> = {
  pregnant: (w) => w.weeks !== null,
  heart_failure: (w) => w.heart !== 'none',
  heart_failure_symptomatic: (w) => w.heart === 'symptoms',
  heart_failure_asymptomatic: (w) => w.heart === 'no_symptoms',
  renal_impairment: (w) => w.renal,
};

/** Two-valued, written without the engine. */
export function holds(c: Condition, w: World): boolean {
  const inside = (v: number, b: { low: number | null; high: number | null }, low: boolean, high: boolean) =>
    !(b.low !== null && (low ? v < b.low : v <= b.low)) &&
    !(b.high !== null && (high ? v > b.high : v >= b.high));
  switch (c.type) {
    case 'all':
      return !c.of.some((p) => !holds(p, w));
    case 'any':
      return c.of.some((p) => holds(p, w));
    case 'at_least':
      return c.of.reduce((n, p) => n + Number(holds(p, w)), 0) >= c.n;
    case 'not':
      return !holds(c.of, w);
    case 'age':
      return inside(w.age, c.bounds, c.bounds.low_inclusive, c.bounds.high_inclusive);
    case 'gestation':
      return w.weeks !== null && inside(w.weeks, c.bounds, c.bounds.low_inclusive, c.bounds.high_inclusive);
    case 'sex':
      return w.sex === c.sex;
    case 'measure':
      return inside(w.crcl, c.bounds, c.bounds.low_inclusive, c.bounds.high_inclusive);
    case 'fact':
      return FACTS[c.concept]!(w);
    case 'co_medication':
      return c.drugs.filter((d) => has(w, d.name)).length >= c.at_least;
    case 'form':
      return w.form === c.form;
    case 'dose':
      return inside(w.dose, c.bounds, c.bounds.low_inclusive, c.bounds.high_inclusive);
    default:
      throw new Error(`the worlds have no ${c.type}`);
  }
}

const predicate = fc
  .constantFrom(
    'age >= 65 a',
    'age < 18 a',
    'age [40..79) a',
    'gestation >= 28 wk',
    'gestation < 14 wk',
    'female',
    'male',
    'CrCl < 30 mL/min',
    'CrCl (20..70] mL/min',
    ...Object.keys(FACTS).map((f) => `fact ${f}`),
    'with class:benzodiazepines',
    'with 2 of class:benzodiazepines | class:nsaids | class:arbs',
    'form extended_release',
    'dose > 5 mg/d',
  )
  .map(parseCondition);
/** Conditions that the worlds can answer. */
export const condition: fc.Arbitrary<Condition> = fc.letrec<{ c: Condition }>((tie) => ({
  c: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    predicate,
    fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of) => ({ type: 'all' as const, of })),
    fc.array(tie('c'), { minLength: 1, maxLength: 3 }).map((of) => ({ type: 'any' as const, of })),
    fc
      .tuple(fc.array(tie('c'), { minLength: 2, maxLength: 4 }), fc.integer({ min: 1, max: 4 }))
      .map(([of, n]) => ({ type: 'at_least' as const, n: Math.min(n, of.length), of })),
    tie('c').map((of) => ({ type: 'not' as const, of })),
  ),
})).c;
