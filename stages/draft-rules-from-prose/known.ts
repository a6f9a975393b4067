/** What replies are checked against: drugs, classes, facts, uses, numbers that words stand for, words of units. */
import { UNITS, type Unit } from '../../schemas/condition.js';
import type { CsvRecord } from '../lib/csv.js';
import { type ClassMember, type ClassWord, DrugClasses } from '../lib/drug-classes.js';
import { DrugIndex, type DrugName } from '../lib/drugs.js';
import { type Concepts, parseConcepts } from '../lib/rules/concepts.js';
import { type Definition, type Definitions, parseDefinitions } from '../lib/rules/definitions.js';

export interface KnownTables {
  readonly drugNames: readonly DrugName[];
  readonly classMembers: readonly ClassMember[];
  readonly classWords: readonly ClassWord[];
  readonly concepts: readonly CsvRecord[];
  readonly uses: readonly CsvRecord[];
  readonly definitions: readonly CsvRecord[];
  readonly definitionWords: readonly CsvRecord[];
  readonly unitWords: readonly CsvRecord[];
}

export class Known {
  readonly drugs: DrugIndex;
  readonly classes: DrugClasses;
  readonly concepts: Concepts;
  readonly definitions: Definitions;
  /** Definitions with the words that stand for them. */
  readonly definedBy: readonly { readonly definition: Definition; readonly pattern: RegExp }[];
  readonly unitWords: ReadonlyMap<Unit, RegExp>;
  readonly uses: readonly CsvRecord[];
  readonly #synonyms = new Map<string, string[]>();
  readonly #classNames = new Map<string, string[]>();

  constructor(tables: KnownTables) {
    this.drugs = new DrugIndex(tables.drugNames);
    this.classes = new DrugClasses(this.drugs, tables.classMembers, tables.classWords);
    this.concepts = parseConcepts(tables.concepts);
    this.definitions = parseDefinitions(tables.definitions);
    this.uses = tables.uses;
    for (const n of tables.drugNames) push(this.#synonyms, n.ingredient, n.synonym);
    for (const m of tables.classMembers) push(this.#classNames, m.class_key, m.class_name);
    for (const w of tables.classWords)
      for (const key of w.class_key?.split(';') ?? []) push(this.#classNames, key, w.word);
    this.definedBy = tables.definitionWords.map(({ name, pattern }) => ({
      definition: this.definitions.get(name!) ?? missing('definition', name!),
      pattern: new RegExp(pattern!, 'i'),
    }));
    this.unitWords = new Map(tables.unitWords.map((r) => [r.unit as Unit, new RegExp(r.pattern!)]));
    for (const unit of UNITS) if (!this.unitWords.has(unit)) missing('words of unit', unit);
  }

  /** Names of an ingredient or combination. */
  synonymsOf = (ingredient: string): readonly string[] => this.#synonyms.get(ingredient) ?? [];

  /** Words for a class. */
  classNamesOf = (key: string): readonly string[] => this.#classNames.get(key) ?? [];

  /** Is it a value of a facet of uses.csv (`route`, `phase`)? */
  hasUse = (facet: string, value: string): boolean =>
    this.uses.some((u) => u.facet === facet && u.value === value);
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key) ?? [];
  if (!known.includes(value)) map.set(key, [...known, value]);
}

function missing(what: string, name: string): never {
  throw new Error(`draft-rules-from-prose: no ${what} ${name}`);
}
