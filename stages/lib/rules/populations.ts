/** Which groups of people, as sources name them, a patient belongs to. */
import type { Population } from '../../../schemas/lock.js';
import type { Patient } from '../../../schemas/patient.js';
import { evaluate } from './evaluate.js';
import { parseCondition } from './expression.js';
import type { Knowledge } from './knowledge.js';
import type { Truth } from './truth.js';

/** KIDs List: a child is under 18. Beers Criteria: an older adult is 65 or older. */
const BY_AGE: readonly (readonly [Population, string])[] = [
  ['child', 'age < 18 a'],
  ['adult_renal_impairment', 'age [18..65) a'],
  ['older_adult', 'age >= 65 a'],
];

/**
 * Every group of neutral-drugs.csv that the patient belongs to or may belong to. A pregnant adult is in `pregnant` alone,
 * whose list was checked against the rows for adults too.
 */
export function populationsOf(patient: Patient, k: Knowledge): Population[] {
  const c = { patient, candidate: NO_USE };
  const is = (text: string): Truth => evaluate(parseCondition(text), c, k).truth;
  const pregnant = is('fact pregnant');
  const byAge = BY_AGE.filter(([, text]) => is(text) !== 'false').map(([p]) => p);
  const out = pregnant === 'true' ? byAge.filter((p) => p !== 'adult_renal_impairment') : byAge;
  return pregnant === 'false' ? out : [...out, 'pregnant'];
}

/** Nothing here asks about a drug. */
const NO_USE = { drug: '', form: null, route: null, dose: null, duration: null, facets: {} } as const;

/** Does a source that names these populations speak about a patient of those? `adult` is every adult. */
export function speaksOf(source: readonly Population[], patient: readonly Population[]): boolean {
  return patient.some((p) => source.includes(p) || (p !== 'child' && source.includes('adult')));
}
