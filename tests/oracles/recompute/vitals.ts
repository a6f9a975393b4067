/** Vital signs that need more than one statistic of one series, and what is read from charted text. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import { leadingNumber, seriesOf, valuesOf } from './charts.js';
import type { ChartRow } from './extract.js';
import { groupBy } from './extract.js';
import type { Num } from './read.js';
import { feature, within } from './registry.js';
import { averaged, max, mean, min, type Point } from './series.js';

/** F129 to F139, F155 to F158, F160, F052, F176 to F178, F421. */
export function vitalFeatures(c: Case, sheet: Sheet): void {
  shockIndex(c, sheet);
  pulsePressure(c, sheet);
  put(
    sheet,
    'F133',
    share(seriesOf(c, 'F104'), (mbp) => mbp < 65),
  );
  put(
    sheet,
    'F134',
    any(c, seriesOf(c, 'F095'), (sbp) => sbp < 90),
  );
  put(
    sheet,
    'F135',
    share(seriesOf(c, 'F089'), (hr) => hr > 110),
  );
  put(
    sheet,
    'F136',
    share(seriesOf(c, 'F110'), (rr) => rr > 24),
  );
  put(
    sheet,
    'F137',
    share(seriesOf(c, 'F121'), (spo2) => spo2 < 90),
  );
  put(
    sheet,
    'F138',
    any(c, seriesOf(c, 'F117'), (temperature) => temperature >= 38.3),
  );
  put(
    sheet,
    'F139',
    any(c, seriesOf(c, 'F116'), (temperature) => temperature < 36),
  );
  textFeatures(c, sheet);
  put(sheet, 'F160', bradenMinimum(c));
  put(sheet, 'F176', pupilAsymmetry(c));
}

function share(points: readonly Point[], test: (value: number) => boolean): Num {
  return points.length === 0 ? null : points.filter((p) => test(p.value)).length / points.length;
}

/** `any` is 0, not null, when the stay has chart rows in the window (mimic.md 2.2). */
function any(c: Case, points: readonly Point[], test: (value: number) => boolean): Num {
  if (points.some((p) => test(p.value))) return 1;
  return c.charts.length > 0 ? 0 : null;
}

function shockIndex(c: Case, sheet: Sheet): void {
  const sbp = new Map(seriesOf(c, 'F095').map((p) => [p.time, p.value]));
  const ratios = seriesOf(c, 'F089')
    .filter((p) => sbp.has(p.time))
    .map((p) => within(p.value / sbp.get(p.time)!, feature('F129')))
    .filter((ratio) => ratio !== null);
  put(sheet, 'F129', max(ratios));
  put(sheet, 'F130', mean(ratios));
}

/** Invasive line, cuff, second arterial line: systolic with the diastolic of the same route. */
const ROUTES = [
  [220050, 220051],
  [220179, 220180],
  [225309, 225310],
] as const;

function pulsePressure(c: Case, sheet: Sheet): void {
  const differences: number[] = [];
  for (const [systolic, diastolic] of ROUTES) {
    const lower = new Map(itemSeries(c, 'F099', diastolic).map((p) => [p.time, p.value]));
    for (const p of itemSeries(c, 'F095', systolic)) {
      const difference = lower.has(p.time) ? within(p.value - lower.get(p.time)!, feature('F131')) : null;
      if (difference !== null) differences.push(difference);
    }
  }
  put(sheet, 'F131', min(differences));
  put(sheet, 'F132', mean(differences));
}

function itemSeries(c: Case, id: string, itemid: number): Point[] {
  return averaged(
    valuesOf(
      c.charts.filter((r) => r.itemid === itemid),
      feature(id),
    ),
    'item',
  );
}

function textFeatures(c: Case, sheet: Sheet): void {
  const rules: Record<string, (text: string) => boolean> = {
    F052: (text) => /DNR|DNI|Comfort measures only/i.test(text),
    F155: (text) => text.startsWith('AF') || text.startsWith('A Flut'),
    F156: (text) => text.includes('Paced'),
    F157: (text) => text.startsWith('ST'),
    F158: (text) => text !== 'None',
    F169: (text) => text === 'No Response-ETT',
    F177: (text) => text === 'Non-reactive',
    F178: (text) => text === 'Positive',
    F421: (text) => text === 'High flow nasal cannula',
  };
  for (const [id, rule] of Object.entries(rules)) {
    const hit = textsOf(c.charts, feature(id).itemids).some(rule);
    put(sheet, id, hit ? 1 : c.charts.length > 0 ? 0 : null);
  }
}

/** Trimmed texts of the items (P41: device names carry trailing blanks). */
export function textsOf(rows: readonly ChartRow[], items: readonly number[]): string[] {
  return rows
    .filter((r) => items.includes(r.itemid))
    .map((r) => (r.value ?? '').trim())
    .filter((text) => text !== '');
}

/** All six sub-scores at one charttime; the number is valuenum, else what the text begins with. */
function bradenMinimum(c: Case): Num {
  const row = feature('F160');
  const numbered = c.charts
    .filter((r) => row.itemids.includes(r.itemid))
    .map((r) => ({ ...r, valuenum: r.valuenum ?? leadingNumber(r.value) }));
  const points = averaged(valuesOf(numbered, row, { low: 1, high: 4 }), 'item');
  const totals = [...groupBy(points, (p) => p.time).values()]
    .filter((group) => group.length === row.itemids.length)
    .map((group) => group.reduce((sum, p) => sum + p.value, 0));
  return min(totals.filter((total) => within(total, row) !== null));
}

function pupilAsymmetry(c: Case): Num {
  const right = new Map(averaged(valuesOf(c.charts, feature('F175')), 'item').map((p) => [p.time, p.value]));
  const differences = averaged(valuesOf(c.charts, feature('F174')), 'item')
    .filter((p) => right.has(p.time))
    .map((p) => Math.abs(p.value - right.get(p.time)!));
  return max(differences);
}
