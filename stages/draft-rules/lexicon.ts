/**
 * What the words of the rows stand for: phrases.csv (free text), drug and class words. A text that is not there refuses
 * the row; nothing is guessed.
 */
import type { Condition, DrugRef } from '../../schemas/condition.js';
import type { CsvRecord } from '../lib/csv.js';
import type { DrugClasses } from '../lib/drug-classes.js';
import type { DrugIndex } from '../lib/drugs.js';
import { Definitions } from '../lib/rules/definitions.js';
import { parseCondition, parseRef } from '../lib/rules/expression.js';
import { refuse } from './refuse.js';

export const PHRASES_FILE = 'stages/draft-rules/phrases.csv';

/**
 * What a phrase does for the rule. `-` explains and adds nothing; `when`, `unless` and `population` are conditions;
 * `limit` is a form, route or dose that the target is limited to; `inferred` is a class whose unlisted members may be
 * meant too; `member_unless` is an exception of one member, `also` a further rule of the row (forms in the README); the
 * others fill fields of the action with words.
 */
export const ROLES = [
  '-',
  'when',
  'unless',
  'population',
  'limit',
  'inferred',
  'member_unless',
  'also',
  'act',
  'dose_text',
  'monitoring',
  'alternative',
] as const;
export type Role = (typeof ROLES)[number];

/** One reading of a phrase. `quote` is the part of the cell that says it: the whole cell where the table leaves it empty. */
export interface Reading {
  readonly role: Role;
  readonly reads: string;
  readonly quote: string;
}

const CONDITION_ROLES: readonly Role[] = ['when', 'unless', 'population', 'limit', 'member_unless', 'also'];
/** Words before the condition, each ended by a colon: `<member>: `, `<part>: <recommendation word>: `. */
const HEADS: Partial<Record<Role, number>> = { member_unless: 1, also: 2 };

/** A reference without any limit. */
export const plainRef = (kind: DrugRef['kind'], name: string): DrugRef => ({
  kind,
  name,
  minus: [],
  form: null,
  routes: null,
  dose: null,
});

export class Lexicon {
  readonly drugs: DrugIndex;
  readonly classes: DrugClasses;
  /** Numbers that the sources give as words. */
  readonly definitions: Definitions;
  readonly #phrases = new Map<string, Reading[]>();

  /** `phrases` are the rows of phrases.csv; a row that cannot be read is an error that quotes it. */
  constructor(
    phrases: readonly CsvRecord[],
    drugs: DrugIndex,
    classes: DrugClasses,
    definitions = new Definitions([]),
  ) {
    this.drugs = drugs;
    this.classes = classes;
    this.definitions = definitions;
    for (const row of phrases) {
      const key = keyOf(row.source!, row.column!, row.phrase!);
      const readings = this.#phrases.get(key) ?? [];
      readings.push(checkReading(row));
      this.#phrases.set(key, readings);
    }
    for (const [key, readings] of this.#phrases) sortReadings(key, readings);
  }

  /** Readings of a whole cell in the order of their quotes; none for an empty cell. An unknown text refuses the row. */
  read(source: string, column: string, cell: string | null): readonly Reading[] {
    if (cell === null || cell === '') return [];
    const found = this.#phrases.get(keyOf(source, column, cell));
    const expected = `a phrase of ${source} ${column} in ${PHRASES_FILE}`;
    if (!found) return refuse('unread_phrase', column, cell, expected);
    return found.filter((r) => r.role !== '-');
  }

  /** Does phrases.csv know the cell? */
  knows(source: string, column: string, cell: string): boolean {
    return this.#phrases.has(keyOf(source, column, cell));
  }

  /** Every phrase as `source`, `column`, `phrase`: for tests that look for phrases no row has. */
  *keys(): Iterable<readonly [source: string, column: string, phrase: string]> {
    for (const key of this.#phrases.keys()) yield key.split('\t') as [string, string, string];
  }
}

const keyOf = (source: string, column: string, phrase: string): string => [source, column, phrase].join('\t');

function sortReadings(key: string, readings: Reading[]): void {
  const phrase = key.split('\t')[2]!;
  if (readings.length > 1 && readings.some((r) => r.role === '-'))
    throw new Error(`${PHRASES_FILE}: "${phrase}" both explains and says something`);
  const at = (r: Reading): number => phrase.indexOf(r.quote);
  readings.sort((a, b) => at(a) - at(b) || (a.reads < b.reads ? -1 : 1));
}

function checkReading(row: CsvRecord): Reading {
  const where = `${PHRASES_FILE}: ${row.source} ${row.column} "${row.phrase}"`;
  const role = row.role as Role;
  if (!ROLES.includes(role)) throw new Error(`${where}: role ${role}`);
  const quote = row.quote === '' ? row.phrase! : row.quote!;
  if (!row.phrase!.includes(quote)) throw new Error(`${where}: "${quote}" is not in the phrase`);
  if (row.reads === '') throw new Error(`${where}: reads nothing`);
  const reading = { role, reads: row.reads!, quote };
  if (CONDITION_ROLES.includes(role)) conditionOf(reading);
  if (role === 'inferred' || role === 'alternative') parseRef(row.reads!);
  return reading;
}

/** The words before the condition of a reading (`member_unless`, `also`), and the condition. */
export function splitReading(reading: Reading): {
  readonly heads: readonly string[];
  readonly condition: Condition;
} {
  const parts = reading.reads.split(': ');
  const n = HEADS[reading.role] ?? 0;
  if (parts.length < n + 1)
    throw new Error(`${PHRASES_FILE}: "${reading.reads}" needs ${n} words with a colon`);
  return { heads: parts.slice(0, n), condition: parseCondition(parts.slice(n).join(': ')) };
}

/** The condition of a reading. */
export const conditionOf = (reading: Reading): Condition => splitReading(reading).condition;
