/** A rule against a patient and a candidate. */
import type { Condition } from '../../../schemas/condition.js';
import type { Use } from '../../../schemas/patient.js';
import type { Rule, RuleBody } from '../../../schemas/rule.js';
import { type Case, evaluate, group, type Verdict } from './evaluate.js';
import type { DrugKnowledge, Knowledge } from './knowledge.js';
import { isOneOf, isTarget } from './target.js';
import { others } from './together.js';
import { all, any, not, type Truth } from './truth.js';
import { wordRef } from './words.js';

export type Applicable = Pick<Rule, 'rule_id'> & RuleBody;

/** Is the rule active for the candidate, and why. */
export interface RuleVerdict {
  readonly rule_id: string;
  readonly truth: Truth;
  readonly target: Verdict;
  readonly population: Verdict;
  readonly when: Verdict;
  readonly unless: readonly Verdict[];
  /** The drug the rule is about: the candidate, or a drug taken that the candidate must not meet. */
  readonly about: string;
}

/** Applies a rule. A combination counts from either side: the candidate may be the target or what it must not meet. */
export function applyRule(rule: Applicable, c: Case, k: Knowledge): RuleVerdict {
  if (rule.action.object !== 'combination') return applyTo(rule, c, k);
  return anyOf([applyTo(rule, c, k), ...applyToParts(rule, c, k), ...fromOtherSide(rule, c, k)]);
}

/** The first verdict that decides, with the truth of any of them. */
function anyOf(verdicts: readonly RuleVerdict[]): RuleVerdict {
  const truth = any(verdicts.map((v) => v.truth));
  return verdicts.find((v) => v.truth === truth)!;
}

function applyTo(rule: Applicable, c: Case, k: Knowledge, involved?: Verdict): RuleVerdict {
  const named = verdictOfTarget(rule, c.candidate, k.drugs);
  const target = involved ? group('all', [named, involved], 'target and candidate') : named;
  const population = evaluate(rule.population, c, k);
  const when = evaluate(rule.when, c, k);
  const unless = rule.unless.map((u) => evaluate(u.when, c, k));
  const truth = all([target.truth, population.truth, when.truth, ...unless.map((u) => not(u.truth))]);
  return { rule_id: rule.rule_id, truth, target, population, when, unless, about: c.candidate.drug };
}

/** A combination product is its ingredients taken together: each may be the target and meet another. */
function applyToParts(rule: Applicable, c: Case, k: Knowledge): RuleVerdict[] {
  const parts = [...new Set(k.drugs.ingredients(c.candidate.drug))];
  if (parts.length < 2) return [];
  const uses = parts.map((drug): Use => ({ ...c.candidate, drug, dose: null }));
  return uses.map((candidate) => {
    const medications = [...others(c), ...uses.filter((u) => u !== candidate)];
    return applyTo(rule, { patient: { ...c.patient, medications }, candidate }, k);
  });
}

/**
 * The rule seen from each drug already taken: that drug is the target, the candidate is among the others. What was wrong
 * before the candidate came is not about it, unless the candidate is itself one of the drugs that make the rule hold.
 * While the list of medicines is open, a drug that is not stated may be the target.
 */
export function fromOtherSide(rule: Applicable, c: Case, k: Knowledge): RuleVerdict[] {
  const taken = others(c);
  const stated = taken
    .filter((m) => isOneOf(m, rule.target, k.drugs) !== 'false')
    .map((candidate) => {
      const medications = [...taken.filter((o) => o !== candidate), c.candidate];
      const turned: Case = { patient: { ...c.patient, medications }, candidate };
      return applyTo(rule, turned, k, involved(supports(rule.when, c.candidate, turned, k), c));
    });
  return c.patient.closed.includes('medications') ? stated : [...stated, fromUnstated(rule, c, k)];
}

const leaf = (asked: string, truth: Truth, got: string): Verdict => ({
  asked,
  truth,
  got,
  parts: [],
  needs: null,
});
const involved = (truth: Truth, c: Case): Verdict =>
  leaf('candidate is a drug to keep apart', truth, c.candidate.drug);

/** The rule seen from a drug of which nothing is known, not even that it is taken. */
function fromUnstated(rule: Applicable, c: Case, k: Knowledge): RuleVerdict {
  const other = leaf('another drug is taken', 'unknown', 'not stated');
  const target = group(
    'all',
    [other, involved(names(rule.when, c.candidate, k.drugs), c)],
    'target and candidate',
  );
  const population = evaluate(rule.population, c, k);
  const when = leaf('what the rule asks of that drug', 'unknown', 'not stated');
  const truth = all([target.truth, population.truth]);
  return { rule_id: rule.rule_id, truth, target, population, when, unless: [], about: c.candidate.drug };
}

/** Is the drug one that some part of the condition counts? */
export function names(condition: Condition, drug: Use, drugs: DrugKnowledge): Truth {
  if (condition.type === 'not') return names(condition.of, drug, drugs);
  if ('of' in condition) return any(condition.of.map((part) => names(part, drug, drugs)));
  return 'drugs' in condition ? isOneOf(drug, condition.drugs, drugs) : 'false';
}

/** Does the condition hold, with the drug among those that a holding part counts? */
function supports(condition: Condition, drug: Use, c: Case, k: Knowledge): Truth {
  const { truth } = evaluate(condition, c, k);
  switch (condition.type) {
    case 'all':
    case 'any':
    case 'at_least':
      return all([truth, any(condition.of.map((part) => supports(part, drug, c, k)))]);
    case 'co_medication':
    case 'drug_count':
    case 'since_last_dose':
      return all([truth, isOneOf(drug, condition.drugs, k.drugs)]);
    default:
      return 'false';
  }
}

function verdictOfTarget(rule: Applicable, use: Use, drugs: DrugKnowledge): Verdict {
  const parts = rule.target.map((ref) => leaf(wordRef(ref), isTarget(use, ref, drugs), use.drug));
  return group('any', parts, 'target');
}
