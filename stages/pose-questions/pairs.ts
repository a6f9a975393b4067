/** Counterfactual pairs: the same options, one changed fact, another answer. */
import type { Change } from '../../schemas/medpic.js';
import type { Rule } from '../../schemas/rule.js';
import { type Composed, compose } from './compose.js';
import { flipped, flipsOf, growingUp, informationType } from './flips.js';
import { type MakeContext, targetsOf } from './gf.js';
import { buildScenario, triggerLiterals } from './scenario.js';
import type { Scenario } from './scenario-types.js';
import { settle } from './settle.js';

export interface PairPlan {
  readonly rule: Rule;
  readonly nth: number;
  readonly flip: number;
  readonly sort: string;
}

/** Every fact of a rule that a pair could turn, for up to `drugs` of its drugs. */
export function planPairs(c: MakeContext, rule: Rule, drugs: number): PairPlan[] {
  const random = c.random(`cf ${rule.rule_id}`);
  const n = Math.min(drugs, targetsOf(c.world, rule, random).length);
  const wanted = triggerLiterals(rule, c.random(`cf ${rule.rule_id} literals`));
  const flips = [...growingUp(wanted), ...flipsOf(wanted, c.world.knowledge.concepts)];
  return Array.from({ length: n }, (_, nth) => nth).flatMap((nth) =>
    flips.map((f) => ({ rule, nth, flip: f.index, sort: f.sort })),
  );
}

/** Makes one planned pair: the trigger with its key, the control without. */
export function makePair(c: MakeContext, plan: PairPlan): Composed {
  const { rule } = plan;
  const label = `cf ${rule.rule_id} ${plan.nth} ${plan.flip}`;
  const random = c.random(label);
  const targets = targetsOf(c.world, rule, c.random(`cf ${rule.rule_id}`));
  const { ref, drug } = targets[plan.nth % targets.length]!;
  const wanted = triggerLiterals(rule, c.random(`cf ${rule.rule_id} literals`));
  const base = { ...c, rule, ref, drug, random };
  const first = buildScenario({ ...base, literals: wanted });
  const other = buildScenario({ ...base, literals: flipped(wanted, plan.flip), like: first });
  const [on, off] = settle(c.world, [first, other], random) as [Scenario, Scenario];
  const information_type = informationType(plan.sort, on.patient, off.patient);
  return compose({
    ...c,
    random,
    config: 'cf',
    decision_type: rule.action.object === 'combination' ? 'interaction' : 'avoidance',
    operation: 'activation',
    information_type,
    profile: on.profile,
    rule,
    sides: [
      { role: 'trigger', patient: on.patient, uses: [on.use], rule_id: rule.rule_id },
      { role: 'control', patient: off.patient, uses: [off.use], rule_id: rule.rule_id },
    ],
    keys: [[0], []],
    wording: random.below(1000),
    label,
    mayChange: oneFact,
  });
}

/** One change, or one change that says the same thing twice (a stage and its number do not both stand). */
export const oneFact = (changes: readonly Change[]): boolean => changes.length === 1;
