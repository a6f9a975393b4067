/** Label rules against patients: worked examples of the rule format, and the edges of what labels print. */
import { describe, expect, it } from 'vitest';
import type { Patient } from '../../schemas/patient.js';
import { AF, active, crcl, egfr, type Given, measure, person, verdict } from './label-cases.js';

describe('apixaban, two of three', () => {
  const apixaban = { drug: 'apixaban', facets: AF, dose: { value: 5, unit: 'mg' } };
  const features = (age: number, weight: number, creatinine: number): Patient =>
    person({
      age: { value: age, unit: 'a' },
      measures: {
        weight: { value: weight, unit: 'kg' },
        serum_creatinine: { value: creatinine, unit: 'mg/dL' },
      },
    });
  it.each([
    [82, 58, 1.0, 'true'],
    [82, 72, 1.0, 'false'],
    // The weight changed alone, and the creatinine still makes two.
    [82, 72, 1.6, 'true'],
    [70, 58, 1.0, 'false'],
    [70, 58, 1.6, 'true'],
    [80, 60, 1.0, 'true'],
    [79, 60, 1.49, 'false'],
    [79, 60, 1.5, 'true'],
    [80, 60.1, 1.49, 'false'],
  ])('age %d, %d kg, creatinine %d: %s', (age, weight, creatinine, expected) => {
    expect(verdict('FDA-001', apixaban, features(age, weight, creatinine))).toBe(expected);
  });

  it('reads creatinine in micromoles: 133 is 1.5 mg/dL, 132 is less', () => {
    const at = (value: number): Patient =>
      person({
        age: { value: 82, unit: 'a' },
        measures: { weight: { value: 80, unit: 'kg' }, serum_creatinine: { value, unit: 'umol/L' } },
      });
    expect(verdict('FDA-001', apixaban, at(133))).toBe('true');
    expect(verdict('FDA-001', apixaban, at(132))).toBe('false');
  });

  it('is unknown while the second feature is not stated, known when two are', () => {
    const old = { age: { value: 85, unit: 'a' } };
    expect(verdict('FDA-001', apixaban, person(old))).toBe('unknown');
    expect(verdict('FDA-001', apixaban, person({ ...old, ...measure('weight', 50, 'kg') }))).toBe('true');
  });

  it('halves the dose with a strong inhibitor, and avoids the pair at the lowest dose', () => {
    const taking = person({ medications: [{ drug: 'ketoconazole', route: 'oral' }] });
    const dose = (value: number) => ({ drug: 'apixaban', facets: AF, dose: { value, unit: 'mg' } });
    expect(['FDA-002', 'FDA-003'].map((id) => verdict(id, dose(5), taking))).toEqual(['true', 'false']);
    expect(['FDA-002', 'FDA-003'].map((id) => verdict(id, dose(2.5), taking))).toEqual(['false', 'true']);
    // From the other side: ketoconazole is to be given to somebody on the lowest dose.
    const on_lowest = person({ medications: [dose(2.5)] });
    expect(verdict('FDA-003', { drug: 'ketoconazole' }, on_lowest)).toBe('true');
    expect(verdict('FDA-003', { drug: 'ketoconazole' }, person({ medications: [dose(5)] }))).toBe('false');
  });
});

describe('dabigatran in atrial fibrillation', () => {
  const dabigatran = { drug: 'dabigatran', facets: AF };
  const with_ = (drug: string, value: number): Patient =>
    person({ medications: [{ drug, route: 'oral' }], ...crcl(value) });
  it.each([
    [14, ['FDA-009']],
    [15, ['FDA-008']],
    [24, ['FDA-008']],
    [30, ['FDA-008']],
    [31, ['FDA-007']],
    [80, ['FDA-007']],
  ])('clearance %d', (value, expected) => {
    expect(active(dabigatran, person(crcl(value)))).toEqual(expected);
  });

  it('with inhibitors', () => {
    expect(active(dabigatran, with_('dronedarone', 40))).toEqual(['FDA-007', 'FDA-010']);
    expect(active(dabigatran, with_('verapamil', 40))).toEqual(['FDA-007']);
    expect(active(dabigatran, with_('dronedarone', 24))).toEqual(['FDA-008', 'FDA-011']);
    expect(active(dabigatran, with_('dronedarone', 60))).toEqual(['FDA-007']);
  });

  it('on dialysis there is no dose, whatever the clearance', () => {
    expect(active(dabigatran, person({ ...crcl(50), facts: { dialysis: true } }))).toContain('FDA-009');
  });

  it('for venous thromboembolism is another ladder', () => {
    const use = {
      drug: 'dabigatran',
      facets: { indication: 'venous_thromboembolism', purpose: 'treatment' },
    };
    expect(active(use, person(crcl(30)))).toEqual(['FDA-012']);
    expect(active(use, person(crcl(31)))).toEqual([]);
    expect(active(use, with_('dronedarone', 40))).toEqual(['FDA-013']);
  });

  it('an eGFR says nothing about a clearance', () => {
    expect(verdict('FDA-008', dabigatran, person(egfr(24)))).toBe('unknown');
    expect(verdict('FDA-014', dabigatran, person({ facts: { mechanical_heart_valve: true } }))).toBe('true');
  });
});

describe('metformin, starting and continuing', () => {
  const metformin = (phase: string) => ({
    drug: 'metformin',
    facets: { indication: 'type_2_diabetes', phase },
  });
  it.each([
    ['starting', 38, ['FDA-041']],
    ['continuing', 38, ['FDA-042']],
    ['starting', 45, ['FDA-041']],
    ['continuing', 45, []],
    ['starting', 46, []],
    ['starting', 30, ['FDA-041']],
    ['starting', 29, ['FDA-040']],
    ['continuing', 29, ['FDA-040', 'FDA-042', 'FDA-043']],
  ])('%s at %d', (phase, value, expected) => {
    expect(
      active(metformin(phase), person({ ...egfr(value), facts: { iodinated_contrast: false } })),
    ).toEqual(expected);
  });

  it('is interrupted for contrast between 30 and 60, both in', () => {
    const contrast = (value: number) => person({ ...egfr(value), facts: { iodinated_contrast: true } });
    expect([29, 30, 60, 61].map((v) => verdict('FDA-044', metformin('continuing'), contrast(v)))).toEqual([
      'false',
      'true',
      'true',
      'false',
    ]);
  });
});

describe('tramadol by age', () => {
  const pain = { drug: 'tramadol', form: 'immediate_release', facets: { indication: 'postoperative_pain' } };
  const child = (age: number, facts: Given = {}): Patient =>
    person({ age: { value: age, unit: 'a' }, facts: { after_tonsil_or_adenoid_surgery: false, ...facts } });
  it('under 12 for any pain; 12 to 18 only after tonsil surgery or with a risk factor', () => {
    expect(active(pain, child(9))).toEqual(['FDA-072']);
    expect(active(pain, child(12))).toEqual([]);
    expect(active(pain, child(14, { after_tonsil_or_adenoid_surgery: true }))).toEqual(['FDA-073']);
    expect(active(pain, child(14, { sleep_apnea: true }))).toEqual(['FDA-074']);
    expect(active(pain, child(18, { sleep_apnea: true }))).toEqual(['FDA-074']);
    expect(active(pain, child(19, { sleep_apnea: true }))).toEqual([]);
    expect(active(pain, child(18, { after_tonsil_or_adenoid_surgery: true }))).toEqual([]);
    expect(active(pain, child(17, { after_tonsil_or_adenoid_surgery: true }))).toEqual(['FDA-073']);
  });

  it('the form of an adult decides, and must be stated', () => {
    const adult = person({ age: { value: 80, unit: 'a' }, ...crcl(22) });
    const form = (f: string | null) => ({ drug: 'tramadol', form: f });
    expect(active(form('immediate_release'), adult)).toEqual(['FDA-065', 'FDA-067']);
    expect(active(form('extended_release'), adult)).toEqual([]);
    expect(verdict('FDA-065', form(null), adult)).toBe('unknown');
    // Over 75: not 75 itself.
    expect(verdict('FDA-067', form('immediate_release'), person({ age: { value: 75, unit: 'a' } }))).toBe(
      'false',
    );
  });
});

describe('two drugs', () => {
  it('an ACE inhibitor and a neprilysin inhibitor, in either order, within 36 hours', () => {
    const stoppedSince = (hours: number, drug: string) =>
      person({ stopped: [{ drug, ago: { value: hours, unit: 'h' } }] });
    expect(active({ drug: 'lisinopril' }, stoppedSince(20, 'sacubitril-valsartan'))).toEqual([
      'FDA-132.ace_inhibitors',
    ]);
    expect(active({ drug: 'lisinopril' }, stoppedSince(36, 'sacubitril-valsartan'))).toEqual([]);
    expect(active({ drug: 'sacubitril-valsartan' }, stoppedSince(20, 'lisinopril'))).toEqual([
      'FDA-132.neprilysin_inhibitors',
    ]);
    expect(active({ drug: 'losartan' }, stoppedSince(20, 'sacubitril-valsartan'))).toEqual([]);
  });

  it('aliskiren with an ACE inhibitor or ARB, only in diabetes, from both sides', () => {
    const state = (drug: string, diabetes: boolean) =>
      person({ medications: [{ drug }], facts: { diabetes, pregnant: false } });
    expect(verdict('FDA-133', { drug: 'losartan' }, state('aliskiren', true))).toBe('true');
    expect(verdict('FDA-133', { drug: 'losartan' }, state('aliskiren', false))).toBe('false');
    expect(verdict('FDA-133', { drug: 'aliskiren' }, state('losartan', true))).toBe('true');
    expect(verdict('FDA-133', { drug: 'amlodipine' }, state('losartan', true))).toBe('false');
  });

  it('simvastatin over 10 mg with verapamil', () => {
    const dose = (value: number) => ({ drug: 'simvastatin', dose: { value, unit: 'mg/d' } });
    const taking = person({ medications: [{ drug: 'verapamil' }] });
    expect([10, 20].map((d) => verdict('FDA-125', dose(d), taking))).toEqual(['false', 'true']);
    expect(verdict('FDA-125', dose(20), person())).toBe('false');
  });
});

describe('other grounds', () => {
  it('ketorolac injection: any one of three', () => {
    const ketorolac = { drug: 'ketorolac', route: 'intravenous' };
    const state = (age: number, weight: number, renal_impairment: boolean) =>
      person({
        age: { value: age, unit: 'a' },
        facts: { renal_impairment },
        ...measure('weight', weight, 'kg'),
      });
    expect(verdict('FDA-086', ketorolac, state(40, 80, false))).toBe('false');
    expect(verdict('FDA-086', ketorolac, state(65, 80, false))).toBe('true');
    expect(verdict('FDA-086', ketorolac, state(40, 49, false))).toBe('true');
    expect(verdict('FDA-086', ketorolac, state(40, 80, true))).toBe('true');
    expect(verdict('FDA-086', { drug: 'ketorolac', route: 'oral' }, state(65, 80, false))).toBe('false');
  });

  it('prasugrel at 75 unless at high risk', () => {
    const use = { drug: 'prasugrel', facets: { indication: 'acute_coronary_syndrome' } };
    const state = (age: number, facts: Given = {}) =>
      person({
        age: { value: age, unit: 'a' },
        facts: { stroke_or_tia_history: false, ...facts },
        ...measure('weight', 80, 'kg'),
      });
    expect(active(use, state(74))).toEqual([]);
    expect(active(use, state(75))).toEqual(['FDA-025']);
    expect(active(use, state(75, { diabetes: true }))).toEqual([]);
  });

  it('dofetilide: the QTc limit moves with a conduction abnormality', () => {
    const state = (qtc: number, abnormal: boolean) =>
      person({ facts: { ventricular_conduction_abnormality: abnormal }, ...measure('QTc', qtc, 'ms') });
    const at = (qtc: number, abnormal: boolean) =>
      verdict('FDA-031', { drug: 'dofetilide' }, state(qtc, abnormal));
    expect([at(440, false), at(441, false), at(480, true), at(501, true)]).toEqual([
      'false',
      'true',
      'false',
      'true',
    ]);
  });

  it('levetiracetam asks for a clearance per body surface, and takes no other', () => {
    const at = (name: string, unit: string) =>
      verdict('FDA-064', { drug: 'levetiracetam' }, person(measure(name, 20, unit)));
    expect(at('CrCl_per_area', 'mL/min/{1.73_m2}')).toBe('true');
    expect(at('CrCl', 'mL/min')).toBe('unknown');
    expect(at('eGFR', 'mL/min/{1.73_m2}')).toBe('unknown');
  });
});
