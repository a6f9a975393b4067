/** Infusions and boluses: rates in the unit of the feature, amounts by their share inside the window. */
import type { Case, Sheet } from './case.js';
import { put } from './case.js';
import type { InputRow } from './extract.js';
import { groupBy } from './extract.js';
import type { Num } from './read.js';
import { feature, idsOf, REGISTRY, within } from './registry.js';
import { max } from './series.js';
import { HOUR, overlap } from './window.js';

/** Drugs of which only a running infusion counts. */
const NEEDS_RATE = ['F391', 'F400', 'F402'];
/** Given whatever amount is charted. */
const NEEDS_NO_AMOUNT = ['F402'];
const DRUG_MAXIMA = idsOf(377, 383);

/** F377 to F416 except what is read from procedures or charts. F004 must stand in the sheet. */
export function inputFeatures(c: Case, sheet: Sheet): void {
  for (const id of DRUG_MAXIMA) put(sheet, id, max(ratesOf(c, sheet, id).map((r) => r.rate)));
  equivalents(c, sheet);
  for (const row of REGISTRY) {
    if (row.source !== 'icu.inputevents') continue;
    if (row.statistic === 'any') put(sheet, row.id, anyGiven(c, row.id));
  }
  put(sheet, 'F405', antibiotics(c));
  amounts(c, sheet);
}

interface Running {
  readonly from: number;
  readonly to: number;
  readonly rate: number;
}

/** Rows of a drug with a usable rate, in the unit of the feature. */
function ratesOf(c: Case, sheet: Sheet, id: string): Running[] {
  const running: Running[] = [];
  for (const r of c.inputs.filter((row) => feature(id).itemids.includes(row.itemid))) {
    const rate = within(rateInUnit(r, id, sheet.get('F004') ?? null), feature(id));
    if (rate !== null) running.push({ from: r.starttime, to: r.endtime, rate });
  }
  return running;
}

function rateInUnit(r: InputRow, id: string, stay_weight: Num): Num {
  const unit = (r.rateuom ?? '').toLowerCase();
  if (r.rate === null) return null;
  if (id === 'F382') {
    if (unit === 'units/min') return r.rate * 60;
    return unit === 'units/hour' ? r.rate : null;
  }
  if (unit === 'mcg/kg/min') return r.rate;
  // Charted with weight 1 the number is micrograms already (mimic.md 2.3).
  if (id === 'F377' && unit === 'mg/kg/min') return r.patientweight === 1 ? r.rate : r.rate * 1000;
  if (id === 'F381' && unit === 'mcg/min') {
    const weight = within(r.patientweight, feature('F004')) ?? stay_weight;
    return weight === null ? null : r.rate / weight;
  }
  return null;
}

/** Share of each drug in norepinephrine equivalents (registry F384). */
const EQUIVALENT: readonly [string, number][] = [
  ['F377', 1],
  ['F378', 1],
  ['F381', 1 / 10],
  ['F379', 1 / 100],
  ['F382', 2.5 / 60],
];

/** The summed dose between any two changes of any pressor. */
function equivalents(c: Case, sheet: Sheet): void {
  const day = c.windows.interval;
  const pressors = EQUIVALENT.map(([id, weight]) => ({ weight, runs: pressorRuns(c, sheet, id) }));
  const edges = [day.from, day.to];
  for (const { runs } of pressors) for (const run of runs) edges.push(run.from, run.to);
  const times = [...new Set(edges)].filter((t) => t >= day.from && t <= day.to).sort((a, b) => a - b);
  const doses: number[] = [];
  let area = 0;
  let milliseconds = 0;
  for (let i = 0; i + 1 < times.length; i++) {
    const [from, to] = [times[i]!, times[i + 1]!];
    const active = pressors.map(({ weight, runs }) => ({
      weight,
      rate: max(runs.filter((run) => run.from <= from && run.to >= to).map((run) => run.rate)),
    }));
    if (active.every(({ rate }) => rate === null)) continue;
    const dose = active.reduce((sum, { weight, rate }) => sum + weight * (rate ?? 0), 0);
    doses.push(dose);
    area += (dose * (to - from)) / HOUR;
    milliseconds += to - from;
  }
  put(sheet, 'F384', within(max(doses), feature('F384')));
  put(sheet, 'F385', !c.hasInputs ? null : within(area / 24, feature('F385')));
  put(sheet, 'F386', doses.length === 0 ? null : milliseconds / HOUR);
}

/** Runs of a pressor; the push form of epinephrine (229617) is no infusion and not in the registry row of F384. */
function pressorRuns(c: Case, sheet: Sheet, id: string): Running[] {
  const listed = new Set(feature('F384').itemids);
  const listedRows = { ...c, inputs: c.inputs.filter((r) => listed.has(r.itemid)) };
  return ratesOf(listedRows, sheet, id).filter((run) => run.rate > 0);
}

function isGiven(r: InputRow): boolean {
  return r.amount !== null && r.amount > 0;
}

function anyGiven(c: Case, id: string): Num {
  const needs_rate = NEEDS_RATE.includes(id);
  const needs_amount = !NEEDS_NO_AMOUNT.includes(id);
  const hit = c.inputs.some(
    (r) =>
      feature(id).itemids.includes(r.itemid) &&
      (isGiven(r) || !needs_amount) &&
      (!needs_rate || r.rate !== null),
  );
  return hit ? 1 : c.hasInputs ? 0 : null;
}

function antibiotics(c: Case): Num {
  if (!c.hasInputs) return null;
  const given = c.inputs.filter((r) => feature('F405').itemids.includes(r.itemid) && isGiven(r));
  return within(new Set(given.map((r) => r.itemid)).size, feature('F405'));
}

type Unit = (r: InputRow) => Num;

const millilitres: Unit = (r) => {
  const unit = (r.amountuom ?? '').trim().toLowerCase();
  if (unit === 'l') return r.amount! * 1000;
  return unit === 'ml' ? r.amount : null;
};
const milliequivalents: Unit = (r) => (/^meq\.?$/i.test((r.amountuom ?? '').trim()) ? r.amount : null);
const grams: Unit = (r) => {
  const unit = (r.amountuom ?? '').trim().toLowerCase();
  if (unit === 'mg') return r.amount! / 1000;
  return unit === 'grams' ? r.amount : null;
};
const insulinUnits: Unit = (r) => ((r.amountuom ?? '').trim() === 'units' ? r.amount : null);

/** Potassium and magnesium boluses are charted as volumes, which say nothing of the drug. */
const VOLUMES = [227522, 227523];

function amounts(c: Case, sheet: Sheet): void {
  total(c, sheet, 'F395', insulinUnits);
  total(c, sheet, 'F396', milliequivalents);
  total(c, sheet, 'F397', grams);
  total(c, sheet, 'F398', milliequivalents);
  for (const id of idsOf(409, 414)) total(c, sheet, id, millilitres);
  put(sheet, 'F416', within(sumOf(c, carriers(c.inputs), millilitres), feature('F416')));
}

function total(c: Case, sheet: Sheet, id: string, unit: Unit): void {
  const items = feature(id).itemids.filter((itemid) => !VOLUMES.includes(itemid));
  const rows = c.inputs.filter((r) => items.includes(r.itemid));
  put(sheet, id, within(sumOf(c, rows, unit), feature(id)));
}

/** Amounts by the share of the interval that lies in the window; an instant counts whole. Null of nothing. */
function sumOf(c: Case, rows: readonly InputRow[], unit: Unit): Num {
  let sum: Num = null;
  for (const r of rows) {
    const amount = r.amount === null ? null : unit(r);
    if (amount === null) continue;
    const length = (r.endtime - r.starttime) / HOUR;
    const share = length === 0 ? 1 : overlap(c.windows.interval, r.starttime, r.endtime).hours / length;
    sum = (sum ?? 0) + amount * share;
  }
  return sum;
}

/** The mixed solution is the volume of the main parameter again where that is in mL; an additive has a volume of its own. */
function carriers(rows: readonly InputRow[]): InputRow[] {
  const volumes = rows.filter((r) => r.amount !== null && millilitres(r) !== null);
  const is = (r: InputRow, word: string): boolean =>
    (r.component ?? '').trim().toLowerCase().startsWith(word);
  const components = groupBy(volumes, (r) => [r.orderid, r.starttime, r.endtime].join(' '));
  return [...components.values()].flatMap((order) => {
    const has_main = order.some((r) => is(r, 'main'));
    return order.filter((r) => !has_main || !is(r, 'mixed'));
  });
}
