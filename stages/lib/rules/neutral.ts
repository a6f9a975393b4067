/** Candidate drugs that were checked against the rule rows of a population, and what must hold for them to count. */
import { ALWAYS, type Condition } from '../../../schemas/condition.js';
import type { Population } from '../../../schemas/lock.js';
import type { CsvRecord } from '../csv.js';
import { parseCondition } from './expression.js';
import type { DrugKnowledge } from './knowledge.js';

export const NEUTRAL_LIMITS_FILE = 'stages/lib/rules/neutral-limits.csv';

/** The columns of neutral_drugs that decide. */
export interface NeutralDrug {
  readonly population: string;
  readonly ingredient: string;
  /** Parts split by ";"; null for none. */
  readonly limits: string | null;
}

/** Reads the rows of neutral-limits.csv: each part of a limit and what it asks; `-` asks nothing and gives its reason. */
export function parseNeutralLimits(rows: readonly CsvRecord[]): ReadonlyMap<string, Condition> {
  const out = new Map<string, Condition>();
  for (const { limit, reads, reason } of rows) {
    if (out.has(limit!)) throw new Error(`${NEUTRAL_LIMITS_FILE}: "${limit}" stands twice`);
    if (reads === '-' && !reason)
      throw new Error(`${NEUTRAL_LIMITS_FILE}: "${limit}" gives no reason for "-"`);
    out.set(limit!, reads === '-' ? ALWAYS : parseCondition(reads!));
  }
  return out;
}

/** neutral-drugs.csv with its limits read. */
export class NeutralDrugs {
  readonly #limits = new Map<string, Condition>();
  readonly #outside = new Set<string>();
  /** Kept, since every candidate of every question asks, and answers are remembered by the object. */
  readonly #knowledge = new WeakMap<DrugKnowledge, Map<string, DrugKnowledge>>();

  /** A part of a limit that neutral-limits.csv does not read is an error. */
  constructor(
    rows: readonly NeutralDrug[],
    limits: ReadonlyMap<string, Condition>,
    drugs: Pick<DrugKnowledge, 'ingredients'>,
  ) {
    for (const { population, ingredient, limits: text } of rows) {
      const parts = (text ?? '').split(';').map((s) => s.trim());
      const of = parts.filter((s) => s !== '').map((part) => readLimit(part, ingredient, limits));
      this.#limits.set(keyOf(population, ingredient), { type: 'all', of });
      // What holds of a combination holds of its parts.
      for (const d of [ingredient, ...drugs.ingredients(ingredient)]) this.#outside.add(keyOf(population, d));
    }
  }

  /** What must hold for a drug to be neutral in all these populations; null where one of them does not list it. */
  limits(drug: string, populations: readonly Population[]): Condition | null {
    const of = populations.map((p) => this.#limits.get(keyOf(p, drug)));
    return of.length === 0 || of.includes(undefined) ? null : { type: 'all', of: of as Condition[] };
  }

  /**
   * Drug knowledge for a patient of these populations: a listed drug stands outside the classes that do not list it.
   * `but` is left as the classes have it.
   */
  outside(
    drugs: DrugKnowledge,
    populations: readonly Population[],
    but: readonly string[] = [],
  ): DrugKnowledge {
    const key = `${populations.join('+')} ${but.join('+')}`;
    const known = this.#knowledge.get(drugs) ?? new Map<string, DrugKnowledge>();
    this.#knowledge.set(drugs, known);
    const made = known.get(key) ?? this.#outsideOf(drugs, populations, but);
    known.set(key, made);
    return made;
  }

  #outsideOf(
    drugs: DrugKnowledge,
    populations: readonly Population[],
    but: readonly string[],
  ): DrugKnowledge {
    const isOutside = (d: string): boolean =>
      populations.length > 0 && !but.includes(d) && populations.every((p) => this.#outside.has(keyOf(p, d)));
    return {
      ...drugs,
      membership: (drug, key) => {
        const known = drugs.membership(drug, key);
        return known === 'unknown' && isOutside(drug) ? 'no' : known;
      },
    };
  }
}

const keyOf = (population: string, drug: string): string => `${population} ${drug}`;

function readLimit(part: string, drug: string, limits: ReadonlyMap<string, Condition>): Condition {
  const found = limits.get(part);
  if (!found)
    throw new Error(`neutral drug ${drug}: limit "${part}" is not read; add it to ${NEUTRAL_LIMITS_FILE}`);
  return found;
}
