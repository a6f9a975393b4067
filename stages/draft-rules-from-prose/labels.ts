/** Labels of a rule from its shape: what decides it, for whom it is, what a question on it asks. They are ours. */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { RuleBody } from '../../schemas/rule.js';
import type { Concepts } from '../lib/rules/concepts.js';

export type Unlabelled = Omit<RuleBody, 'patient_information_type' | 'special_population' | 'operations'>;
type InformationType = RuleBody['patient_information_type'];

/** The body with its three labels. */
export function withLabels(body: Unlabelled, concepts: Concepts): RuleBody {
  const found = [body.population, body.when].flatMap(predicatesOf);
  const patient_information_type = informationType(body, found, concepts);
  return {
    ...body,
    patient_information_type,
    special_population: specialPopulation(found, concepts),
    operations: operationsOf(body.action, patient_information_type),
  };
}

/** Every predicate of a condition, those under `not` too. */
export function predicatesOf(c: Condition): Predicate[] {
  if (c.type === 'all' || c.type === 'any' || c.type === 'at_least') return c.of.flatMap(predicatesOf);
  return c.type === 'not' ? predicatesOf(c.of) : [c];
}

/** One sort of fact decides, or several together. */
function informationType(body: Unlabelled, found: readonly Predicate[], concepts: Concepts): InformationType {
  if (body.action.object === 'combination') return 'drug interaction';
  const types = new Set(found.map((p) => typeOf(p, concepts)).filter((t) => t !== null));
  // Weeks of gestation say that there is a pregnancy.
  if (types.has('gestational-week threshold')) types.delete('pregnancy status');
  if (types.size > 1) return 'composite clinical context';
  return [...types][0] ?? 'condition trigger';
}

/** The sort of fact a predicate is; form, route and use narrow the drug down and are none. */
function typeOf(p: Predicate, concepts: Concepts): InformationType | null {
  switch (p.type) {
    case 'age':
      return isChildLimit(p) ? 'pediatric-adult contrast' : 'age threshold';
    case 'gestation':
      return 'gestational-week threshold';
    case 'fact':
      return isReproductive(p, concepts) ? 'pregnancy status' : 'condition trigger';
    case 'co_medication':
    case 'drug_count':
    case 'since_last_dose':
      return 'drug interaction';
    case 'measure':
    case 'ckd_stage':
    case 'dose':
    case 'duration':
      return 'renal or dose threshold';
    default:
      return null;
  }
}

/** Under 18 years: children against adults. */
const isChildLimit = (p: Predicate): boolean =>
  p.type === 'age' && p.bounds.unit === 'a' && p.bounds.low === null && p.bounds.high === 18;

const isReproductive = (p: Predicate, concepts: Concepts): boolean =>
  p.type === 'fact' && concepts.get(p.concept).kind === 'reproductive';

function specialPopulation(found: readonly Predicate[], concepts: Concepts): RuleBody['special_population'] {
  if (found.some((p) => p.type === 'gestation' || isReproductive(p, concepts)))
    return 'pregnant or breastfeeding women';
  const ages = found.filter((p) => p.type === 'age').map((p) => p.bounds);
  if (ages.some((b) => b.high !== null && (b.unit !== 'a' || b.high <= 18))) return 'children';
  // 65 years is where older age begins in the Beers Criteria; labels print 65 and 75.
  return ages.some((b) => b.unit === 'a' && b.low !== null && b.low >= 65) ? 'older adults' : 'none';
}

/** What questions on the rule ask for; what restricts nothing flips nothing. */
function operationsOf({ kind }: RuleBody['action'], type: InformationType): RuleBody['operations'] {
  const flips = ['activation', 'deactivation'] as const;
  const pair = type === 'drug interaction' ? (['combination check or selection'] as const) : [];
  if (kind === 'state normal dose') return ['threshold and dose'];
  if (kind === 'no restriction') return ['direct application'];
  if (kind === 'prefer or allow') return ['direct application', 'combination check or selection'];
  if (kind === 'avoid combination') return ['combination check or selection', ...flips];
  if (kind === 'reduce dose' || kind === 'cap dose or duration')
    return ['threshold and dose', ...pair, ...flips];
  const threshold = type === 'renal or dose threshold' ? (['threshold and dose'] as const) : [];
  return ['direct application', ...threshold, ...pair, ...flips];
}
