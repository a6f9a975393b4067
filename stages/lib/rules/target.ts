/** Does a drug as used fall under a reference of a rule? */
import type { DrugRef } from '../../../schemas/condition.js';
import type { Quantity, Use } from '../../../schemas/patient.js';
import { within } from './bounds.js';
import type { DrugKnowledge } from './knowledge.js';
import { all, any, not, type Truth, truthOf } from './truth.js';

/** The drug alone, without form, route and dose. */
export function isNamed(
  drug: string,
  ref: Pick<DrugRef, 'kind' | 'name' | 'minus'>,
  drugs: DrugKnowledge,
): Truth {
  const is = (name: string, kind: DrugRef['kind']): Truth => {
    if (kind === 'class') {
      const m = drugs.membership(drug, name);
      return m === 'yes' ? 'true' : m === 'no' ? 'false' : 'unknown';
    }
    const parts = drugs.ingredients(drug);
    return truthOf(drug === name || drugs.ingredients(name).every((i) => parts.includes(i)));
  };
  const minus = ref.minus.map((m) => any([is(m, 'ingredient'), is(m, 'class')]));
  return all([is(ref.name, ref.kind), ...minus.map(not)]);
}

/** The drug with the form, route and dose that the reference is limited to; what is not stated is unknown. */
export function isTarget(use: Use, ref: DrugRef, drugs: DrugKnowledge): Truth {
  return all([
    isNamed(use.drug, ref, drugs),
    ref.form === null ? 'true' : truthOf(use.form === null ? null : use.form === ref.form),
    ref.routes === null ? 'true' : truthOf(use.route === null ? null : ref.routes.includes(use.route)),
    ref.dose === null ? 'true' : truthOf(use.dose === null ? null : doseWithin(use.dose, ref.dose)),
  ]);
}

/** Milligrams a day in a unit of dose. */
const MG_PER_DAY: Readonly<Record<string, number>> = { 'mg/d': 1, 'ug/d': 0.001, 'g/d': 1000 };

/** A dose against bounds, both in units of mass a day, or both in milligrams a dose. */
export function doseWithin(dose: Quantity, bounds: NonNullable<DrugRef['dose']>): boolean | null {
  if (dose.unit === bounds.unit) return within(dose.value, bounds);
  const from = MG_PER_DAY[dose.unit];
  const to = MG_PER_DAY[bounds.unit];
  if (from === undefined || to === undefined) return null;
  return within((dose.value * from) / to, bounds);
}
