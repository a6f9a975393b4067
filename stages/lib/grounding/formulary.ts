/** The drugs that the rules author may prescribe, and how names, routes and doses of orders meet them (raw/rxeval/formulary.csv). */
import { FORMULARY_FILE } from '../clinical/drug-keys.js';
import { type CsvRecord, parseCsv } from '../csv.js';
import { foldDrug, routeClass } from '../drug-fold.js';
import { groupBy } from '../group-by.js';

export const CLASS_WORDS_FILE = 'raw/rxeval/drug-classes.csv';
export const GOAL_WORDS_FILE = 'raw/rxeval/drug-goals.csv';

/** One row: a drug in one way of giving it. */
export interface Medicine {
  readonly drug_key: string;
  /** As orders write it. */
  readonly drug: string;
  /** Folded names under which orders have it. */
  readonly folds: readonly string[];
  readonly ingredient: string;
  /** Its name in the guideline tables (drug-names.csv); null where they have none. */
  readonly guideline_drug: string | null;
  readonly drug_class: string;
  /** What it is given for, in words of drug-goals.csv. */
  readonly goals: readonly string[];
  /** Drugs of one group are never given together. */
  readonly duplicate_group: string | null;
  /** Usual doses, the first one most usual; empty where an order shows none (the content of a bag). */
  readonly doses: readonly string[];
  readonly route: string;
  readonly routes: readonly string[];
}

/** A drug as somebody would order it. */
export interface Prescription {
  readonly drug: string;
  readonly dose_text: string | null;
  readonly route: string | null;
}

const list = (cell: string | undefined): string[] => (cell ?? '').split(';').filter(Boolean);

/** All rows by key, folded name and ingredient. */
export class Formulary {
  readonly #byKey: ReadonlyMap<string, Medicine>;
  readonly #sorted: readonly Medicine[];
  readonly #byFold: ReadonlyMap<string, readonly Medicine[]>;
  readonly #byIngredient: ReadonlyMap<string, readonly Medicine[]>;
  /** Folds of names that were asked for: the same few thousand come again with every moment. */
  readonly #folds = new Map<string, string>();
  readonly #classWords: ReadonlyMap<string, string>;
  readonly #goalWords: ReadonlyMap<string, string>;

  /** A key that stands twice, a class or goal without words: errors. */
  constructor(
    records: readonly CsvRecord[],
    classes: readonly CsvRecord[] = [],
    goals: readonly CsvRecord[] = [],
  ) {
    this.#byKey = new Map(records.map((r) => [r.drug_key!, medicineOf(r)]));
    this.#classWords = new Map(classes.map((r) => [r.class!, r.words!]));
    this.#goalWords = new Map(goals.map((r) => [r.goal!, r.words!]));
    if (this.#byKey.size !== records.length) throw new Error(`${FORMULARY_FILE}: a drug_key stands twice`);
    this.#sorted = [...this.#byKey.values()].sort((a, b) => (a.drug_key < b.drug_key ? -1 : 1));
    const pairs = this.#sorted.flatMap((m) => m.folds.map((fold) => ({ fold, m })));
    this.#byFold = new Map(
      [...groupBy(pairs, (x) => x.fold)].map(([fold, list]) => [fold, list.map((x) => x.m)]),
    );
    this.#byIngredient = groupBy(this.#sorted, (m) => m.ingredient);
    for (const m of this.#sorted) {
      this.classWords(m.drug_class);
      for (const goal of m.goals) this.goalWords(goal);
    }
  }

  all(): readonly Medicine[] {
    return this.#sorted;
  }

  /** The row of a key; an unknown key is an error. */
  get(key: string): Medicine {
    const found = this.#byKey.get(key);
    if (!found) throw new Error(`${FORMULARY_FILE}: no drug_key ${key}`);
    return found;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Rows of a name, whatever the route; none for a drug outside the formulary. */
  named(drug: string): readonly Medicine[] {
    return this.#byFold.get(this.#fold(drug)) ?? [];
  }

  /** Rows that a prescription can be: by name, then by route, then by dose where these tell rows apart. */
  of({ drug, dose_text, route }: Prescription): readonly Medicine[] {
    const named = this.named(drug);
    const routed = named.filter((m) => m.routes.includes(routeClass(route) ?? ''));
    const dosed = routed.filter((m) => (dose_text === null ? m.doses.length === 0 : hasDose(m, dose_text)));
    return dosed.length > 0 ? dosed : routed.length > 0 ? routed : named;
  }

  /** The ingredient of an ordered name; the folded name itself outside the formulary. */
  ingredientOf(drug: string): string {
    return this.named(drug)[0]?.ingredient ?? this.#fold(drug);
  }

  /** Rows of an ingredient. */
  withIngredient(ingredient: string): readonly Medicine[] {
    return this.#byIngredient.get(ingredient) ?? [];
  }

  #fold(drug: string): string {
    const known = this.#folds.get(drug) ?? foldDrug(drug);
    this.#folds.set(drug, known);
    return known;
  }

  /** `a beta blocker`. */
  classWords(drug_class: string): string {
    return wordsOf(this.#classWords, drug_class, CLASS_WORDS_FILE);
  }

  /** `supporting blood pressure`. */
  goalWords(goal: string): string {
    return wordsOf(this.#goalWords, goal, GOAL_WORDS_FILE);
  }
}

/** A dose of the row, blanks and case aside. */
export const hasDose = (m: Medicine, dose_text: string): boolean =>
  m.doses.some((d) => foldDose(d) === foldDose(dose_text));

export const foldDose = (dose: string): string =>
  dose
    .toLowerCase()
    .replace(/\s+/g, '')
    .replace(/gm$/, 'g')
    .replace(/units?$/, 'unit');

/** The formulary as a stage reads it. */
export function readFormulary(file: (path: string) => string): Formulary {
  const csv = (path: string): CsvRecord[] => parseCsv(file(path), path);
  return new Formulary(csv(FORMULARY_FILE), csv(CLASS_WORDS_FILE), csv(GOAL_WORDS_FILE));
}

function wordsOf(words: ReadonlyMap<string, string>, key: string, file: string): string {
  const found = words.get(key);
  if (!found) throw new Error(`${file}: no words for ${key}, which ${FORMULARY_FILE} uses`);
  return found;
}

function medicineOf(r: CsvRecord): Medicine {
  return {
    drug_key: r.drug_key!,
    drug: r.drug!,
    folds: [...new Set(list(r.names).map(foldDrug))],
    ingredient: r.ingredient!,
    guideline_drug: r.guideline_drug || null,
    drug_class: r.class!,
    goals: list(r.goals),
    duplicate_group: r.duplicate_group || null,
    doses: list(r.doses),
    route: r.route!,
    routes: list(r.routes),
  };
}
