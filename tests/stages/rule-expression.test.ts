import { describe, expect, it } from 'vitest';
import { parseCondition, printCondition } from '../../stages/lib/rules/expression.js';

const LINES = [
  'always',
  'all(age >= 65 a, not(fact hospice_care))',
  'at_least(2; age >= 80 a, weight <= 60 kg, serum_creatinine >= 1.5 mg/dL)',
  'gestation [20..30) wk',
  'CrCl (30..59] mL/min',
  'all(CrCl [15..29] mL/min, any(female, fact renal_impairment))',
  'ckd_stage >= 3a',
  'with class:antipsychotics minus clozapine minus quetiapine | lithium',
  'with 2 of class:opioids | class:antiepileptics',
  'count >= 3 of class:opioids | class:antiepileptics',
  'use indication=atrial_fibrillation',
  'since < 36 h of class:neprilysin_inhibitors',
  'since [1..36) h of class:neprilysin_inhibitors | aliskiren',
  'all(fact pregnant, since < 3 a of acitretin)',
  'dose = 2.5 mg/d',
  'route oral|transdermal',
  'form extended_release',
  'pma <= 41 wk',
  'with class:corticosteroids_systemic {oral/rectal} | aspirin {> 325 mg/d}',
  'any(with tramadol {extended_release; oral}, female)',
  'with class:opioids minus codeine {oral; inferred}',
];

describe('conditions as text', () => {
  it.each(LINES)('%s reads back to itself', (line) => {
    expect(printCondition(parseCondition(line))).toBe(line);
  });

  it.each([
    ['age < 12', /no bound with a UCUM unit/],
    ['CrCl < 30 ml/min', /Invalid option/],
    ['CrCl 60..30 mL/min', /low is over high/],
    ['use colour=red', /facet colour/],
    ['any()', /no predicate/],
    ['hello', /no predicate/],
    ['at_least(x; female, male)', /needs a number/],
    ['ckd_stage >= 9', /CKD stage/],
  ])('refuses %s', (line, words) => {
    expect(() => parseCondition(line)).toThrow(words);
  });
});
