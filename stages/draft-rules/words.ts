/** Drug and class words of the rows: what ingredient, combination or class a word stands for. */

/** The columns of drug_names that identity needs. */
export interface DrugNameRow {
  readonly ingredient: string;
  readonly synonym: string;
  readonly combination_of: string | null;
}

/** The columns of class_words that identity needs. */
export interface ClassWordRow {
  readonly word: string;
  readonly class_key: string | null;
}

export interface DrugWord {
  readonly kind: 'ingredient' | 'combination';
  readonly name: string;
}

/** Looks up drug names without regard to case, and class words as they are written. */
export class Words {
  readonly #drugs = new Map<string, DrugWord>();
  readonly #classes = new Map<string, readonly string[]>();

  constructor(names: Iterable<DrugNameRow>, classes: Iterable<ClassWordRow>) {
    for (const n of names) {
      const kind = n.combination_of ? 'combination' : 'ingredient';
      this.#drugs.set(n.synonym.toLowerCase(), { kind, name: n.ingredient });
    }
    for (const c of classes) {
      if (c.class_key) this.#classes.set(c.word, c.class_key.split(';'));
    }
  }

  /** The ingredient or combination of a name; null for a name that drug-names.csv does not have. */
  drug(name: string): DrugWord | null {
    return this.#drugs.get(name.toLowerCase()) ?? null;
  }

  /** The class keys of a word; null for an unknown word and for a shelf heading. */
  classes(word: string): readonly string[] | null {
    return this.#classes.get(word) ?? null;
  }
}
