/** d_items, d_labitems and the ICD dictionaries: complete for every code and itemid the extract uses. */
import { parseCsv } from '../lib/csv.js';
import { AMBIGUOUS, WITHOUT_TITLE } from './codes.js';
import type { Numbers } from './numbers.js';
import type { LedgerEntry, Row } from './rows.js';

export const CATEGORIES_FILE = 'stages/synth-mimic/categories.csv';

const LINKS: Readonly<Record<string, string>> = {
  'icu.chartevents': 'chartevents',
  'icu.inputevents': 'inputevents',
  'icu.outputevents': 'outputevents',
  'icu.procedureevents': 'procedureevents',
};

/** Items outside the registry that rows use: copies of labs, alarm limits, routine charting. */
const MORE_ITEMS: readonly [number, string, string, string, string][] = [
  [220615, 'Creatinine (serum)', 'chartevents', 'Labs', ''],
  [225624, 'BUN', 'chartevents', 'Labs', ''],
  [220645, 'Sodium (serum)', 'chartevents', 'Labs', ''],
  [226253, 'SpO2 Desat Limit', 'chartevents', 'Alarms', '%'],
  [223769, 'O2 Saturation Pulseoxymetry Alarm - High', 'chartevents', 'Alarms', '%'],
  [223770, 'O2 Saturation Pulseoxymetry Alarm - Low', 'chartevents', 'Alarms', '%'],
  [220046, 'Heart rate Alarm - High', 'chartevents', 'Alarms', 'bpm'],
  [220047, 'Heart Rate Alarm - Low', 'chartevents', 'Alarms', 'bpm'],
  [225943, 'Solution', 'inputevents', 'Fluids/Intake', 'mL'],
];

/** Lab items outside the registry: pleural glucose, ventilator fragments, the other D-dimer assay, moved potassium. */
const MORE_LABS: readonly [number, string, string, string][] = [
  [51053, 'Glucose, Pleural', 'Pleural', 'Chemistry'],
  [50827, 'Ventilation Rate', 'Blood', 'Blood Gas'],
  [50819, 'PEEP', 'Blood', 'Blood Gas'],
  [52551, 'D-Dimer', 'Blood', 'Chemistry'],
  [52610, 'Potassium', 'Blood', 'Chemistry'],
];

/** Param type as the dictionary writes it. */
function paramType(table: string, unit: string): string {
  if (table === 'inputevents') return 'Solution';
  if (table === 'procedureevents') return 'Processes';
  return unit || table === 'outputevents' ? 'Numeric' : 'Text';
}

/** One row of d_items. */
export function dictionaryRow(
  itemid: number,
  label: string,
  linksto: string,
  category: string,
  unit: string,
): Row {
  return {
    itemid,
    label,
    abbreviation: label.slice(0, 50),
    linksto,
    category,
    unitname: unit || null,
    param_type: paramType(linksto, unit),
    lownormalvalue: null,
    highnormalvalue: null,
  };
}

/** Rows of d_items, sorted by itemid; D95 adds items that share a label with a registry item. */
export function itemRows(n: Numbers, twins: number, ledger: LedgerEntry[]): Row[] {
  const units = new Map(n.items.map((x) => [x.itemid, x.unit]));
  units.set(223761, '°F').set(223762, '°C');
  const facts = n.facts.filter((f) => LINKS[f.table]);
  const rows = facts.map((f) =>
    dictionaryRow(f.itemid, f.label, LINKS[f.table]!, f.category, units.get(f.itemid) || f.unit),
  );
  const known = new Set(facts.map((f) => f.itemid));
  for (const r of n.itemLabels) {
    for (const id of [r.itemid!, r.alt_itemid!]) {
      const itemid = Number(id);
      if (!LINKS[r.table!] || !itemid || known.has(itemid)) continue;
      known.add(itemid);
      rows.push(dictionaryRow(itemid, r.label!, LINKS[r.table!]!, r.category!, r.unit!));
    }
  }
  for (const [itemid, label, table, category, unit] of MORE_ITEMS) {
    if (!known.has(itemid)) rows.push(dictionaryRow(itemid, label, table, category, unit));
  }
  const chart = facts.filter((f) => f.table === 'icu.chartevents');
  for (let k = 0; k < twins; k++) {
    const f = chart[k % chart.length]!;
    const itemid = 290_001 + k;
    rows.push(dictionaryRow(itemid, f.label, 'chartevents', f.category, f.unit));
    ledger.push({
      dirty_id: 'D95',
      table: 'icu.d_items',
      subject_id: null,
      stay_id: null,
      key: `itemid=${itemid}`,
      column: 'label',
      clean_value: null,
      dirty_value: f.label,
      expectation: n.dirty.find((d) => d.id === 'D95')!.expectation,
    });
  }
  return rows.sort((a, b) => Number(a.itemid) - Number(b.itemid));
}

/** Rows of d_labitems, sorted by itemid. */
export function labItemRows(n: Numbers): Row[] {
  const rows: Row[] = n.facts
    .filter((f) => f.table === 'hosp.labevents')
    .map(({ itemid, label, fluid, category }) => ({ itemid, label, fluid, category }));
  const known = new Set(rows.map((r) => r.itemid));
  for (const r of n.itemLabels) {
    const itemid = Number(r.itemid);
    if (r.table !== 'hosp.labevents' || known.has(itemid)) continue;
    const fluid = /^(ua|u)_/.test(r.item_key!)
      ? 'Urine'
      : r.item_key!.startsWith('csf_')
        ? 'Cerebrospinal Fluid'
        : 'Blood';
    rows.push({ itemid, label: r.label!, fluid, category: r.category! });
    known.add(itemid);
  }
  for (const [itemid, label, fluid, category] of MORE_LABS) {
    if (!known.has(itemid)) rows.push({ itemid, label, fluid, category });
  }
  return rows.sort((a, b) => Number(a.itemid) - Number(b.itemid));
}

/** Titles of diagnosis codes: latent ones, fillers, ambiguous texts, three-character categories. */
export function diagnosisTitles(n: Numbers, categories: string): Row[] {
  const titles = new Map<string, Row>();
  const add = (icd_code: string, icd_version: number, long_title: string): void => {
    const key = `${icd_version} ${icd_code}`;
    const isLeftOut = icd_code === WITHOUT_TITLE.icd9 || icd_code === WITHOUT_TITLE.icd10;
    if (!titles.has(key) && !isLeftOut) titles.set(key, { icd_code, icd_version, long_title });
  };
  const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  for (const d of n.dx) {
    add(d.icd9, 9, sentence(d.name));
    add(d.icd10, 10, sentence(d.name));
  }
  for (const a of AMBIGUOUS) {
    add(a.code, 9, a.title9);
    add(a.code, 10, a.title10);
  }
  add('V599', 9, 'Organ donor');
  add('Z529', 10, 'Organ donor');
  for (const r of parseCsv(categories, CATEGORIES_FILE)) add(r.code!, 10, r.title!);
  for (const f of n.fillers) {
    add(f.icd9, 9, f.title);
    add(f.icd10, 10, f.title);
  }
  return [...titles.values()].sort(byCode);
}

/** Titles of the procedure codes of procedures.csv. */
export function procedureTitles(n: Numbers): Row[] {
  const rows: Row[] = [];
  for (const p of n.procedures.values()) {
    const [icd9, icd10] = p.icd9_icd10pcs!.split(';');
    rows.push({ icd_code: icd9!, icd_version: 9, long_title: p.label! });
    rows.push({ icd_code: icd10!, icd_version: 10, long_title: p.label! });
  }
  const seen = new Set<string>();
  return rows
    .filter((r) => {
      const key = `${r.icd_version} ${r.icd_code}`;
      return seen.has(key) ? false : seen.add(key);
    })
    .sort(byCode);
}

function byCode(a: Row, b: Row): number {
  const x = `${a.icd_code} ${a.icd_version}`;
  const y = `${b.icd_code} ${b.icd_version}`;
  return x < y ? -1 : x > y ? 1 : 0;
}
