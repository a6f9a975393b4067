/** The number tables of raw/mimic/synthetic, read once into typed lists. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import { exp, ln } from './math.js';

const FOLDER = 'raw/mimic/synthetic';

/** Files the generator reads. */
export const NUMBER_FILES = [
  ...[
    'items',
    'text_values',
    'diagnoses',
    'effects',
    'dx_correlations',
    'filler_codes',
    'procedures',
    'admin',
    'dirty_rows',
  ].map((name) => `${FOLDER}/${name}.csv`),
  'raw/mimic/itemid-facts.csv',
];

/** How deviates become values: on a log scale, on a plain one, or from other values. */
export type Dist =
  | 'normal'
  | 'normal_c'
  | 'lognormal'
  | 'skew_left'
  | 'ordinal'
  | 'zero_inflated'
  | 'binary'
  | 'text'
  | 'derived';

/** One measured quantity (items.csv). `center` is in the item's own unit, a median where lognormal. */
export interface Item {
  readonly index: number;
  readonly key: string;
  readonly table: string;
  readonly itemid: number;
  readonly unit: string;
  readonly dist: Dist;
  readonly center: number;
  readonly spread: number;
  readonly low: number;
  readonly high: number;
  readonly decimals: number;
  readonly prob: number;
  readonly perDay: number;
  readonly ar1: number;
  readonly altItemid: number;
  readonly altProb: number;
  readonly lagMinutes: number;
}

/** A latent diagnosis (diagnoses.csv). */
export interface Dx {
  readonly index: number;
  readonly key: string;
  readonly name: string;
  readonly icd9: string;
  readonly icd10: string;
  readonly prevalence: number;
  readonly isChronic: boolean;
  readonly ageLogit: number;
  readonly femaleLogit: number;
  readonly isPregnancy: boolean;
  readonly mortality: number;
  readonly unitBias: string;
}

/** What a diagnosis does to an item, on the item's own scale (a log where lognormal); `prob` stands apart. */
export interface Effect {
  readonly dx: number;
  readonly item: number;
  readonly shift: number;
  readonly minProb: number;
}

export interface Filler {
  readonly icd9: string;
  readonly icd10: string;
  readonly title: string;
  readonly prevalence: number;
}

export interface Choice {
  readonly value: string;
  readonly weight: number;
}

/** A registry itemid with its documented label and unit (itemid-facts.csv). */
export interface ItemFact {
  readonly itemid: number;
  readonly table: string;
  readonly label: string;
  readonly fluid: string;
  readonly category: string;
  readonly unit: string;
}

export interface DirtyRule {
  readonly id: string;
  readonly perThousand: number;
  readonly table: string;
  readonly expectation: string;
}

export interface Numbers {
  readonly items: readonly Item[];
  readonly itemByKey: ReadonlyMap<string, Item>;
  readonly dx: readonly Dx[];
  readonly dxByKey: ReadonlyMap<string, number>;
  readonly effects: readonly Effect[];
  readonly pairs: readonly { a: number; b: number; logit: number }[];
  readonly fillers: readonly Filler[];
  readonly admin: ReadonlyMap<string, readonly Choice[]>;
  readonly scalar: (key: string) => number;
  readonly texts: ReadonlyMap<string, readonly { value: string; valuenum: number | null; weight: number }[]>;
  readonly procedures: ReadonlyMap<string, CsvRecord>;
  readonly facts: readonly ItemFact[];
  readonly itemLabels: readonly CsvRecord[];
  readonly dirty: readonly DirtyRule[];
}

/** Reads every table; `file` returns the text of a declared file. */
export function readNumbers(file: (path: string) => string): Numbers {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  const itemRows = table('items');
  const items = itemRows.map(toItem);
  const itemByKey = new Map(items.map((x) => [x.key, x]));
  const dx = table('diagnoses').map(toDx);
  const dxByKey = new Map(dx.map((x) => [x.key, x.index]));
  const admin = choicesByKind(table('admin'));
  const scalars = new Map(
    table('admin')
      .filter((r) => r.kind === 'number')
      .map((r) => [r.key!, Number(r.value)]),
  );
  return {
    items,
    itemByKey,
    dx,
    dxByKey,
    effects: table('effects').map((r) => toEffect(r, dxByKey.get(r.dx_key!)!, itemByKey.get(r.item_key!)!)),
    // Used as log(odds ratio) x 0.6; without the 0.6 the chain locks into all-sick or all-well patients.
    pairs: table('dx_correlations').map((r) => ({
      a: dxByKey.get(r.dx_a!)!,
      b: dxByKey.get(r.dx_b!)!,
      logit: 0.6 * ln(Number(r.odds_ratio)),
    })),
    fillers: table('filler_codes').map((r) => ({
      icd9: r.icd9!,
      icd10: r.icd10!,
      title: r.title!,
      prevalence: Number(r.prevalence),
    })),
    admin,
    scalar: (key) => scalars.get(key)!,
    texts: textsByKey(table('text_values')),
    procedures: new Map(table('procedures').map((r) => [r.proc_key!, r])),
    facts: parseCsv(file('raw/mimic/itemid-facts.csv'), 'itemid-facts.csv').map((r) => ({
      itemid: Number(r.itemid),
      table: r.table!,
      label: r.label!,
      fluid: r.fluid!,
      category: r.category!,
      unit: r.unit!,
    })),
    itemLabels: itemRows,
    dirty: table('dirty_rows').map((r) => ({
      id: r.dirty_id!,
      perThousand: Number(r.units_per_1000_stays),
      table: r.table!,
      expectation: r.expected_handling!,
    })),
  };
}

function toItem(r: CsvRecord, index: number): Item {
  return {
    index,
    key: r.item_key!,
    table: r.table!,
    itemid: Number(r.itemid),
    unit: r.unit!,
    dist: r.dist as Dist,
    center: Number(r.center),
    spread: Number(r.spread),
    low: Number(r.low),
    high: Number(r.high),
    decimals: Number(r.decimals),
    prob: Number(r.prob_in_24h),
    perDay: Number(r.events_per_24h),
    ar1: Number(r.ar1),
    altItemid: Number(r.alt_itemid),
    altProb: Number(r.alt_prob),
    lagMinutes: Number(r.storetime_lag_min),
  };
}

function toDx(r: CsvRecord, index: number): Dx {
  const femaleOr = Number(r.female_or);
  return {
    index,
    key: r.dx_key!,
    name: r.name!,
    icd9: r.icd9!,
    icd10: r.icd10!,
    prevalence: Number(r.prevalence),
    isChronic: r.kind === 'chronic',
    ageLogit: Number(r.age_logit_per_decade),
    femaleLogit: ln(femaleOr),
    isPregnancy: femaleOr >= 99,
    mortality: Number(r.mortality_logit),
    unitBias: r.unit_bias!,
  };
}

/** Brings an effect to the scale on which the item's deviates live. */
function toEffect(r: CsvRecord, dx: number, item: Item): Effect {
  const value = Number(r.value);
  if (r.op === 'prob') return { dx, item: item.index, shift: 0, minProb: value };
  if (item.dist === 'lognormal') {
    const factor = r.op === 'mul' ? value : 1 + value / item.center;
    return { dx, item: item.index, shift: ln(Math.max(factor, 0.05)), minProb: 0 };
  }
  // Temperatures are held in Celsius, the table gives Fahrenheit degrees.
  const add = r.unit_hint === 'F' ? value / 1.8 : value;
  return { dx, item: item.index, shift: r.op === 'mul' ? item.center * (value - 1) : add, minProb: 0 };
}

function choicesByKind(rows: readonly CsvRecord[]): Map<string, Choice[]> {
  const out = new Map<string, Choice[]>();
  for (const r of rows) {
    if (r.kind === 'number') continue;
    const list = out.get(r.kind!) ?? [];
    list.push({ value: r.value!, weight: Number(r.weight) });
    out.set(r.kind!, list);
  }
  return out;
}

function textsByKey(
  rows: readonly CsvRecord[],
): Map<string, { value: string; valuenum: number | null; weight: number }[]> {
  const out = new Map<string, { value: string; valuenum: number | null; weight: number }[]>();
  for (const r of rows) {
    const list = out.get(r.item_key!) ?? [];
    list.push({
      value: r.value!,
      valuenum: r.valuenum === '' ? null : Number(r.valuenum),
      weight: r.weight === '' ? 0 : Number(r.weight),
    });
    out.set(r.item_key!, list);
  }
  return out;
}

/** A value of an item from a deviate on its scale. */
export function onScale(item: Item, x: number): number {
  return item.dist === 'lognormal' ? exp(x) : x;
}

/** Center of an item on its scale. */
export function centerOf(item: Item): number {
  return item.dist === 'lognormal' ? ln(item.center) : item.center;
}
