/** Numbers of a condition. */
import type { Bounds, Condition } from '../../../schemas/condition.js';

/** Every number of a condition, in its order: edges of bounds, counts over one. */
export function numbersOf(condition: Condition): number[] {
  if (condition.type === 'not') return numbersOf(condition.of);
  if (condition.type === 'at_least') return [condition.n, ...condition.of.flatMap(numbersOf)];
  if ('of' in condition) return condition.of.flatMap(numbersOf);
  const count = 'at_least' in condition && typeof condition.at_least === 'number' ? condition.at_least : 1;
  return [...('bounds' in condition ? edges(condition.bounds) : []), ...(count > 1 ? [count] : [])];
}

const edges = (b: Bounds): number[] => [b.low, b.high].filter((n) => n !== null);
