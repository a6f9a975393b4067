/** Conditions as alternatives of single facts: can two hold together, does one follow from another? */
import { type Bounds, CKD_STAGES, type Condition, type Predicate } from '../../../schemas/condition.js';
import { canonicalJson } from '../canonical-json.js';
import { intersection } from './band-bounds.js';
import type { Concepts } from './concepts.js';
import { DAYS } from './time.js';

/** A predicate that must hold, or must not. */
export interface Literal {
  readonly predicate: Predicate;
  readonly want: boolean;
}

/** Past so many alternatives a condition is not taken apart. */
const MOST = 256;

/** Ways in which a condition is true (or false): of each, every literal is needed. Null when there are too many. */
export function alternatives(c: Condition, want = true): Literal[][] | null {
  switch (c.type) {
    case 'not':
      return alternatives(c.of, !want);
    case 'all':
      return combine(c.of, want ? c.of.length : 1, want);
    case 'any':
      return combine(c.of, want ? 1 : c.of.length, want);
    case 'at_least':
      return combine(c.of, want ? c.n : c.of.length - c.n + 1, want);
    default:
      return [[{ predicate: c, want }]];
  }
}

/** Ways in which `n` of the parts are what is wanted. */
function combine(parts: readonly Condition[], n: number, want: boolean): Literal[][] | null {
  if (n === 0) return [[]];
  if (parts.length < n) return [];
  const [first, ...rest] = parts as [Condition, ...Condition[]];
  const own = alternatives(first, want);
  const withFirst = combine(rest, n - 1, want);
  const without = combine(rest, n, want);
  if (!own || !withFirst || !without) return null;
  const out = [...own.flatMap((a) => withFirst.map((b) => [...a, ...b])), ...without];
  return out.length > MOST ? null : out;
}

/** False when no patient can fulfil both; true when one may, or when it cannot be told. */
export function canBothHold(a: Condition, b: Condition, concepts: Concepts): boolean {
  const ways = alternatives({ type: 'all', of: [a, b] });
  if (ways === null) return true;
  return ways.some((way) =>
    way.every((x, i) =>
      way.slice(i + 1).every((y) => !excludes(x, y, concepts) && !excludes(y, x, concepts)),
    ),
  );
}

/** True when every patient that fulfils `a` fulfils `b`; false when one may not, or when it cannot be told. */
export function implies(a: Condition, b: Condition, concepts: Concepts): boolean {
  const [from, to] = [alternatives(a), alternatives(b)];
  if (from === null || to === null) return false;
  return from.every((way) => to.some((need) => need.every((y) => way.some((x) => follows(x, y, concepts)))));
}

/** Does `x` rule `y` out? It does when the opposite of `y` follows from it. */
const excludes = (x: Literal, y: Literal, concepts: Concepts): boolean =>
  follows(x, { ...y, want: !y.want }, concepts);

/** Does `y` follow from `x`? */
function follows(x: Literal, y: Literal, concepts: Concepts): boolean {
  const [p, q] = [x.predicate, y.predicate];
  if (x.want === y.want && canonicalJson(p) === canonicalJson(q)) return true;
  if (!x.want) return !y.want && isPartOf(q, p, concepts);
  if (y.want) return isPartOf(p, q, concepts);
  return isApart(p, q, concepts);
}

/** Whoever fulfils `p` fulfils `q`. */
function isPartOf(p: Predicate, q: Predicate, concepts: Concepts): boolean {
  if (p.type === 'gestation' && q.type === 'fact') return concepts.isA('pregnant', q.concept);
  if ('bounds' in p && 'bounds' in q)
    return isSameNumber(p, q) && isInside(inDays(p.bounds), inDays(q.bounds));
  if (p.type === 'fact' && q.type === 'fact') return concepts.isA(p.concept, q.concept);
  if (p.type === 'route' && q.type === 'route') return p.any_of.every((r) => q.any_of.includes(r));
  if (p.type === 'ckd_stage' && q.type === 'ckd_stage')
    return CKD_STAGES.indexOf(p.at_least) >= CKD_STAGES.indexOf(q.at_least);
  if (p.type === 'use' && q.type === 'use' && p.facet === 'indication' && q.facet === 'indication')
    return concepts.has(p.value) && concepts.has(q.value) && concepts.isA(p.value, q.value);
  return false;
}

/** Nobody fulfils both. */
function isApart(p: Predicate, q: Predicate, concepts: Concepts): boolean {
  if ('bounds' in p && 'bounds' in q)
    return isSameNumber(p, q) && intersection(inDays(p.bounds), inDays(q.bounds)) === null;
  if (p.type === 'fact' && q.type === 'fact') return concepts.exclude(p.concept, q.concept);
  if (p.type === 'sex')
    return (q.type === 'sex' && p.sex !== q.sex) || (p.sex === 'male' && isPregnancy(q, concepts));
  if (q.type === 'sex') return q.sex === 'male' && isPregnancy(p, concepts);
  if (p.type === 'route' && q.type === 'route') return !p.any_of.some((r) => q.any_of.includes(r));
  if (p.type === 'form' && q.type === 'form') return p.form !== q.form;
  if (p.type !== 'use' || q.type !== 'use' || p.facet !== q.facet || p.value === q.value) return false;
  const areConcepts = p.facet === 'indication' && concepts.has(p.value) && concepts.has(q.value);
  return !areConcepts || !concepts.mayOverlap(p.value, q.value);
}

const isPregnancy = (p: Predicate, concepts: Concepts): boolean =>
  p.type === 'gestation' || (p.type === 'fact' && concepts.isA(p.concept, 'pregnant'));

type WithBounds = Extract<Predicate, { bounds: Bounds }>;

/** The two are about one number, in comparable units. The last dose of one drug says nothing of another's. */
function isSameNumber(p: WithBounds, q: WithBounds): boolean {
  const what = ({ bounds, ...rest }: WithBounds): string =>
    canonicalJson({ ...rest, unit: inDays(bounds).unit });
  return p.type !== 'since_last_dose' && what(p) === what(q);
}

/** Bounds of a time in days, others as they are. */
function inDays(b: Bounds): Bounds {
  const days = (n: number | null): number | null => (n === null ? null : n * DAYS[b.unit]!);
  return DAYS[b.unit] === undefined ? b : { ...b, low: days(b.low), high: days(b.high), unit: 'd' };
}

function isInside(a: Bounds, b: Bounds): boolean {
  const both = intersection(a, b);
  return both !== null && canonicalJson(both) === canonicalJson(a);
}
