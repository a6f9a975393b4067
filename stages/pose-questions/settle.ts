/** What else must be said about the use of the key drug, so that no other rule of it stays undecided. */
import type { Condition } from '../../schemas/condition.js';
import type { Patient, Use } from '../../schemas/patient.js';
import type { RandomStream } from '../contract.js';
import { applyRule } from '../lib/rules/apply.js';
import { evaluate } from '../lib/rules/evaluate.js';
import { alternative } from './alternatives.js';
import { outside } from './scenario.js';
import type { Scenario } from './scenario-types.js';
import type { World } from './world.js';

const ROUNDS = 6;

/** Adds facets, dose, duration or form that make undecided restrict and change rules false, the same for every member. */
export function settle(world: World, members: readonly Scenario[], random: RandomStream): Scenario[] {
  let out = [...members];
  for (let round = 0; round < ROUNDS; round++) {
    const more = out.map((s) => moreUse(world, s.patient, s.use, random)).find((m) => m !== null);
    if (!more) break;
    out = out.map((s) => ({ ...s, use: merged(s.use, more) }));
  }
  return out;
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

function moreUse(world: World, patient: Patient, use: Use, random: RandomStream): More | null {
  const c = { patient, candidate: use };
  for (const rule of world.rulesOf(use.drug)) {
    if (rule.action.polarity !== 'restrict' && rule.action.polarity !== 'change') continue;
    if (applyRule(rule, c, world.knowledge).truth !== 'unknown') continue;
    for (const leaf of leaves(rule.when)) {
      if (evaluate(leaf, c, world.knowledge).truth !== 'unknown') continue;
      const more = falsify(leaf, use, world, random);
      if (more !== null) return more;
    }
  }
  return null;
}

function falsify(p: Condition, use: Use, world: World, random: RandomStream): More | null {
  switch (p.type) {
    case 'use': {
      if (use.facets[p.facet] !== undefined) return null;
      const value = alternative(p.facet, [p.value], world.indications(use.drug), random);
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
