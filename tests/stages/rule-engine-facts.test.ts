import { describe, expect, it } from 'vitest';
import { ENTAILMENTS } from '../../stages/lib/rules/entailments.js';
import { knowledge, patient, truth, use, years } from './rule-engine.support.js';

const fact = (concept: string, p: object, candidate = use()) =>
  truth(`fact ${concept}`, patient(p), candidate);
const a = (value: number) => ({ age: { value, unit: 'a' } });
const mL = (value: number) => ({ CrCl: { value, unit: 'mL/min' } });
const perArea = (value: number) => ({ eGFR: { value, unit: 'mL/min/{1.73_m2}' } });
const woman = (age: number) => ({ ...a(age), sex: 'female' });

describe('entailments', () => {
  // One line a row of the table, in its order: a patient for whom the row decides, and a neighbour of whom it says nothing.
  const fertile = ['pregnant', 'could_be_pregnant', 'breastfeeding'].flatMap((concept) => [
    [concept, { ...a(30), sex: 'male' }, 'false', woman(45)],
    [concept, woman(60), 'false', woman(59)],
    [concept, woman(7), 'false', woman(8)],
  ]);
  const rows = [
    ...fertile,
    ['planning_pregnancy', woman(60), 'false', { ...a(30), sex: 'male' }],
    ['planning_pregnancy', woman(7), 'false', woman(8)],
    ['pregnant', { ...woman(30), gestation_weeks: 9 }, 'true', woman(30)],
    ['partner_pregnant', woman(30), 'false', { ...a(30), sex: 'male' }],
    ['partner_pregnant', { ...a(7), sex: 'male' }, 'false', { ...a(30), sex: 'male' }],
    ['neonate', { age: { value: 28, unit: 'd' } }, 'true', { age: { value: 4, unit: 'wk' } }],
    ['neonate', { age: { value: 29, unit: 'd' } }, 'false', { age: { value: 4, unit: 'wk' } }],
    ['premature_newborn', a(1), 'false', { age: { value: 11, unit: 'mo' } }],
    ['hospice_care', { setting: 'hospice' }, 'true', { setting: 'home' }],
    ['hospice_care', { setting: 'clinic' }, 'false', { setting: 'home' }],
    ['hospice_care', { setting: 'ward' }, 'false', { setting: 'nursing_home' }],
    ['hospice_care', { setting: 'emergency' }, 'false', {}],
    ['chronic_kidney_disease', { ckd_stage: '1' }, 'true', { measures: perArea(95) }],
    ['renal_impairment', { ckd_stage: '3a' }, 'true', { ckd_stage: '2' }],
    ['renal_impairment', { measures: mL(59) }, 'true', { measures: mL(60) }],
    ['renal_impairment', { measures: { ...mL(90), ...perArea(90) } }, 'false', { measures: mL(120) }],
  ] as [string, object, string, object][];

  it('has a line here for every row', () => {
    expect(rows.map(([concept, , t]) => [concept, t])).toEqual(ENTAILMENTS.map((e) => [e.concept, e.truth]));
  });

  it.each(rows.map((r, i) => [i, ...r] as const))('row %d, %s', (i, concept, is, expected, says_nothing) => {
    expect(ENTAILMENTS[i]!.when(patient(is))).toBe(true);
    expect(fact(concept, is)).toBe(expected);
    expect(ENTAILMENTS[i]!.when(patient(says_nothing))).toBe(false);
    expect(fact(concept, says_nothing)).toBe('unknown');
  });

  it('every concept of the table is known', () => {
    for (const e of ENTAILMENTS) expect(knowledge.concepts.has(e.concept)).toBe(true);
  });

  it.each([
    ['a man of 30', 'pregnant', { ...a(30), sex: 'male' }, 'false'],
    ['anyone of 79', 'pregnant', a(79), 'false'],
    ['a woman of 62', 'pregnant', woman(62), 'false'],
    ['a woman of 45', 'pregnant', woman(45), 'unknown'],
    ['a girl of 12', 'pregnant', woman(12), 'unknown'],
    ['someone of whom nothing is said', 'pregnant', {}, 'unknown'],
    ['a man in labour', 'in_labour', { ...a(30), sex: 'male' }, 'false'],
    ['an adult', 'neonate', a(40), 'false'],
    ['an adult', 'premature_newborn', a(40), 'false'],
    ['a baby of two months', 'neonate', { age: { value: 2, unit: 'mo' } }, 'false'],
    ['a baby of three days', 'neonate', { age: { value: 3, unit: 'd' } }, 'true'],
  ])('%s: %s', (_who, concept, p, expected) => {
    expect(fact(concept, p)).toBe(expected);
  });

  it('a stated fact stands over what age and setting suggest', () => {
    expect(fact('hospice_care', { setting: 'ward', facts: { hospice_care: true } })).toBe('true');
    expect(fact('pregnant', { ...woman(61), facts: { pregnant: true } })).toBe('true');
  });
});

describe('concepts', () => {
  it.each([
    ['heart_failure', { heart_failure_nyha_4: true }, 'true'],
    ['heart_failure_nyha_3_4', { heart_failure_nyha_4: true }, 'true'],
    ['heart_failure_nyha_4', { heart_failure: true }, 'unknown'],
    ['heart_failure_nyha_4', { heart_failure: false }, 'false'],
    ['heart_failure', { heart_failure_nyha_4: false }, 'unknown'],
    ['heart_failure_nyha_1_2', { heart_failure_nyha_4: true }, 'false'],
    ['heart_failure_asymptomatic', { heart_failure_nyha_4: true }, 'false'],
    ['heart_failure_reduced_ef', { heart_failure_preserved_ef: true }, 'false'],
    ['heart_failure_reduced_ef', { heart_failure_preserved_ef: false }, 'unknown'],
    ['cardiovascular_disease', { stroke_or_tia_history: true }, 'true'],
  ])('%s of %o: %s', (concept, facts, expected) => {
    expect(fact(concept, { facts })).toBe(expected);
  });

  it('a concept that is not in the table is an error', () => {
    expect(() => fact('hart_failure', {})).toThrow('unknown concept hart_failure');
    expect(() => fact('heart_failure', { facts: { hart_failure: true } })).toThrow('unknown concept');
  });
});

describe('closed-world sentences', () => {
  const closed = { closed: ['conditions', 'allergies'] };
  it.each([
    ['"no other illness" rules out what is not stated', 'parkinson_disease', closed, 'false'],
    ['says nothing of circumstances', 'other_options_failed', closed, 'unknown'],
    ['of pregnancy', 'pregnant', { ...woman(30), ...closed }, 'unknown'],
    ['of hospice care', 'hospice_care', closed, 'unknown'],
    ['of tests and procedures', 'iodinated_contrast', closed, 'unknown'],
    ['"no allergies"', 'penicillin_allergy', closed, 'false'],
    ['without that sentence', 'penicillin_allergy', { closed: ['conditions'] }, 'unknown'],
    ['without any', 'parkinson_disease', {}, 'unknown'],
  ])('%s', (_what, concept, p, expected) => {
    expect(fact(concept, p)).toBe(expected);
  });

  it('a kind of a stated illness is not another illness', () => {
    const p = { ...closed, facts: { heart_failure: true } };
    expect(fact('heart_failure_symptomatic', p)).toBe('unknown');
    expect(fact('heart_failure_nyha_4', p)).toBe('unknown');
    expect(fact('atrial_fibrillation', p)).toBe('false');
    expect(fact('heart_failure_symptomatic', { ...closed, facts: { heart_failure_nyha_4: true } })).toBe(
      'true',
    );
  });

  it('nor is what the candidate or another drug is given for', () => {
    const af = use('warfarin', { facets: { indication: 'atrial_fibrillation_nonvalvular' } });
    expect(fact('atrial_fibrillation', closed, af)).toBe('unknown');
    expect(fact('atrial_fibrillation', { ...closed, medications: [af] })).toBe('unknown');
    expect(fact('hypertension', closed, af)).toBe('false');
  });

  it.each([
    ['renal_impairment', { measures: mL(45) }, 'true'],
    ['renal_impairment', { measures: mL(75) }, 'unknown'],
    ['renal_impairment', { measures: mL(95) }, 'false'],
    ['renal_impairment', { measures: { serum_creatinine: { value: 1.9, unit: 'mg/dL' } } }, 'unknown'],
    ['renal_impairment', {}, 'false'],
    ['chronic_kidney_disease', { measures: perArea(45) }, 'unknown'],
    ['chronic_kidney_disease', { measures: perArea(75) }, 'false'],
    ['dialysis', { measures: mL(45) }, 'false'],
    ['dialysis', { measures: mL(9) }, 'unknown'],
    ['dialysis', { ckd_stage: '5' }, 'unknown'],
    ['dialysis', { facts: { renal_impairment: true } }, 'unknown'],
  ])('"no other illness" and %s with %o: %s', (concept, more, expected) => {
    expect(fact(concept, { ...closed, ...more })).toBe(expected);
  });

  it('"takes only" closes the list of medicines', () => {
    const taking = { medications: [use('lisinopril')] };
    expect(truth('with class:nsaids', patient({ ...taking, closed: ['medications'] }))).toBe('false');
    expect(truth('with class:nsaids', patient(taking))).toBe('unknown');
    expect(truth('with class:ace_inhibitors', patient(taking))).toBe('true');
    expect(truth('with 2 of class:ace_inhibitors', patient(taking))).toBe('unknown');
    expect(truth('with class:nsaids', patient({ closed: ['conditions'] }))).toBe('unknown');
  });
});

describe('what a drug is used for', () => {
  const indication = (stated: string, asked: string, p: object = {}) =>
    truth(`use indication=${asked}`, patient(p), use('warfarin', { facets: { indication: stated } }));
  it.each([
    ['atrial_fibrillation', 'atrial_fibrillation', 'true'],
    ['atrial_fibrillation_nonvalvular', 'atrial_fibrillation', 'true'],
    ['atrial_fibrillation', 'atrial_fibrillation_nonvalvular', 'unknown'],
    ['atrial_fibrillation_permanent', 'atrial_fibrillation_nonvalvular', 'unknown'],
    ['hypertension', 'atrial_fibrillation', 'false'],
    ['heart_failure_reduced_ef', 'heart_failure_preserved_ef', 'false'],
    ['something_else', 'atrial_fibrillation', 'false'],
  ])('%s when asked for %s: %s', (stated, asked, expected) => {
    expect(indication(stated, asked)).toBe(expected);
  });

  it('a stated kind of the illness decides', () => {
    const facts = (v: boolean) => ({ facts: { atrial_fibrillation_nonvalvular: v } });
    expect(indication('atrial_fibrillation', 'atrial_fibrillation_nonvalvular', facts(true))).toBe('true');
    expect(indication('atrial_fibrillation', 'atrial_fibrillation_nonvalvular', facts(false))).toBe('false');
  });

  it.each([
    ['use phase=starting', { facets: { phase: 'starting' } }, 'true'],
    ['use phase=starting', { facets: { phase: 'continuing' } }, 'false'],
    ['use phase=starting', {}, 'unknown'],
    ['route oral|rectal', { route: 'rectal' }, 'true'],
    ['route oral|rectal', { route: 'topical' }, 'false'],
    ['route oral|rectal', {}, 'unknown'],
    ['form extended_release', { form: 'extended_release' }, 'true'],
    ['form extended_release', { form: 'immediate_release' }, 'false'],
    ['form extended_release', {}, 'unknown'],
  ])('%s of %o: %s', (text, more, expected) => {
    expect(truth(text, patient(), use('warfarin', more))).toBe(expected);
  });

  it('sex', () => {
    expect(truth('female', years(50, { sex: 'female' }))).toBe('true');
    expect(truth('female', years(50, { sex: 'male' }))).toBe('false');
    expect(truth('female', years(50))).toBe('unknown');
  });
});
