/** The yes-or-no facts a rule may turn on: concepts.csv, their kinds and what follows from what. */
import type { Truth } from './truth.js';

export const CONCEPTS_FILE = 'stages/lib/rules/concepts.csv';

export const CONCEPT_KINDS = [
  'condition',
  'reproductive',
  'circumstance',
  'procedure',
  'test',
  'setting',
  'allergy',
] as const;
export type ConceptKind = (typeof CONCEPT_KINDS)[number];

export interface Concept {
  readonly concept: string;
  readonly name: string;
  readonly kind: ConceptKind;
  /** Concepts that hold whenever this one holds. */
  readonly is_a: readonly string[];
  /** Concepts that cannot hold together with this one. */
  readonly excludes: readonly string[];
  /** How a vignette states it, and that it does not hold; empty where a vignette never does. */
  readonly says_true: string;
  readonly says_false: string;
}

/** Concepts with their relations closed: everything a concept implies, is implied by, and excludes. */
export class Concepts {
  readonly #byKey: ReadonlyMap<string, Concept>;
  readonly #up = new Map<string, ReadonlySet<string>>();

  constructor(concepts: readonly Concept[]) {
    this.#byKey = new Map(concepts.map((c) => [c.concept, c]));
    if (this.#byKey.size !== concepts.length) throw new Error('a concept stands twice in concepts.csv');
    for (const c of concepts) {
      for (const other of [...c.is_a, ...c.excludes]) this.get(other);
      this.#up.set(c.concept, this.#ancestors(c.concept, new Set()));
    }
  }

  /** The concept of a key; an unknown key is an error. */
  get(key: string): Concept {
    const found = this.#byKey.get(key);
    if (!found) throw new Error(`unknown concept ${key}: add it to ${CONCEPTS_FILE}`);
    return found;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  all(): Iterable<Concept> {
    return this.#byKey.values();
  }

  /** True when `key` is `of` or a kind of it. */
  isA(key: string, of: string): boolean {
    return key === of || (this.#up.get(key)?.has(of) ?? false);
  }

  /** True when the two cannot hold together, by themselves or by what they imply. */
  exclude(a: string, b: string): boolean {
    const names = (k: string): string[] => [k, ...(this.#up.get(k) ?? [])];
    const against = (x: string, y: string): boolean => this.get(x).excludes.includes(y);
    return names(a).some((x) => names(b).some((y) => against(x, y) || against(y, x)));
  }

  /** True when the two are kinds of one thing and do not exclude each other: one patient may have both. */
  mayOverlap(a: string, b: string): boolean {
    const wider = [a, ...(this.#up.get(a) ?? [])];
    return wider.some((w) => this.isA(b, w)) && !this.exclude(a, b);
  }

  /** What stated facts say about a concept: a true kind of it, a false parent of it, or a true opposite. */
  truth(key: string, facts: Readonly<Record<string, boolean>>): { truth: Truth; because: string | null } {
    if (!this.#byKey.has(key)) this.get(key);
    for (const [stated, value] of Object.entries(facts)) {
      if (value && this.isA(stated, key)) return { truth: 'true', because: stated };
      if (!value && this.isA(key, stated)) return { truth: 'false', because: stated };
      if (value && this.exclude(stated, key)) return { truth: 'false', because: stated };
    }
    return { truth: 'unknown', because: null };
  }

  #ancestors(key: string, seen: Set<string>): Set<string> {
    for (const parent of this.get(key).is_a) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      this.#ancestors(parent, seen);
    }
    return seen;
  }
}

const list = (cell: string | undefined): string[] =>
  (cell ?? '')
    .split(';')
    .map((s) => s.trim())
    .filter((s) => s !== '');

/** Reads the rows of concepts.csv. */
export function parseConcepts(rows: readonly Readonly<Record<string, string>>[]): Concepts {
  return new Concepts(
    rows.map((r) => ({
      concept: r.concept!,
      name: r.name!,
      kind: r.kind as ConceptKind,
      is_a: list(r.is_a),
      excludes: list(r.excludes),
      says_true: r.says_true ?? '',
      says_false: r.says_false ?? '',
    })),
  );
}
