/** Numbers: each stands in a span of its field, or a definition row that the field cites gives it. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Rule } from '../../../schemas/rule.js';
import { numbersOf } from '../../lib/rules/numbers.js';
import { type Check, finding, type Sources } from './check.js';

/** Numbers of targets, population, `when`, exceptions and handling that no span of theirs says. */
export const checkNumbers: Check = (rule, sources) =>
  numberFields(rule).flatMap(([field, numbers]) => {
    const said = saidBy(rule, field, sources);
    return [...new Set(numbers)]
      .filter((n) => !said.has(n))
      .map((n) =>
        finding(rule, 'number_not_in_span', field, n, 'a number of its spans or of a definition they cite'),
      );
  });

function numberFields(rule: Rule): [string, string[]][] {
  const own = (c: Condition): string[] => [...numbersOf(c), ...refsOf(c).flatMap(doseOf)].map(String);
  return [
    ...rule.target.map((ref, i): [string, string[]] => [`/target/${i}`, doseOf(ref).map(String)]),
    ['/population', own(rule.population)],
    ['/when', own(rule.when)],
    ...rule.unless.map((u, i): [string, string[]] => [`/unless/${i}`, own(u.when)]),
    ['/action/dose_text', printed(rule.action.dose_text ?? '')],
  ];
}

const doseOf = (ref: DrugRef): number[] =>
  [ref.dose?.low ?? null, ref.dose?.high ?? null].filter((n) => n !== null);

/** References to drugs in a condition. */
function refsOf(c: Condition): readonly DrugRef[] {
  if (c.type === 'not') return refsOf(c.of);
  if ('of' in c) return c.of.flatMap(refsOf);
  return 'drugs' in c ? c.drugs : [];
}

/** Numbers as they are printed, without grouping and trailing zeros. */
const printed = (text: string): string[] =>
  (text.replace(/(\d),(?=\d{3}\b)/g, '$1').match(/\d+(?:\.\d+)?/g) ?? []).map((n) => String(Number(n)));

/** Number words that the tables write out. */
const WORDS: Readonly<Record<string, string>> = { one: '1', two: '2', three: '3', four: '4', five: '5' };

function saidBy(rule: Rule, field: string, { definitions }: Sources): ReadonlySet<string> {
  const spans = rule.spans.filter((s) => s.field === field || s.field.startsWith(`${field}/`));
  const defined = spans.flatMap((s) => {
    const name = /^definition:(.+)$/.exec(s.ref)?.[1];
    const definition = name === undefined ? null : definitions.get(name);
    return definition ? numbersOf(definition.condition).map(String) : [];
  });
  const words = spans.flatMap((s) => s.quote.toLowerCase().match(/[a-z]+/g) ?? []);
  return new Set([
    ...defined,
    ...spans.flatMap((s) => printed(s.quote)),
    ...words.flatMap((w) => WORDS[w] ?? []),
  ]);
}
