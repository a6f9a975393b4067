/** Laboratory values: one for each specimen, then the statistic. Blood gases are in gases.ts. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { LabRow } from './extract.js';
import { groupBy } from './extract.js';
import { resultOf } from './labtext.js';
import type { Num } from './read.js';
import { feature, REGISTRY, type Row, within } from './registry.js';
import { max, min, type Point, statistic } from './series.js';

const STATISTICS = ['first', 'last', 'min', 'max', 'any'];
/** Computed below or in gases.ts. */
const ELSEWHERE = new Set(['F281', 'F282', 'F283', 'F322', 'F323', 'F327', 'F328', 'F329']);

/** Every lab and gas feature that is one statistic of its items, and the few of this file. */
export function labFeatures(c: Case, sheet: Sheet): void {
  for (const row of REGISTRY) {
    const isPlain = row.source === 'hosp.labevents' && STATISTICS.includes(row.statistic);
    if (isPlain && !ELSEWHERE.has(row.id)) put(sheet, row.id, labStatistic(c, row));
  }
  cells(c, sheet);
  put(sheet, 'F309', c.labs.length === 0 ? null : new Set(c.labs.map((r) => r.specimen_id)).size);
  put(sheet, 'F310', abnormalShare(c));
  put(sheet, 'F362', max(ratios(c, 'F216', 'F220', 'F362')));
  put(sheet, 'F363', correctedGap(c));
}

function labStatistic(c: Case, row: Row): Num {
  const points = labSeries(c, row);
  if (row.statistic !== 'any') return statistic(row.statistic, points);
  if (points.some((p) => p.value > 0)) return 1;
  return c.labs.length > 0 ? 0 : null;
}

/** Values of the row's items in LAB24, one for each specimen and item. */
export function labSeries(c: Case, row: Row): Point[] {
  return row.itemids.flatMap((itemid, order) =>
    specimenValues(c, itemid, row).map((s) => ({ time: s.time, order, value: s.value })),
  );
}

export interface SpecimenValue {
  readonly specimen_id: number;
  readonly time: number;
  readonly value: number;
}

/** One plausible value for each specimen: filed last (P25); the public concepts take the largest. */
export function specimenValues(
  c: Case,
  itemid: number,
  limits: { low: number; high: number },
  rows: readonly LabRow[] = c.labs,
): SpecimenValue[] {
  const usable = rows
    .filter((r) => r.itemid === itemid)
    .map((r) => ({ r, value: within(resultOf(r, c.options.profile), limits) }))
    .filter((entry): entry is { r: LabRow; value: number } => entry.value !== null);
  return [...groupBy(usable, (entry) => entry.r.specimen_id).values()].map((group) => {
    const best = group.reduce((a, b) => (isBetter(c, b, a) ? b : a));
    return { specimen_id: best.r.specimen_id, time: best.r.charttime, value: best.value };
  });
}

function isBetter(c: Case, b: { r: LabRow; value: number }, a: { r: LabRow; value: number }): boolean {
  if (c.options.profile === 'oracle') return b.value > a.value;
  const [filedA, filedB] = [a.r.storetime ?? -Infinity, b.r.storetime ?? -Infinity];
  return filedB > filedA || (filedB === filedA && b.r.labevent_id > a.r.labevent_id);
}

/** Values by specimen. */
export function bySpecimen(values: readonly SpecimenValue[]): Map<number, SpecimenValue> {
  return new Map(values.map((s) => [s.specimen_id, s]));
}

const PERCENT = { low: 0, high: 100 };

/** Neutrophils and lymphocytes, absolute: reported, else percent x white cells of the same specimen. */
function cells(c: Case, sheet: Sheet): void {
  const anc = neutrophils(c);
  const alc = lymphocytes(c);
  put(sheet, 'F281', min([...anc.values()]));
  put(sheet, 'F282', max([...anc.values()]));
  put(sheet, 'F283', min([...alc.values()]));
  const ratio = [...anc.entries()]
    .filter(([specimen]) => (alc.get(specimen) ?? 0) > 0)
    .map(([specimen, value]) => within(value / alc.get(specimen)!, feature('F361')));
  put(sheet, 'F361', max(ratio.filter((value) => value !== null)));
}

function neutrophils(c: Case): Map<number, number> {
  const reported = specimenValues(c, 52075, feature('F281'));
  return absolute(c, reported, [51256], feature('F281'));
}

function lymphocytes(c: Case): Map<number, number> {
  const perMicrolitre = specimenValues(c, 52769, { low: 0, high: 500_000 });
  const reported = [
    ...perMicrolitre.map((s) => ({ ...s, value: s.value / 1000 })),
    ...specimenValues(c, 51133, feature('F283')),
  ];
  return absolute(c, reported, c.options.profile === 'oracle' ? [51244, 51245] : [51244], feature('F283'));
}

function absolute(
  c: Case,
  reported: readonly SpecimenValue[],
  percentItems: readonly number[],
  limits: { low: number; high: number },
): Map<number, number> {
  const result = new Map<number, number>();
  const whiteItems = c.options.profile === 'oracle' ? [51755, 51300, 51301] : [51301];
  const white = bySpecimen(whiteItems.flatMap((item) => specimenValues(c, item, feature('F190'))));
  for (const percent of percentItems.flatMap((item) => specimenValues(c, item, PERCENT))) {
    const wbc = white.get(percent.specimen_id);
    const value = wbc ? within((percent.value * wbc.value) / 100, limits) : null;
    if (value !== null) result.set(percent.specimen_id, rounded(c, value));
  }
  for (const own of reported) result.set(own.specimen_id, rounded(c, own.value));
  return result;
}

/** The public concept rounds absolute counts to four decimals. */
function rounded(c: Case, x: number): number {
  return c.options.profile === 'oracle' ? Math.round(x * 1e4) / 1e4 : x;
}

/** Rows flagged abnormal over rows with a number, any item. */
function abnormalShare(c: Case): Num {
  const numeric = c.labs.filter((r) => r.valuenum !== null).length;
  if (numeric === 0) return null;
  return within(c.labs.filter((r) => r.flag === 'abnormal').length / numeric, feature('F310'));
}

/** Quotients of two quantities of one specimen. */
function ratios(c: Case, over: string, under: string, limits: string): number[] {
  const below = bySpecimen(specimenValues(c, feature(under).itemids[0]!, feature(under)));
  return specimenValues(c, feature(over).itemids[0]!, feature(over))
    .filter((s) => below.has(s.specimen_id))
    .map((s) => within(s.value / below.get(s.specimen_id)!.value, feature(limits)))
    .filter((value) => value !== null);
}

/** Each anion gap corrected by the latest albumin of the window, uncorrected without one. */
function correctedGap(c: Case): Num {
  const albumin = statistic('last', labSeries(c, feature('F251')));
  const correction = albumin === null ? 0 : 2.5 * (4 - albumin);
  const gaps = labSeries(c, feature('F213')).map((p) => within(p.value + correction, feature('F363')));
  return max(gaps.filter((gap) => gap !== null));
}
