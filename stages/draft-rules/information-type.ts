/** The sort of patient information a rule turns on, one of eight, from its shape. The mapping follows guidelines.md part c. */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { RuleBody } from '../../schemas/rule.js';

export type Unlabelled = Omit<RuleBody, 'patient_information_type' | 'special_population' | 'operations'>;
type InformationType = RuleBody['patient_information_type'];
type Population = RuleBody['special_population'];

/** What the shape alone does not say: the source, the table of the Beers Criteria, the printed timing in pregnancy. */
export type Origin =
  | { readonly source: 'beers'; readonly table: 'Table 2' | 'Table 3' | 'Table 4' | 'Table 5' | 'Table 6' }
  | { readonly source: 'kids' }
  | { readonly source: 'tga' | 'labels'; readonly timing: string | null };

/** Every predicate of a condition, those under `not` too. */
export function predicatesOf(c: Condition): Predicate[] {
  if (c.type === 'all' || c.type === 'any' || c.type === 'at_least') return c.of.flatMap(predicatesOf);
  return c.type === 'not' ? predicatesOf(c.of) : [c];
}

/** The type of a rule of that origin and population. */
export function informationType(body: Unlabelled, origin: Origin, population: Population): InformationType {
  if (origin.source === 'beers') return beersType(body, origin.table);
  if (origin.source === 'kids') return kidsType(body);
  if (population === 'pregnant or breastfeeding women') {
    return WEEKS.test(origin.timing ?? '') ? 'gestational-week threshold' : 'pregnancy status';
  }
  return labelType(body, population);
}

/** Timing in weeks, at or near term, in the last month or days; trimesters and "late pregnancy" are a status. */
const WEEKS = /\b(weeks?|month|days|(at|near) term|half of pregnancy)\b/;

/**
 * Table 3 turns on a condition, Table 5 on a pair, Table 6 on the kidney. Elsewhere a row turns on age alone unless it has
 * an indication, exception, line of therapy or duration (composite), a number for the kidney or the dose, or is a pair.
 * A row that only allows bounds nobody: the uses it lists are what it allows.
 */
function beersType(body: Unlabelled, table: string): InformationType {
  if (table === 'Table 3') return 'condition trigger';
  if (table === 'Table 5' || body.action.object === 'combination') return 'drug interaction';
  if (table === 'Table 6') return 'renal or dose threshold';
  const when = predicatesOf(body.when);
  if (when.some((p) => p.type === 'measure' || p.type === 'dose')) return 'renal or dose threshold';
  if (body.action.polarity !== 'neutral' && when.some((p) => p.type !== 'age'))
    return 'composite clinical context';
  const has_more = body.unless.length > 0 || body.target.some((ref) => ref.dose !== null);
  return has_more ? 'composite clinical context' : 'age threshold';
}

/** A limit at 18 years sets children against adults; another limit is a threshold; with a condition it is composite. */
function kidsType(body: Unlabelled): InformationType {
  const found = [...predicatesOf(body.population), ...predicatesOf(body.when)];
  // A birth weight stands for an age; a newborn is one.
  const is_more = (p: Predicate): boolean =>
    (p.type === 'fact' && p.concept !== 'neonate') || (p.type === 'measure' && p.measure !== 'birth_weight');
  if (found.some(is_more)) return 'composite clinical context';
  const ages = found.filter((p) => p.type === 'age').map((p) => p.bounds);
  const is_childhood =
    ages.length > 0 && ages.every((b) => b.low === null && b.high === 18 && b.unit === 'a');
  return is_childhood ? 'pediatric-adult contrast' : 'age threshold';
}

/** Circumstances that are drugs given beside the candidate, though no list of drugs stands for them. */
const GIVEN_BESIDE = new Set(['intravenous_calcium', 'iodinated_contrast']);
const PAIRS: readonly Predicate['type'][] = ['co_medication', 'drug_count', 'since_last_dose'];
const NUMBERS: readonly Predicate['type'][] = ['measure', 'ckd_stage', 'dose', 'duration'];

/** A pair before a number, a number alone before an age, an age with anything else is composite where it binds the rule. */
function labelType(body: Unlabelled, population: Population): InformationType {
  const when = predicatesOf(body.when);
  const has = (...types: readonly Predicate['type'][]): boolean => when.some((p) => types.includes(p.type));
  if (body.action.object === 'combination' || has(...PAIRS)) return 'drug interaction';
  if (when.some((p) => p.type === 'fact' && GIVEN_BESIDE.has(p.concept))) return 'drug interaction';
  const has_number = has(...NUMBERS);
  if (!has('age')) return has_number ? 'renal or dose threshold' : 'condition trigger';
  if (!has_number && !has('fact')) return 'age threshold';
  return population === 'none' ? 'condition trigger' : 'composite clinical context';
}
