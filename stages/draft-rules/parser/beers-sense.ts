/** What the table and the recommendation word of a Beers row promise must be in its rule; a lost cell shows here. */
import type { Predicate } from '../../../schemas/condition.js';
import type { RuleBody } from '../../../schemas/rule.js';
import { foundIn, type ReadCell } from '../conditions.js';
import { predicatesOf } from '../information-type.js';
import { refuse } from '../refuse.js';
import type { BeersRow } from './beers-row.js';

type Body = Pick<RuleBody, 'when' | 'unless' | 'action'>;
type Test = (body: Body) => boolean;

const when =
  (...types: readonly Predicate['type'][]): Test =>
  (body) =>
    predicatesOf(body.when).some((p) => types.includes(p.type));

const facet =
  (name: string): Test =>
  (body) =>
    predicatesOf(body.when).some((p) => p.type === 'use' && p.facet === name);

const isBound: Test = (body) => predicatesOf(body.when).length > 0;

const TABLES: Readonly<Record<string, readonly [Test, string]>> = {
  'Table 3': [when('fact'), 'a condition of the patient'],
  'Table 5': [when('co_medication', 'drug_count'), 'drugs that must not meet'],
  'Table 6': [when('measure'), 'a limit of kidney function'],
};

const WORDS: readonly (readonly [RegExp, Test, string])[] = [
  [/\b(unless|except)\b/, (body) => body.unless.length > 0, 'an exception in the cells of the row'],
  [/combination/, when('co_medication', 'drug_count'), 'drugs that must not meet'],
  [/initiating/, facet('phase'), 'a row on starting'],
  [/first-/, facet('line_of_therapy'), 'a row on the line of treatment'],
  [/for indication|acceptable/, facet('indication'), 'a row with an indication'],
  [/chronic use/, facet('pattern'), 'a row on a pattern of use'],
  [/avoid if|(reduce|adjust) dose/, isBound, 'a condition'],
  [/adjust dose/, when('co_medication'), 'the drugs that call for it'],
  [/dose above/, when('dose'), 'a limit of the dose'],
  [/beyond duration/, when('duration'), 'a limit of the duration'],
  [/alternative/, (body) => body.action.alternative !== null, 'the drug that is preferred'],
  [/dose|duration/, (body) => body.action.dose_text !== null, 'a handling in the detail'],
];

/** Refuses a row whose word or table promises what its cells do not hold. */
export function checkSense(row: BeersRow, table: string, body: Body): void {
  const [has, what] = TABLES[table] ?? [];
  if (has && !has(body)) refuse('contradiction', 'source_table', table, what!);
  for (const [word, test, expected] of WORDS) {
    if (word.test(row.recommendation) && !test(body))
      refuse('contradiction', 'recommendation', row.recommendation, expected);
  }
}

/** Where the pattern of use and the detail both name facts, they name the same: one letter makes "asymptomatic" the opposite. */
export function checkAgreement(cells: readonly ReadCell[]): void {
  const [pattern, detail] = ['use_pattern', 'recommendation_detail'].map((column) =>
    factsOf(cells.filter((c) => c.column === column)),
  ) as [string, string];
  if (pattern !== '' && detail !== '' && pattern !== detail)
    refuse('contradiction', 'use_pattern', pattern, `${detail}, as the detail says`);
}

const factsOf = (cells: readonly ReadCell[]): string =>
  foundIn(cells, 'when')
    .flatMap((f) => predicatesOf(f.condition))
    .flatMap((p) => (p.type === 'fact' ? [p.concept] : []))
    .sort()
    .join(', ');
