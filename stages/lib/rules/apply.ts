/** A rule against a patient and a candidate. */
import type { DrugRef } from '../../../schemas/condition.js';
import type { Use } from '../../../schemas/patient.js';
import type { Rule, RuleBody } from '../../../schemas/rule.js';
import { type Case, evaluate, type Verdict } from './evaluate.js';
import type { Knowledge } from './knowledge.js';
import { isTarget } from './target.js';
import { all, any, not, type Truth } from './truth.js';

/** Is the rule active for the candidate, and why. */
export interface RuleVerdict {
  readonly rule_id: string;
  readonly truth: Truth;
  readonly target: Verdict;
  readonly population: Verdict;
  readonly when: Verdict;
  readonly unless: readonly Verdict[];
}

/** Applies a rule. A combination counts from either side: the candidate may be the target or what it must not meet. */
export function applyRule(rule: Pick<Rule, 'rule_id'> & RuleBody, c: Case, k: Knowledge): RuleVerdict {
  const direct = applyOneWay(rule, c, k);
  if (rule.action.object !== 'combination' || direct.truth === 'true') return direct;
  const mirrored = applyMirrored(rule, c, k);
  const truth = any([direct.truth, ...mirrored.map((m) => m.truth)]);
  return mirrored.find((m) => m.truth === truth && truth !== 'false') ?? { ...direct, truth };
}

function applyOneWay(rule: Pick<Rule, 'rule_id'> & RuleBody, c: Case, k: Knowledge): RuleVerdict {
  const target = verdictOfTarget(rule.target, c.candidate, k);
  const population = evaluate(rule.population, c, k);
  const when = evaluate(rule.when, c, k);
  const unless = rule.unless.map((u) => evaluate(u.when, c, k));
  const truth = all([target.truth, population.truth, when.truth, ...unless.map((u) => not(u.truth))]);
  return { rule_id: rule.rule_id, truth, target, population, when, unless };
}

/** The rule seen from each drug already taken: that drug is the target, the candidate is added to the others. */
function applyMirrored(rule: Pick<Rule, 'rule_id'> & RuleBody, c: Case, k: Knowledge): RuleVerdict[] {
  const { medications } = c.patient;
  return medications
    .filter((m) => m.drug !== c.candidate.drug)
    .filter((m) => any(rule.target.map((ref) => isTarget(m, ref, k.drugs))) !== 'false')
    .map((m) => mirror(rule, c, k, m));
}

/**
 * The drug `m` as the candidate, the real candidate among the others. Where the rule held for `m` before the candidate
 * came, only a rule that the candidate fulfils by itself is about the candidate.
 */
function mirror(rule: Pick<Rule, 'rule_id'> & RuleBody, c: Case, k: Knowledge, m: Use): RuleVerdict {
  const others = c.patient.medications.filter((o) => o !== m);
  const seen = (medications: Use[]): RuleVerdict =>
    applyOneWay(rule, { patient: { ...c.patient, medications }, candidate: m }, k);
  return seen(others).truth === 'true' ? seen([c.candidate]) : seen([...others, c.candidate]);
}

function verdictOfTarget(target: readonly DrugRef[], use: Use, k: Knowledge): Verdict {
  const parts = target.map((ref) => ({
    asked: ref.minus.length > 0 ? `${ref.name} without ${ref.minus.join(', ')}` : ref.name,
    truth: isTarget(use, ref, k.drugs),
    got: use.drug,
    parts: [],
  }));
  return { asked: 'target', truth: any(parts.map((p) => p.truth)), got: use.drug, parts };
}
