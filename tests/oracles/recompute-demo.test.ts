/** The recomputation against 13,038 values of the public concepts on the open demo, and against the demo's row counts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { DEMO_DIRS, hasDemo } from '../support/extract.js';
import { caseOf } from './recompute/case.js';
import { type Extract, type Num, readRaw, recompute } from './recompute/index.js';
import { feature } from './recompute/registry.js';
import { windowsOf } from './recompute/window.js';

const table = (path: string): Record<string, string>[] => parseCsv(readFileSync(path, 'utf8'), path);
const here = import.meta.dirname;

describe.skipIf(!hasDemo())('recomputation on the open demo', () => {
  let raw: Extract;
  beforeAll(() => {
    raw = readRaw(DEMO_DIRS);
  });

  test('the oracle profile equals the public concepts, but for the listed differences', () => {
    const expected = table(join(here, 'demo-oracle-values.csv'));
    const listed = table(join(here, 'demo-oracle-differences.csv'));
    const sheets = recompute(raw, { profile: 'oracle' });
    const differing: Record<string, number> = {};
    for (const [id, values] of groups(expected)) {
      const n = [...sheets].filter(
        ([stay, sheet]) => !agree(id, sheet.get(id) ?? null, values.get(stay) ?? null),
      ).length;
      if (n > 0) differing[id] = n;
    }
    expect(differing).toEqual(Object.fromEntries(listed.map((r) => [r.feature_id, Number(r.stays)])));
  });

  test('the windows hold as many stays and rows as the coverage table says', () => {
    const cases = raw.stays.map((stay) => caseOf(raw, stay, OPTIONS));
    const off: string[] = [];
    for (const r of table('raw/mimic/demo-coverage.csv')) {
      const items = new Set(feature(r.feature_id!).itemids);
      const counts = cases.map((c) => rowsIn(c, r.window!).filter((row) => items.has(row.itemid)).length);
      const stays = counts.filter((n) => n > 0).length;
      const rows = counts.reduce((sum, n) => sum + n, 0);
      const expected_rows = Number(r.demo_rows) - (TEXT_TWINS[r.feature_id!] ?? 0);
      if (stays !== Number(r.demo_stays_with_rows) || rows !== expected_rows)
        off.push(`${r.feature_id}: ${stays}, ${rows}`);
    }
    expect(off).toEqual([]);
  });

  test('the anchor is the minute of intime', () => {
    const withSeconds = raw.stays.filter((stay) => stay.intime % 60_000 !== 0);
    expect(withSeconds).toHaveLength(91);
    for (const stay of withSeconds) expect(windowsOf(stay, OPTIONS).t0 % 60_000).toBe(0);
  });
});

const OPTIONS = { profile: 'benchmark', lab_lookback_hours: 0, availability: 'charttime' } as const;

/** Rows of text items that are equal without their texts (80 of the 100 patients have none) and count once here. */
const TEXT_TWINS: Record<string, number> = { F155: 29, F156: 29, F157: 29, F418: 34, F420: 34, F421: 34 };

function groups(rows: readonly Record<string, string>[]): Map<string, Map<number, number>> {
  const byFeature = new Map<string, Map<number, number>>();
  for (const r of rows) {
    const values = byFeature.get(r.feature_id!) ?? new Map<number, number>();
    values.set(Number(r.stay_id), Number(r.value));
    byFeature.set(r.feature_id!, values);
  }
  return byFeature;
}

/** The public concept rounds temperatures to two decimals. */
function agree(id: string, ours: Num, theirs: Num): boolean {
  if (ours === null || theirs === null) return ours === theirs;
  const tolerance = ['F116', 'F117', 'F118'].includes(id) ? 0.006 : 1e-6;
  return Math.abs(ours - theirs) <= tolerance;
}

function rowsIn(c: ReturnType<typeof caseOf>, window: string): readonly { itemid: number }[] {
  if (window === 'STAY_ANY') return c.allCharts;
  if (window === 'STAY24') return c.allCharts.filter((r) => r.charttime < c.windows.interval.to);
  return [c.charts, c.labs, c.outputs, c.inputs, c.procedures].flat();
}
