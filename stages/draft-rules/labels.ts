/**
 * Labels of a rule: patient-information type, special population, reasoning operations. They are ours, not the source's,
 * and follow from the shape of the rule.
 */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { RuleBody } from '../../schemas/rule.js';
import { informationType, type Origin, predicatesOf, type Unlabelled } from './information-type.js';

/** The body with its three labels. */
export function withLabels<T extends Unlabelled>(body: T, origin: Origin): T & RuleBody {
  const special_population = specialPopulation(body, origin);
  const patient_information_type = informationType(body, origin, special_population);
  return {
    ...body,
    patient_information_type,
    special_population,
    operations: operationsOf(body.action, patient_information_type),
  };
}

const REPRODUCTIVE = new Set([
  'pregnant',
  'could_be_pregnant',
  'planning_pregnancy',
  'in_labour',
  'breastfeeding',
  'partner_pregnant',
]);
/** Youngest limit in years that makes a statement one on older adults (citalopram: over 60). */
const OLD_FROM = 60;
const CHILD_TO = 18;

/** Three sources have one population each. A label speaks of those whom its conditions name. */
function specialPopulation(body: Unlabelled, origin: Origin): RuleBody['special_population'] {
  if (origin.source === 'beers') return 'older adults';
  if (origin.source === 'kids') return 'children';
  if (origin.source === 'tga') return 'pregnant or breastfeeding women';
  const found = [...predicatesOf(body.population), ...predicatesOf(body.when)];
  const is_pregnancy = (p: Predicate): boolean =>
    p.type === 'gestation' || (p.type === 'fact' && REPRODUCTIVE.has(p.concept));
  if (found.some(is_pregnancy)) return 'pregnant or breastfeeding women';
  if (requires(body.population, isChild) || requires(body.when, isChild)) return 'children';
  return found.some(isOld) ? 'older adults' : 'none';
}

const isChild = (p: Predicate): boolean => {
  if (p.type === 'fact') return p.concept === 'neonate' || p.concept === 'premature_newborn';
  if (p.type !== 'age' || p.bounds.high === null) return false;
  return p.kind === 'postmenstrual' || p.bounds.unit !== 'a' || p.bounds.high <= CHILD_TO;
};

const isOld = (p: Predicate): boolean =>
  p.type === 'age' && p.bounds.unit === 'a' && p.bounds.low !== null && p.bounds.low >= OLD_FROM;

/** Does a condition hold only where the test holds of one of its predicates? */
function requires(c: Condition, test: (p: Predicate) => boolean): boolean {
  switch (c.type) {
    case 'all':
      return c.of.some((part) => requires(part, test));
    case 'any':
    case 'at_least':
      return c.of.every((part) => requires(part, test));
    case 'not':
      return false;
    default:
      return test(c);
  }
}

const PAIR = ['combination check or selection'] as const;

/** Handlings of a dose ask for a threshold, pairs and preferences for a selection; what restricts nothing flips nothing. */
function operationsOf(
  action: RuleBody['action'],
  type: RuleBody['patient_information_type'],
): RuleBody['operations'] {
  const pair = type === 'drug interaction' ? PAIR : [];
  switch (action.kind) {
    case 'state normal dose':
      return ['threshold and dose'];
    case 'no restriction':
      return ['direct application'];
    case 'prefer or allow':
      return ['direct application', ...PAIR];
    case 'avoid combination':
      return [...PAIR, 'activation', 'deactivation'];
    case 'reduce dose':
    case 'cap dose or duration':
      return ['threshold and dose', ...pair, 'activation', 'deactivation'];
    default: {
      const number = type === 'renal or dose threshold' ? (['threshold and dose'] as const) : [];
      return ['direct application', ...number, ...pair, 'activation', 'deactivation'];
    }
  }
}
