/** Units: each number in a unit of its quantity. */
import type { Bounds, Condition, DrugRef, MEASURES } from '../../../schemas/condition.js';
import type { Rule } from '../../../schemas/rule.js';
import { isUcumCode } from '../../lib/units.js';
import { type Check, type Finding, finding } from './check.js';

const TIME = ['a', 'mo', 'wk', 'd', 'h'];
/** What a body cleared in a minute, and the same for each 1.73 m2 of its surface, are never compared. */
const PER_AREA = ['mL/min/{1.73_m2}'];
const CONCENTRATION = ['mg/dL', 'umol/L'];

export const LEGAL_UNITS: Readonly<Record<(typeof MEASURES)[number], readonly string[]>> = {
  CrCl: ['mL/min'],
  eGFR: PER_AREA,
  CrCl_per_area: PER_AREA,
  serum_creatinine: CONCENTRATION,
  bilirubin: CONCENTRATION,
  potassium: ['mmol/L'],
  weight: ['kg', 'g'],
  birth_weight: ['kg', 'g'],
  QT: ['ms'],
  QTc: ['ms'],
};
const DOSES = ['mg/d', 'ug/d', 'g/d', 'mg', 'g'];

/** Numbers in a unit that their quantity does not have, or that UCUM does not know. */
export const checkUnits: Check = (rule) => [
  ...rule.target.flatMap((ref, i) => checkRef(rule, `/target/${i}`, ref)),
  ...checkCondition(rule, '/population', rule.population),
  ...checkCondition(rule, '/when', rule.when),
  ...rule.unless.flatMap((u, i) => checkCondition(rule, `/unless/${i}`, u.when)),
];

const checkRef = (rule: Rule, field: string, ref: DrugRef): Finding[] =>
  ref.dose === null ? [] : checkUnit(rule, field, 'dose', ref.dose, DOSES);

function checkCondition(rule: Rule, field: string, c: Condition): Finding[] {
  if (c.type === 'not') return checkCondition(rule, field, c.of);
  if ('of' in c) return c.of.flatMap((part) => checkCondition(rule, field, part));
  const refs = 'drugs' in c ? c.drugs.flatMap((ref) => checkRef(rule, field, ref)) : [];
  if (!('bounds' in c)) return refs;
  const [what, legal] =
    c.type === 'measure'
      ? [c.measure, LEGAL_UNITS[c.measure]]
      : c.type === 'dose'
        ? ['dose', DOSES]
        : [c.type, TIME];
  return [...refs, ...checkUnit(rule, field, what, c.bounds, legal)];
}

function checkUnit(rule: Rule, field: string, what: string, b: Bounds, legal: readonly string[]): Finding[] {
  if (legal.includes(b.unit) && isUcumCode(b.unit)) return [];
  return [finding(rule, 'illegal_unit', field, `${what} in ${b.unit}`, legal.join(' or '))];
}
