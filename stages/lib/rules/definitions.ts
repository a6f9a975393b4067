/** Numbers that sources give as words: definitions.csv, each row a condition with a name, its words and its source. */
import type { Condition } from '../../../schemas/condition.js';
import type { CsvRecord } from '../csv.js';
import { parseCondition, printCondition } from './expression.js';

export const DEFINITIONS_FILE = 'stages/lib/rules/definitions.csv';

export interface Definition {
  readonly name: string;
  readonly condition: Condition;
  readonly words: string;
  readonly source: string;
}

/** The rows of definitions.csv by name and by what they say. */
export class Definitions {
  readonly #byName: ReadonlyMap<string, Definition>;
  readonly #byText = new Map<string, Definition>();

  constructor(definitions: readonly Definition[]) {
    this.#byName = new Map(definitions.map((d) => [d.name, d]));
    if (this.#byName.size !== definitions.length) throw new Error('a name stands twice in definitions.csv');
    for (const d of definitions) {
      const text = printCondition(d.condition);
      // Several words may stand for one number (third trimester, late pregnancy): the first row explains it.
      if (!this.#byText.has(text)) this.#byText.set(text, d);
    }
  }

  /** The definition of a name; null for an unknown name. */
  get(name: string): Definition | null {
    return this.#byName.get(name) ?? null;
  }

  /** Definitions that parts of a condition are equal to, in the order of the parts, each once. */
  usedBy(condition: Condition): Definition[] {
    const own = this.#byText.get(printCondition(condition));
    if (own) return [own];
    if (condition.type === 'not') return this.usedBy(condition.of);
    return 'of' in condition ? [...new Set(condition.of.flatMap((part) => this.usedBy(part)))] : [];
  }
}

/** Reads the rows of definitions.csv; a condition that does not parse is an error that quotes it. */
export function parseDefinitions(rows: readonly CsvRecord[]): Definitions {
  return new Definitions(
    rows.map((r) => ({
      name: r.name!,
      condition: parseCondition(r.reads!),
      words: r.words!,
      source: r.source!,
    })),
  );
}
