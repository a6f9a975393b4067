/** What else must be said about the use of the key drug, so that no other rule of it stays undecided. */
import type { Condition } from '../../schemas/condition.js';
import type { Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import { applyRule } from '../lib/rules/apply.js';
import { evaluate } from '../lib/rules/evaluate.js';
import { alternative, fitting } from './alternatives.js';
import { mustBePlausible } from './plausible.js';
import { outside, withGoal, withIndication } from './scenario.js';
import type { Scenario } from './scenario-types.js';
import type { World } from './world.js';

const ROUNDS = 6;

/** Adds facets, dose, duration or form that make undecided restrict and change rules false, the same for every member. */
export function settle(world: World, members: readonly Scenario[], random: RandomStream): Scenario[] {
  let out = [...members];
  for (let round = 0; round < ROUNDS; round++) {
    const more = out.map((s) => moreUse(world, s, random)).find((m) => m !== null);
    if (!more) break;
    out = out.map((s) => withUse(s, merged(s.use, more), world));
  }
  return out;
}

/** What the drug turns out to be given for is an illness of the patient. */
function withUse(s: Scenario, found: Use, world: World): Scenario {
  const use = { ...found, facets: withGoal(found.facets, found.drug, world) };
  mustBePlausible(s.patient, use);
  return { ...s, use, patient: withIndication(s.patient, use, world) };
}

type More = Partial<Pick<Use, 'dose' | 'duration' | 'form' | 'route' | 'facets'>>;

/** What is stated stays. */
function merged(use: Use, more: More): Use {
  return {
    ...use,
    dose: use.dose ?? more.dose ?? null,
    duration: use.duration ?? more.duration ?? null,
    form: use.form ?? more.form ?? null,
    route: use.route ?? more.route ?? null,
    facets: { ...more.facets, ...use.facets },
  };
}

function moreUse(world: World, { patient, use, profile }: Scenario, random: RandomStream): More | null {
  const indications = fitting(world.indications(use.drug), profile);
  const c = { patient, candidate: use };
  for (const rule of world.rulesOf(use.drug)) {
    if (rule.action.polarity !== 'restrict' && rule.action.polarity !== 'change') continue;
    if (applyRule(rule, c, world.knowledge).truth !== 'unknown') continue;
    for (const leaf of leaves(rule.when)) {
      if (evaluate(leaf, c, world.knowledge).truth !== 'unknown') continue;
      const more = falsify(leaf, use, indications, random);
      if (more !== null) return more;
    }
  }
  return null;
}

function falsify(p: Condition, use: Use, indications: readonly string[], random: RandomStream): More | null {
  switch (p.type) {
    case 'use': {
      if (use.facets[p.facet] !== undefined) return null;
      const value = alternative(p.facet, [p.value], indications, random);
      return value === undefined ? null : { facets: { [p.facet]: value } };
    }
    case 'dose':
      return use.dose ? null : { dose: { value: outside(p.bounds, false), unit: p.bounds.unit } };
    case 'duration':
      return use.duration ? null : { duration: { value: outside(p.bounds, false), unit: p.bounds.unit } };
    case 'form':
      return use.form
        ? null
        : { form: p.form === 'extended_release' ? 'immediate_release' : 'extended_release' };
    default:
      return null;
  }
}

const leaves = (c: Condition): Condition[] =>
  c.type === 'all' || c.type === 'any' || c.type === 'at_least'
    ? c.of.flatMap(leaves)
    : c.type === 'not'
      ? leaves(c.of)
      : [c];
