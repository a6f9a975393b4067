/** Does a drug as used fall under a reference of a rule? */
import type { Bounds, DrugRef } from '../../../schemas/condition.js';
import type { Quantity, Use } from '../../../schemas/patient.js';
import { within } from './bounds.js';
import type { DrugKnowledge } from './knowledge.js';
import { convert, DOSES } from './measures.js';
import { all, any, not, type Truth, truthOf } from './truth.js';

type Named = Pick<DrugRef, 'kind' | 'name' | 'minus' | 'is_inferred'>;

/**
 * The drug alone, without form, route and dose. A combination falls under a reference when it does so itself, or when an
 * ingredient does that is not taken out again; a combination that is taken out takes its ingredients with it.
 */
export function isNamed(drug: string, ref: Named, drugs: DrugKnowledge): Truth {
  const answers = answersOf(drugs, ref);
  let answer = answers.get(drug);
  if (answer === undefined) {
    answer = findNamed(drug, ref, drugs);
    answers.set(drug, answer);
  }
  return answer;
}

/** Answers by knowledge and reference object: the same question comes with every patient. */
const remembered = new WeakMap<DrugKnowledge, WeakMap<Named, Map<string, Truth>>>();

function answersOf(drugs: DrugKnowledge, ref: Named): Map<string, Truth> {
  let byRef = remembered.get(drugs);
  if (!byRef) {
    byRef = new WeakMap();
    remembered.set(drugs, byRef);
  }
  let answers = byRef.get(ref);
  if (!answers) {
    answers = new Map();
    byRef.set(ref, answers);
  }
  return answers;
}

function findNamed(drug: string, ref: Named, drugs: DrugKnowledge): Truth {
  const isMinus = (unit: string, names: readonly string[]): Truth =>
    any(names.map((m) => isOf(unit, m, drugs.isClass(m) ? 'class' : 'ingredient', drugs)));
  const combinations = ref.minus.filter((m) => !drugs.isClass(m) && drugs.ingredients(m).length > 1);
  const units = [...new Set([drug, ...drugs.ingredients(drug)])];
  const in_ = units.map((u) => all([isOf(u, ref.name, ref.kind, drugs), not(isMinus(u, ref.minus))]));
  const named = all([any(in_), not(isMinus(drug, combinations))]);
  // A class that the source only hints at: its known members may be meant, other drugs are not.
  return ref.is_inferred ? (named === 'true' ? 'unknown' : 'false') : named;
}

function isOf(drug: string, name: string, kind: DrugRef['kind'], drugs: DrugKnowledge): Truth {
  if (kind === 'class') {
    const m = drugs.membership(drug, name);
    return m === 'yes' ? 'true' : m === 'no' ? 'false' : 'unknown';
  }
  const parts = drugs.ingredients(drug);
  const asked = drugs.ingredients(name);
  return truthOf(drug === name || (asked.length > 0 && asked.every((i) => parts.includes(i))));
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

/** A use against a list of references: any one is enough. */
export const isOneOf = (use: Use, refs: readonly DrugRef[], drugs: DrugKnowledge): Truth =>
  any(refs.map((ref) => isTarget(use, ref, drugs)));

/** A dose against bounds, both a day or both single; null where they do not compare. */
export function doseWithin(dose: Quantity, bounds: Bounds): boolean | null {
  const value = convert(dose, bounds.unit, DOSES);
  return value === null ? null : within(value, bounds);
}
