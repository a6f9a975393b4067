/** The registry row of a feature, read afresh from its CSV. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import type { Num } from './read.js';

const FILE = fileURLToPath(new URL('../../../raw/mimic/feature-registry.csv', import.meta.url));

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  readonly source: string;
  readonly itemids: readonly number[];
  readonly statistic: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  readonly window: string;
}

/** The 448 rows in order. */
export const REGISTRY: readonly Row[] = Papa.parse<Record<string, string>>(readFileSync(FILE, 'utf8'), {
  header: true,
  skipEmptyLines: true,
}).data.map((r) => ({
  id: r.feature_id!,
  name: r.name!,
  group: r.group!,
  source: r.source_table!,
  itemids: r.itemids!.split(';').filter(Boolean).map(Number),
  statistic: r.statistic!,
  unit: r.unit!,
  low: Number(r.plausible_low),
  high: Number(r.plausible_high),
  window: r.window!,
}));

const BY_ID = new Map(REGISTRY.map((row) => [row.id, row]));

/** The registry row of an id. */
export function feature(id: string): Row {
  const row = BY_ID.get(id);
  if (!row) throw new Error(`no feature ${id}`);
  return row;
}

/** Ids from one to the other, both included: `idsOf(2, 4)` is F002, F003, F004. */
export function idsOf(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `F${String(from + i).padStart(3, '0')}`);
}

/**
 * Limits of a single value. `std` and `count` rows state limits of the result (0 to ...), so the values keep the limits
 * of the same series' minimum, maximum or first value.
 */
export function valueLimits(row: Row): { low: number; high: number } {
  if (row.statistic !== 'std' && row.statistic !== 'count') return row;
  const items = row.itemids.join();
  const sibling = REGISTRY.find(
    (other) => other.itemids.join() === items && ['min', 'max', 'first'].includes(other.statistic),
  );
  return sibling ?? row;
}

/** Null outside the limits, which are inclusive. */
export function within(value: Num, limits: { low: number; high: number }): Num {
  return value !== null && value >= limits.low && value <= limits.high ? value : null;
}
