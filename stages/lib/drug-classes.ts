/** Drug classes: words of the sources, their members, and whether a drug is inside, outside, or cannot be told. */
import type { DrugGroups } from './drug-groups.js';
import type { DrugIndex } from './drugs.js';
import { nearest } from './nearest.js';
import type { DrugKnowledge } from './rules/knowledge.js';

/** The columns of drug_classes that decide. */
export interface ClassMember {
  readonly class_key: string;
  readonly class_name: string;
  /** As listed; a bracketed limit or route is part of the membership. */
  readonly member: string;
  readonly member_rxnorm_style_name: string;
  readonly basis: string;
  readonly coverage: string;
}

/** The columns of class_words that decide. */
export interface ClassWord {
  readonly word: string;
  readonly kind: string;
  /** Several keys split by ";"; null for a heading only. */
  readonly class_key: string | null;
}

export interface Member {
  readonly ingredient: string;
  readonly qualifier: string | null;
  /** True for members that a source lists; the others are pharmacology and serve to test distractors only. */
  readonly is_listed: boolean;
  readonly basis: string;
}

export interface DrugClass {
  readonly key: string;
  readonly name: string;
  readonly coverage: 'complete' | 'partial';
  readonly members: readonly Member[];
}

export type Membership = 'yes' | 'no' | 'unknown';

/** Why a drug is in a class, or not: the member that matched, if any. */
export interface MembershipVerdict {
  readonly membership: Membership;
  readonly member: Member | null;
}

const fold = (word: string): string => word.trim().replace(/\s+/g, ' ').toLowerCase();

/** Classes and class words over one index of drugs. */
export class DrugClasses {
  readonly #drugs: DrugIndex;
  readonly #groups: DrugGroups | null;
  readonly #classes = new Map<string, DrugClass & { members: Member[] }>();
  readonly #words = new Map<string, ClassWord>();

  /**
   * A member that is no known drug, a class with two coverages, a word with an unknown class, a member outside the ATC
   * groups of its class: errors. Without groups a drug that a partial class does not list is always unknown.
   */
  constructor(
    drugs: DrugIndex,
    members: readonly ClassMember[],
    words: readonly ClassWord[],
    groups: DrugGroups | null = null,
  ) {
    this.#drugs = drugs;
    this.#groups = groups;
    for (const m of members) this.#addMember(m);
    this.#checkGroups();
    for (const w of words) {
      for (const key of keysOf(w)) this.get(key);
      this.#words.set(fold(w.word), w);
    }
  }

  #addMember(m: ClassMember): void {
    const found = this.#drugs.resolve(m.member);
    const known = 'reason' in found ? this.#drugs.resolve(m.member_rxnorm_style_name) : found;
    const given = this.#drugs.resolve(m.member_rxnorm_style_name);
    if ('reason' in known || 'reason' in given || known.ingredient !== given.ingredient) {
      throw new Error(`class ${m.class_key}: member ${m.member} is not ${m.member_rxnorm_style_name}`);
    }
    const before = this.#classes.get(m.class_key);
    if (before && before.coverage !== m.coverage) throw new Error(`class ${m.class_key} has two coverages`);
    const coverage = m.coverage === 'complete' ? 'complete' : 'partial';
    const entry = before ?? { key: m.class_key, name: m.class_name, coverage, members: [] };
    const is_listed = m.basis !== 'pharmacology';
    entry.members.push({
      ingredient: known.ingredient,
      qualifier: known.qualifier,
      is_listed,
      basis: m.basis,
    });
    this.#classes.set(m.class_key, entry);
  }

  /** Groups that shut out a listed member would shut out others wrongly too. */
  #checkGroups(): void {
    for (const { key, members } of this.#classes.values()) {
      const bad = members.find((m) => this.#isOutside(m.ingredient, key));
      if (bad) throw new Error(`class ${key}: no ATC group of its member ${bad.ingredient} is a group of it`);
    }
  }

  #isOutside(ingredient: string, key: string): boolean {
    return this.#groups?.areOutside(this.#drugs.get(ingredient).parts, key) ?? false;
  }

  /** A class by its key; an unknown key is an error. */
  get(key: string): DrugClass {
    const found = this.#classes.get(key);
    if (found) return found;
    const near = nearest(key, [...this.#classes.keys()]);
    throw new Error(`unknown class ${key}${near ? `; did you mean ${near}?` : ''}`);
  }

  has(key: string): boolean {
    return this.#classes.has(key);
  }

  keys(): string[] {
    return [...this.#classes.keys()].sort();
  }

  /** Class keys of a word as a row writes it (`class: ` before it may be left out); null for a heading or an unknown word. */
  keysOfWord(word: string): readonly string[] | null {
    const found =
      this.#words.get(fold(word)) ?? this.#words.get(fold(word.replace(/^(class|minus):\s*/i, '')));
    const keys = found ? keysOf(found) : [];
    return keys.length > 0 ? keys : null;
  }

  /** True for shelf headings, which name no class. */
  isHeading(word: string): boolean {
    return this.#words.get(fold(word))?.kind === 'heading only';
  }

  /**
   * Is a drug, or a part of it, in a class? `unknown` where only its dose, route or use decides, and for a drug that a
   * partial class does not list, unless the ATC groups of all its parts are known and none is a group of the class.
   */
  verdict(ingredient: string, key: string): MembershipVerdict {
    const drug = this.#drugs.get(ingredient);
    const { members, coverage } = this.get(key);
    const names = new Set([ingredient, ...drug.parts]);
    const found = members.filter((m) => names.has(m.ingredient));
    const plain =
      found.find((m) => m.qualifier === null && m.is_listed) ?? found.find((m) => m.qualifier === null);
    if (plain) return { membership: 'yes', member: plain };
    if (found.length > 0) return { membership: 'unknown', member: found[0]! };
    const isOut = coverage === 'complete' || this.#isOutside(ingredient, key);
    return { membership: isOut ? 'no' : 'unknown', member: null };
  }

  /** Members of several classes without others (ingredients or class keys); a drug counts once. */
  expand(
    keys: readonly string[],
    minus: readonly string[] = [],
  ): { members: Member[]; coverage: DrugClass['coverage'] } {
    const out = new Map<string, Member>();
    const taken = minus.flatMap((m) =>
      this.has(m) ? this.get(m).members.map((x) => x.ingredient) : [this.#drugs.get(m).ingredient],
    );
    for (const key of keys) {
      for (const m of this.get(key).members) {
        if (taken.includes(m.ingredient)) continue;
        const before = out.get(m.ingredient);
        if (!before || (m.is_listed && !before.is_listed)) out.set(m.ingredient, m);
      }
    }
    const parts = [...keys, ...minus.filter((m) => this.has(m))];
    const is_complete = parts.every((key) => this.get(key).coverage === 'complete');
    const members = [...out.values()].sort((a, b) => (a.ingredient < b.ingredient ? -1 : 1));
    return { members, coverage: is_complete ? 'complete' : 'partial' };
  }
}

const keysOf = (w: ClassWord): string[] => (w.class_key ? w.class_key.split(';') : []);

/** What the rule engine asks of drugs, over one index and its classes; unknown drugs and classes are errors. */
export function drugKnowledge(drugs: DrugIndex, classes: DrugClasses): DrugKnowledge {
  return {
    ingredients: (drug) => drugs.get(drug).parts,
    membership: (drug, key) => classes.verdict(drug, key).membership,
    isClass: (name) => classes.has(name),
  };
}
