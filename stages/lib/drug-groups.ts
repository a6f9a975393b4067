/** ATC groups of drugs, and the groups in which every member of an open class must lie: what stands elsewhere is no member. */
import { type CsvRecord, parseCsv } from './csv.js';

export const DRUG_GROUPS_FILE = 'stages/lib/drug-groups.csv';
export const CLASS_GROUPS_FILE = 'stages/lib/class-groups.csv';
/** The files that `readDrugGroups` asks for; a stage that calls it declares them. */
export const GROUP_FILES: readonly string[] = [DRUG_GROUPS_FILE, CLASS_GROUPS_FILE];

/** An ATC group of any level, `N` to `N02AX06`. */
const GROUP = /^[A-Z](\d\d([A-Z]([A-Z](\d\d)?)?)?)?$/;

/** Groups of single ingredients and of classes. */
export class DrugGroups {
  readonly #drugs: ReadonlyMap<string, readonly string[]>;
  readonly #classes: ReadonlyMap<string, readonly string[]>;

  /** Rows of the two files; a group that is none, a name that stands twice, a class without groups and reason: errors. */
  constructor(drugs: readonly CsvRecord[], classes: readonly CsvRecord[]) {
    this.#drugs = table(drugs, 'ingredient', DRUG_GROUPS_FILE);
    this.#classes = table(classes, 'class_key', CLASS_GROUPS_FILE);
    for (const [name, groups] of this.#drugs)
      if (groups.length === 0) throw new Error(`${DRUG_GROUPS_FILE}: ${name} has no group; leave it out`);
    for (const { class_key, why } of classes)
      if (!why) throw new Error(`${CLASS_GROUPS_FILE}: ${class_key} does not say why`);
  }

  /** All groups of a single ingredient; null where they are not known. */
  ofDrug(ingredient: string): readonly string[] | null {
    return this.#drugs.get(ingredient) ?? null;
  }

  /** Groups in which every member of a class lies; null where groups do not bound it. */
  ofClass(key: string): readonly string[] | null {
    const groups = this.#classes.get(key);
    return groups && groups.length > 0 ? groups : null;
  }

  /** Ingredients with groups, sorted. */
  ingredients(): string[] {
    return [...this.#drugs.keys()].sort();
  }

  /** Classes that the file names, bounded or not, sorted. */
  classKeys(): string[] {
    return [...this.#classes.keys()].sort();
  }

  /** True when all these ingredients have groups, the class is bounded, and no group of theirs meets one of the class. */
  areOutside(ingredients: readonly string[], key: string): boolean {
    const bounds = this.ofClass(key);
    if (bounds === null || ingredients.length === 0) return false;
    return ingredients.every((i) => {
      const groups = this.ofDrug(i);
      return groups !== null && !groups.some((g) => bounds.some((b) => meet(g, b)));
    });
  }
}

/** The two files as a stage or a script reads them. */
export function readDrugGroups(text: (file: string) => string): DrugGroups {
  const rows = (file: string): CsvRecord[] => parseCsv(text(file), file);
  return new DrugGroups(rows(DRUG_GROUPS_FILE), rows(CLASS_GROUPS_FILE));
}

/** One group holds the other: a drug known only as `C01` may be of `C01B`. */
const meet = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

function table(rows: readonly CsvRecord[], key: string, file: string): Map<string, readonly string[]> {
  const out = new Map<string, readonly string[]>();
  for (const row of rows) {
    const name = row[key];
    const cell = row.atc_groups;
    if (!name || cell === undefined) throw new Error(`${file}: expected the columns ${key} and atc_groups`);
    if (out.has(name)) throw new Error(`${file}: ${name} stands twice`);
    const groups = cell === '' ? [] : cell.split(';');
    const odd = groups.find((g) => !GROUP.test(g));
    if (odd !== undefined)
      throw new Error(
        `${file}, ${name}: "${odd}" is no ATC group; expected a letter, N02, N02A, N02AX or N02AX06`,
      );
    out.set(name, groups);
  }
  return out;
}
