/**
 * Labels of a rule from its shape: patient-information type, special population, reasoning operations. They are ours, not
 * the source's; guidelines.md gives the mapping.
 */
import type { Condition, Predicate } from '../../schemas/condition.js';
import type { RuleBody } from '../../schemas/rule.js';

export type Unlabelled = Omit<RuleBody, 'patient_information_type' | 'special_population' | 'operations'>;
type InformationType = RuleBody['patient_information_type'];

/** What the shape alone does not say: the source, and for the Beers Criteria the table. */
export type Origin =
  | { readonly source: 'beers'; readonly table: 'Table 2' | 'Table 3' | 'Table 4' | 'Table 5' | 'Table 6' }
  | { readonly source: 'kids' | 'tga' | 'labels' };

/** The body with its three labels. */
export function withLabels<T extends Unlabelled>(body: T, origin: Origin): T & RuleBody {
  const patient_information_type = informationType(body, origin);
  return {
    ...body,
    patient_information_type,
    special_population: specialPopulation(body, origin),
    operations: operationsOf(body.action, patient_information_type),
  };
}

/** Every predicate of a condition, those under `not` too. */
export function predicatesOf(c: Condition): Predicate[] {
  if (c.type === 'all' || c.type === 'any' || c.type === 'at_least') return c.of.flatMap(predicatesOf);
  return c.type === 'not' ? predicatesOf(c.of) : [c];
}

function informationType(body: Unlabelled, origin: Origin): InformationType {
  if (origin.source === 'beers') return beersType(body, origin.table);
  throw new Error(`no labels yet for ${origin.source}`);
}

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
  if (body.action.polarity === 'neutral' || when.every((p) => p.type === 'age')) {
    const has_dose = body.target.some((ref) => ref.dose !== null);
    return body.unless.length > 0 || has_dose ? 'composite clinical context' : 'age threshold';
  }
  return 'composite clinical context';
}

function specialPopulation(_body: Unlabelled, origin: Origin): RuleBody['special_population'] {
  if (origin.source === 'beers') return 'older adults';
  if (origin.source === 'kids') return 'children';
  if (origin.source === 'tga') return 'pregnant or breastfeeding women';
  throw new Error(`no labels yet for ${origin.source}`);
}

/** Handlings of a dose ask for a threshold, pairs and preferences for a selection; what restricts nothing flips nothing. */
function operationsOf(action: RuleBody['action'], type: InformationType): RuleBody['operations'] {
  const is_pair = type === 'drug interaction';
  switch (action.kind) {
    case 'state normal dose':
      return ['threshold and dose'];
    case 'no restriction':
      return ['direct application'];
    case 'prefer or allow':
      return ['direct application', 'combination check or selection'];
    case 'avoid combination':
      return ['combination check or selection', 'activation', 'deactivation'];
    case 'reduce dose':
    case 'cap dose or duration':
      return ['threshold and dose', ...(is_pair ? PAIR : []), 'activation', 'deactivation'];
    default:
      return [
        'direct application',
        ...(type === 'renal or dose threshold' ? (['threshold and dose'] as const) : []),
        ...(is_pair ? PAIR : []),
        'activation',
        'deactivation',
      ];
  }
}

const PAIR = ['combination check or selection'] as const;
