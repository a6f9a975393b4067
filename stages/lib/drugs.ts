/** Drug identity: every name of a source becomes one ingredient or combination of drug-names.csv, or a reason why not. */
import { nearest } from './nearest.js';

/** The columns of drug_names that decide. */
export interface DrugName {
  readonly ingredient: string;
  readonly synonym: string;
  readonly kind: string;
  readonly atc_code: string | null;
  /** Parts joined by ` + `. */
  readonly combination_of: string | null;
}

/** A drug as the rules know it. */
export interface Drug {
  /** US name in lower case; a fixed combination has its own (`sacubitril-valsartan`). */
  readonly ingredient: string;
  /** Single ingredients, the drug itself when it is one. */
  readonly parts: readonly string[];
  readonly atc_code: string | null;
}

/** A name that was understood. */
export interface ResolvedDrug extends Drug {
  /** Words in brackets that limit the drug (`vaginal`, `over 6 mg/day`); never dropped. */
  readonly qualifier: string | null;
  /** The name of drug-names.csv that matched, and its kind (INN, BAN, salt). */
  readonly synonym: string;
  readonly kind: string;
}

/** A name that was not understood. */
export interface Unresolved {
  readonly reason: 'empty_name' | 'unknown_name' | 'unknown_part' | 'unlisted_combination' | 'open_list';
  readonly got: string;
  readonly expected: string;
}

/** Signs that join the parts of a combination, from the most to the least certain. */
const JOINS = [/\s*\/\s*/, /\s+with\s+/, /\s*\+\s*/, /\s+and\s+/, /-/];

const fold = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();
const setKey = (parts: readonly string[]): string => [...new Set(parts)].sort().join(' + ');

/** All names, by folded spelling. */
export class DrugIndex {
  readonly #names = new Map<string, DrugName>();
  readonly #drugs = new Map<string, Drug>();
  readonly #combinations = new Map<string, string>();

  /** A name that stands for two ingredients, or an ingredient with two codes or part lists, is an error. */
  constructor(names: readonly DrugName[]) {
    for (const n of names) this.#add(n);
    for (const drug of this.#drugs.values()) {
      if (drug.parts.length === 1) continue;
      const known = this.#combinations.get(setKey(drug.parts));
      if (known) throw new Error(`drug names: ${known} and ${drug.ingredient} have the same parts`);
      this.#combinations.set(setKey(drug.parts), drug.ingredient);
    }
  }

  #add(n: DrugName): void {
    const key = fold(n.synonym);
    const known = this.#names.get(key);
    if (known && known.ingredient !== n.ingredient) {
      throw new Error(`drug names: "${n.synonym}" stands for ${known.ingredient} and for ${n.ingredient}`);
    }
    if (!known) this.#names.set(key, n);
    const parts = n.combination_of ? n.combination_of.split(' + ') : [n.ingredient];
    const drug = { ingredient: n.ingredient, parts, atc_code: n.atc_code };
    const before = this.#drugs.get(n.ingredient);
    if (before && (setKey(before.parts) !== setKey(parts) || before.atc_code !== n.atc_code)) {
      throw new Error(`drug names: the rows of ${n.ingredient} differ in parts or ATC code`);
    }
    this.#drugs.set(n.ingredient, drug);
  }

  /** A drug by its ingredient name; an unknown one is an error. */
  get(ingredient: string): Drug {
    const found = this.#drugs.get(ingredient);
    if (found) return found;
    const near = nearest(ingredient, [...this.#drugs.keys()]);
    throw new Error(`unknown ingredient ${ingredient}${near ? `; did you mean ${near}?` : ''}`);
  }

  has(ingredient: string): boolean {
    return this.#drugs.has(ingredient);
  }

  /** Ingredients and combinations, sorted. */
  ingredients(): string[] {
    return [...this.#drugs.keys()].sort();
  }

  /** Reads one name of a source; brackets stay as the qualifier, parts of a combination may stand in any order. */
  resolve(name: string): ResolvedDrug | Unresolved {
    const text = name.trim();
    if (text === '') return { reason: 'empty_name', got: name, expected: 'a drug name' };
    if (/^(others?|etc\.?)$/i.test(text)) {
      const expected = 'a drug name; the list stays open';
      return { reason: 'open_list', got: text, expected };
    }
    return this.#named(text) ?? this.#bracketed(text) ?? this.#combined(text) ?? this.#unknown(text);
  }

  /** A name as it stands in the table. */
  #named(text: string): ResolvedDrug | undefined {
    const n = this.#names.get(fold(text));
    if (!n) return undefined;
    const { base, bracket } = splitBracket(text);
    // `frusemide (furosemide)` says one drug twice; any other bracket limits the drug.
    const is_limit =
      bracket !== null && base !== '' && this.#names.get(fold(bracket))?.ingredient !== n.ingredient;
    return {
      ...this.get(n.ingredient),
      qualifier: is_limit ? bracket : null,
      synonym: n.synonym,
      kind: n.kind,
    };
  }

  #bracketed(text: string): ResolvedDrug | undefined {
    const { base, bracket } = splitBracket(text);
    if (bracket === null || base === '') return undefined;
    const found = this.#named(base) ?? this.#combined(base);
    if (!found || 'reason' in found) return undefined;
    const is_same = this.#names.get(fold(bracket))?.ingredient === found.ingredient;
    return { ...found, qualifier: is_same ? null : bracket };
  }

  #combined(text: string): ResolvedDrug | Unresolved | undefined {
    for (const join of JOINS) {
      const pieces = text.split(join).filter((p) => p !== '');
      if (pieces.length < 2) continue;
      const found = pieces.map((p) => this.#named(p));
      if (found.every((f) => f === undefined)) continue;
      const missing = pieces.find((_, i) => found[i] === undefined);
      if (missing !== undefined) {
        // A hyphen may belong to the name (`interferon alfa-2b`).
        if (join.source === '-') continue;
        const got = missing.trim();
        return { reason: 'unknown_part', got, expected: `"${got}" as ${this.#suggest(got)}` };
      }
      return this.#listed(text, found as ResolvedDrug[]);
    }
    return undefined;
  }

  #listed(text: string, pieces: readonly ResolvedDrug[]): ResolvedDrug | Unresolved {
    const parts = pieces.flatMap((p) => p.parts);
    const name = this.#combinations.get(setKey(parts));
    // `emtricitabine-tenofovir disoproxil` names an ester: a combination with another one is another drug.
    const own = name ? wordsOf(name).filter((w) => !parts.flatMap(wordsOf).includes(w)) : [];
    if (!name || own.some((w) => !wordsOf(fold(text)).includes(w)))
      return { reason: 'unlisted_combination', got: text, expected: `a row for ${setKey(parts)}` };
    return { ...this.get(name), qualifier: null, synonym: text, kind: 'brand-combination' };
  }

  #unknown(text: string): Unresolved {
    return { reason: 'unknown_name', got: text, expected: this.#suggest(text) };
  }

  #suggest(text: string): string {
    const near = nearest(fold(text), [...this.#names.keys()]);
    return near ? `a name of drug-names.csv, perhaps ${near}` : 'a name of drug-names.csv';
  }
}

const wordsOf = (name: string): string[] => name.split(/[^\p{L}\d]+/u).filter((w) => w !== '');

/** The last bracket of a name and what stands before it. */
function splitBracket(text: string): { readonly base: string; readonly bracket: string | null } {
  const m = /^(.*?)\s*\(([^()]*)\)$/s.exec(text);
  return m ? { base: m[1]!.trim(), bracket: m[2]!.trim() } : { base: text, bracket: null };
}
