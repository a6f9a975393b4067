/** Statistics of a series of values, written out. */
import { groupBy } from './extract.js';
import type { Num } from './read.js';

/** One value; `order` is the place of its itemid in the registry row. */
export interface Point {
  readonly time: number;
  readonly order: number;
  readonly value: number;
}

/** The arithmetic mean, null of nothing. */
export function mean(values: readonly number[]): Num {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value, null of nothing. */
export function min(values: readonly number[]): Num {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

/** The largest value, null of nothing. */
export function max(values: readonly number[]): Num {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}

/** Sample standard deviation; it needs two values. */
export function std(values: readonly number[]): Num {
  if (values.length < 2) return null;
  const center = mean(values)!;
  const squares = values.map((value) => (value - center) ** 2);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / (values.length - 1));
}

/** Values of one charttime become one: over all items (`time`), or for each item apart (`item`). */
export function averaged(points: readonly Point[], by: 'time' | 'item'): Point[] {
  const groups = groupBy(points, (p) => (by === 'time' ? `${p.time}` : `${p.time} ${p.order}`));
  return [...groups.values()].map((group) => ({ ...group[0]!, value: mean(group.map((p) => p.value))! }));
}

/** The statistic of the registry row; ties of `first` and `last` go to the earlier itemid, then to the mean. */
export function statistic(name: string, points: readonly Point[]): Num {
  const values = points.map((p) => p.value);
  if (name === 'min') return min(values);
  if (name === 'max') return max(values);
  if (name === 'mean') return mean(values);
  if (name === 'std') return std(values);
  if (name === 'count') return values.length;
  if (name === 'first') return valueAt(points, min(points.map((p) => p.time)));
  if (name === 'last') return valueAt(points, max(points.map((p) => p.time)));
  throw new Error(`no statistic ${name}`);
}

function valueAt(points: readonly Point[], time: Num): Num {
  const here = points.filter((p) => p.time === time);
  const order = min(here.map((p) => p.order));
  return mean(here.filter((p) => p.order === order).map((p) => p.value));
}
