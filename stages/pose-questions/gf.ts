/** Guideline-following items: one patient, the drugs that the named source says to avoid, or none of them. */
import type { Rule } from '../../schemas/rule.js';
import type { RandomStream } from '../contract.js';
import type { Balance } from './candidates.js';
import { type Composed, compose } from './compose.js';
import { flipped, flipsOf, ruleType } from './flips.js';
import { shuffled } from './literals.js';
import { buildScenario, triggerLiterals } from './scenario.js';
import { NoScenario, type Scenario } from './scenario-types.js';
import { settle } from './settle.js';
import type { World } from './world.js';

export interface MakeContext {
  readonly world: World;
  readonly balance: Balance;
  readonly random: (label: string) => RandomStream;
}

/** Drugs that may be the key of a rule, in a seeded order. */
export function targetsOf(world: World, rule: Rule, random: RandomStream) {
  return shuffled(
    rule.target.flatMap((ref) => world.listed(ref, rule.source_id).map((drug) => ({ ref, drug }))),
    random,
  );
}

/** A trigger of a rule for one of its drugs. */
export function trigger(world: World, rule: Rule, random: RandomStream, nth = 0): Scenario {
  const targets = targetsOf(world, rule, random);
  if (targets.length === 0) throw new NoScenario('the source names no drug of the class');
  const { ref, drug } = targets[nth % targets.length]!;
  return buildScenario({ world, rule, ref, drug, literals: triggerLiterals(rule, random), random });
}

const SECOND_KEY_EVERY = 3;
/** A drug that was the key in more of its items is not made one again. */
const OFTEN = 0.3;

/** The `n`th item of a restrict rule: in turn with its key and without; some of the first have a second key of the same source. */
export function guidelineItem(c: MakeContext, rule: Rule, n: number): Composed {
  const label = `gf ${rule.rule_id} ${n}`;
  const random = c.random(label);
  const scenario = trigger(c.world, rule, random, n);
  const is_none = n % 2 === 1;
  if (n > 1 && !is_none && c.balance.rate(scenario.use.drug) > OFTEN)
    return { why: 'the drug is the key often enough' };
  const side = is_none ? withoutKey(c, rule, scenario, random) : scenario;
  if (side === null) return { why: 'no fact can be turned round' };
  const uses = [side.use];
  if (!is_none && random.below(SECOND_KEY_EVERY) === 0) {
    const second = secondKey(c.world, rule, side, random);
    if (second) uses.push(second);
  }
  return compose({
    ...c,
    random,
    config: 'gf',
    decision_type: rule.action.object === 'combination' ? 'interaction' : 'avoidance',
    operation: rule.action.object === 'combination' ? 'combination check or selection' : 'direct application',
    information_type: ruleType(rule),
    profile: scenario.profile,
    rule,
    sides: [{ role: null, patient: side.patient, uses, rule_id: rule.rule_id }],
    keys: [is_none ? [] : uses.map((_, i) => i)],
    wording: random.below(1000),
    label,
  });
}

/** The same patient with one deciding fact turned round, so that the drug is harmless. */
function withoutKey(c: MakeContext, rule: Rule, s: Scenario, random: RandomStream): Scenario | null {
  const ref = rule.target.find((r) => c.world.listed(r, rule.source_id).includes(s.use.drug))!;
  for (const flip of shuffled(flipsOf(s.literals, c.world.knowledge.concepts), random)) {
    try {
      const other = buildScenario({
        ...c,
        rule,
        ref,
        drug: s.use.drug,
        literals: flipped(s.literals, flip.index),
        random,
        like: s,
      });
      const [settled] = settle(c.world, [other], random) as [Scenario];
      if (c.world.judge(rule.source_id, settled.patient, settled.use).is === 'harmless') return settled;
    } catch {
      // Another fact may still do.
    }
  }
  return null;
}

/** Another listed drug of the source that is to be avoided by this patient, used as it usually is. */
function secondKey(world: World, rule: Rule, s: Scenario, random: RandomStream) {
  const drugs = shuffled([...world.rules.values()], random)
    .filter(
      (r) =>
        r.source_id === rule.source_id &&
        r.rule_id !== rule.rule_id &&
        r.action.polarity === 'restrict' &&
        r.is_usable,
    )
    .flatMap((r) => r.target.flatMap((ref) => world.listed(ref, r.source_id).slice(0, 2)));
  for (const drug of drugs.slice(0, 40)) {
    if (drug === s.use.drug || s.patient.medications.some((m) => m.drug === drug)) continue;
    const use = world.ordinaryUse(drug);
    if (world.judge(rule.source_id, s.patient, use).is === 'key') return use;
  }
  return undefined;
}
