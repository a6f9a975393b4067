/** The tables of the author without a model: quantities, words for conditions, tags, indications (raw/rxeval/README.md). */
import { type CsvRecord, parseCsv } from '../csv.js';
import { foldWords } from '../record/cites.js';
import type { RecordItem } from '../record/moment.js';
import { parseTerms, type Term } from '../rule-terms.js';
import { type DrugKeys, drugKeys, FORMULARY_FILE } from './drug-keys.js';
import { phrasePattern } from './mentions.js';

const INDICATIONS_FILE = 'raw/rxeval/indications.csv';
const ITEMS_FILE = 'raw/rxeval/items.csv';
const DX_FILE = 'raw/rxeval/dx-terms.csv';
const TAGS_FILE = 'raw/rxeval/tags.csv';

/** Files that a stage must declare to judge clinical terms. */
export const CLINICAL_FILES = [INDICATIONS_FILE, ITEMS_FILE, DX_FILE, TAGS_FILE, FORMULARY_FILE] as const;

export interface ItemRow {
  readonly item_key: string;
  /** As a sentence says it. */
  readonly name: string;
  readonly itemids: readonly number[];
  /** Of the limits in the mini language. */
  readonly unit: string;
  /** Older values say nothing about now. */
  readonly max_age_h: number;
  isFahrenheit(item: RecordItem): boolean;
}

export interface DxRow {
  readonly dx_key: string;
  readonly name: string;
  /** Chronic conditions also hold when they stand in the past history. */
  readonly isChronic: boolean;
  readonly sex: 'F' | 'M' | null;
  readonly affirm: RegExp;
  readonly deny: RegExp | null;
  /** ICD codes without dot, by prefix, of earlier admissions. */
  readonly codes: readonly string[];
  /** What must hold on the latest values before the condition counts as absent; empty: silence of the history is enough. */
  readonly absent_when: readonly Term[];
}

export interface TagRow {
  readonly group: 'micro' | 'rad' | 'proc' | 'allergy';
  readonly tag: string;
  readonly name: string;
  /** Words of the event, of an organism, of an allergen. */
  readonly words: RegExp;
  /** Words that must stand beside (specimen, antibiotic). */
  readonly beside: RegExp | null;
  /** Words that speak against it: of a report, of a later procedure that ended it. */
  readonly unless: RegExp | null;
  /** What shows that it is not so; empty: only `unless` can. */
  readonly absent_when: readonly Term[];
  readonly itemids: readonly number[];
  readonly max_age_h: number | null;
}

export interface IndicationRow {
  readonly rule_id: string;
  readonly drug_key: string;
  readonly drug_class: string;
  /** All must be true. */
  readonly trigger: readonly Term[];
  readonly condition: readonly Term[];
  /** None may be known to be violated. */
  readonly guard: readonly Term[];
  /** At least one must be true; each true one is evidence. Empty: nothing is asked. */
  readonly support: readonly Term[];
  /** Why the drug, in a clause. */
  readonly need: string;
}

export interface ClinicalTables {
  readonly items: ReadonlyMap<string, ItemRow>;
  readonly dx: ReadonlyMap<string, DxRow>;
  readonly tags: readonly TagRow[];
  readonly indications: readonly IndicationRow[];
  readonly drugs: DrugKeys;
}

/** Reads the tables with `ctx.file`; what cannot be read is an error with file, row and field. */
export function loadClinical(file: (path: string) => string): ClinicalTables {
  const csv = (path: string): CsvRecord[] => parseCsv(file(path), path);
  const drugs = drugKeys(csv(FORMULARY_FILE));
  const items = byKey(csv(ITEMS_FILE).map(itemRow), 'item_key');
  const dxRecords = csv(DX_FILE);
  const tagRecords = csv(TAGS_FILE);
  const known = {
    dx: new Set(dxRecords.map((r) => r.dx_key!)),
    drug: drugs.keys,
    item: new Set([...items.keys(), 'age', 'onset']),
    ...Object.fromEntries(
      (['micro', 'rad', 'proc', 'allergy'] as const).map((g) => [
        g,
        new Set(tagRecords.filter((t) => t.group === g).map((t) => t.tag!)),
      ]),
    ),
  };
  const terms = (path: string, row: CsvRecord, key: string) => (field: string) =>
    parseTerms(row[field] ?? '', { file: path, row: row[key]!, field }, known);
  return {
    items,
    tags: tagRecords.map((r) => tagRow(r, terms(TAGS_FILE, r, 'tag'))),
    drugs,
    dx: byKey(
      dxRecords.map((r) => dxRow(r, terms(DX_FILE, r, 'dx_key'))),
      'dx_key',
    ),
    indications: csv(INDICATIONS_FILE).map((r) => indicationRow(r, terms(INDICATIONS_FILE, r, 'rule_id'))),
  };
}

function byKey<R, K extends keyof R>(rows: readonly R[], key: K): Map<R[K], R> {
  const map = new Map<R[K], R>();
  for (const row of rows) {
    if (map.has(row[key])) throw new Error(`raw/rxeval: ${String(row[key])} stands twice`);
    map.set(row[key], row);
  }
  return map;
}

const list = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(';')
    .map((x) => x.trim())
    .filter(Boolean);

function itemRow(r: CsvRecord): ItemRow {
  const fahrenheit = list(r.fahrenheit_itemids).map(Number);
  return {
    item_key: r.item_key!,
    name: r.name!,
    itemids: [...list(r.itemids).map(Number), ...fahrenheit],
    unit: r.unit!,
    max_age_h: Number(r.max_age_h),
    // A trajectory may have turned the value into Celsius already; the unit on record decides.
    isFahrenheit: (item) =>
      item.itemid !== null && fahrenheit.includes(item.itemid) && !/c/i.test(foldWords(item.unit ?? 'f')),
  };
}

function dxRow(r: CsvRecord, terms: (field: string) => Term[]): DxRow {
  const affirm = phrasePattern(r.affirm!);
  if (!affirm) throw new Error(`${DX_FILE}, row ${r.dx_key}, field affirm: empty, expected phrases`);
  return {
    dx_key: r.dx_key!,
    name: r.name!,
    isChronic: r.kind === 'chronic',
    sex: r.sex === 'F' || r.sex === 'M' ? r.sex : null,
    affirm,
    deny: phrasePattern(r.deny ?? ''),
    codes: list(r.codes),
    absent_when: terms('absent_when'),
  };
}

function tagRow(r: CsvRecord, terms: (field: string) => Term[]): TagRow {
  const words = phrasePattern(r.words!);
  if (!words) throw new Error(`${TAGS_FILE}, row ${r.group}:${r.tag}, field words: empty, expected phrases`);
  return {
    group: r.group as TagRow['group'],
    tag: r.tag!,
    name: r.name!,
    words,
    beside: phrasePattern(r.beside ?? ''),
    unless: phrasePattern(r.unless ?? ''),
    absent_when: terms('absent_when'),
    itemids: list(r.itemids).map(Number),
    max_age_h: r.max_age_h ? Number(r.max_age_h) : null,
  };
}

function indicationRow(r: CsvRecord, terms: (field: string) => Term[]): IndicationRow {
  return {
    rule_id: r.rule_id!,
    drug_key: r.drug_key!,
    drug_class: r.drug_class!,
    trigger: terms('trigger'),
    condition: terms('condition'),
    guard: terms('guard'),
    support: terms('support'),
    need: r.need!,
  };
}
