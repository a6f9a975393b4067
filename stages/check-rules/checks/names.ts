/** Names: drugs, classes, concepts and uses that the tables of the project know. */
import type { Condition, DrugRef } from '../../../schemas/condition.js';
import type { Rule } from '../../../schemas/rule.js';
import { type Check, type Finding, finding, type Sources } from './check.js';

/** Names of a rule that no table holds. */
export const checkNames: Check = (rule, sources) => [
  ...rule.target.flatMap((ref, i) => checkRef(rule, `/target/${i}`, ref, sources)),
  ...checkCondition(rule, '/population', rule.population, sources),
  ...checkCondition(rule, '/when', rule.when, sources),
  ...rule.unless.flatMap((u, i) => checkCondition(rule, `/unless/${i}`, u.when, sources)),
  ...checkAlternative(rule, sources),
];

function checkRef(rule: Rule, field: string, ref: DrugRef, s: Sources): Finding[] {
  const isDrug = (name: string): boolean => s.drugs.has(name);
  const own =
    ref.kind === 'class'
      ? s.classes.has(ref.name)
        ? []
        : [finding(rule, 'unknown_class', field, ref.name, 'a class_key of classes.csv')]
      : isDrug(ref.name)
        ? []
        : [finding(rule, 'unknown_drug', field, ref.name, 'an ingredient of drug-names.csv')];
  const minus = ref.minus
    .filter((m) => !isDrug(m) && !s.classes.has(m))
    .map((m) => finding(rule, 'unknown_drug', field, m, 'a drug or a class to take out'));
  const routes = (ref.routes ?? []).filter((r) => !s.uses.has(`route ${r}`));
  return [
    ...own,
    ...minus,
    ...routes.map((r) => finding(rule, 'unknown_use', field, r, 'a route of uses.csv')),
  ];
}

function checkCondition(rule: Rule, field: string, c: Condition, s: Sources): Finding[] {
  switch (c.type) {
    case 'not':
      return checkCondition(rule, field, c.of, s);
    case 'all':
    case 'any':
    case 'at_least':
      return c.of.flatMap((part) => checkCondition(rule, field, part, s));
    case 'fact':
      return s.concepts.has(c.concept)
        ? []
        : [finding(rule, 'unknown_concept', field, c.concept, 'a concept of concepts.csv')];
    case 'co_medication':
    case 'drug_count':
    case 'since_last_dose':
      return c.drugs.flatMap((ref) => checkRef(rule, field, ref, s));
    case 'route':
      return c.any_of
        .filter((r) => !s.uses.has(`route ${r}`))
        .map((r) => finding(rule, 'unknown_use', field, r, 'a route of uses.csv'));
    case 'use': {
      const isKnown =
        c.facet === 'indication' ? s.concepts.has(c.value) : s.uses.has(`${c.facet} ${c.value}`);
      const place = c.facet === 'indication' ? 'a concept of concepts.csv' : `a ${c.facet} of uses.csv`;
      return isKnown ? [] : [finding(rule, 'unknown_use', field, c.value, place)];
    }
    default:
      return [];
  }
}

function checkAlternative(rule: Rule, s: Sources): Finding[] {
  const names = rule.action.alternative?.split(';').map((n) => n.trim()) ?? [];
  return names
    .filter((n) => !s.drugs.has(n) && !s.classes.has(n.replace(/^class:/, '')))
    .map((n) => finding(rule, 'unknown_drug', '/action/alternative', n, 'a drug or a class'));
}
