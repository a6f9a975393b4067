/**
 * The twelve worked examples of the guideline notes: rules as the parsers make them, patients as described, and for each
 * whether the rule is active. Patients state everything the rule and its exceptions ask; what they leave out is unknown.
 */
import { describe, expect, it } from 'vitest';
import { Patient, Use } from '../../schemas/patient.js';
import type { Rule } from '../../schemas/rule.js';
import { SOURCES } from '../../stages/draft-rules/sources.js';
import { applyRule } from '../../stages/lib/rules/apply.js';
import type { Truth } from '../../stages/lib/rules/truth.js';
import { knowledge, lexicon, rulesOf, sourceRows } from '../support/draft-rules.js';

type PatientIn = Parameters<typeof Patient.parse>[0] & object;
type UseIn = { drug: string } & Record<string, unknown>;

const FILES: Readonly<Record<string, string>> = {
  beers_rows: 'beers2023',
  kids_rows: 'kids2025',
  tga_rows: 'tga-pregnancy',
  label_rows: 'fda-labels',
};
const rules: Rule[] = SOURCES.flatMap((source) =>
  sourceRows(FILES[source.table.name]!).flatMap((row) => rulesOf(row, source.parse(row, lexicon))),
);

/** Age 79, seen in a clinic, no other illness, drug or allergy; changed by `is`. */
const patient = (is: PatientIn = {}): Patient =>
  Patient.parse({
    age: { value: 79, unit: 'a' },
    sex: 'male',
    setting: 'clinic',
    closed: ['conditions', 'medications', 'allergies'],
    ...is,
  });
const a = (value: number) => ({ age: { value, unit: 'a' } });
const crcl = (value: number) => ({ measures: { CrCl: { value, unit: 'mL/min' } } });
const egfr = (value: number) => ({ measures: { eGFR: { value, unit: 'mL/min/{1.73_m2}' } } });

const verdict = (rule_id: string, is: PatientIn, use: UseIn | string): Truth => {
  const rule = rules.find((r) => r.rule_id === rule_id);
  if (!rule) throw new Error(`no rule ${rule_id}`);
  const candidate = Use.parse(typeof use === 'string' ? { drug: use } : use);
  return applyRule(rule, { patient: patient(is), candidate }, knowledge).truth;
};

/** Rules of a source that restrict or change the candidate and are active, or not known to be inactive. */
const against = (source_id: string, is: PatientIn, use: UseIn): string[] =>
  rules
    .filter((r) => r.source_id === source_id && /restrict|change/.test(r.action.polarity))
    .filter((r) => verdict(r.rule_id, is, use) !== 'false')
    .map((r) => `${r.rule_id} ${verdict(r.rule_id, is, use)}`);

const active = (rule_id: string, is: PatientIn, use: UseIn | string): void =>
  expect(verdict(rule_id, is, use), rule_id).toBe('true');
const inactive = (rule_id: string, is: PatientIn, use: UseIn | string): void =>
  expect(verdict(rule_id, is, use), rule_id).toBe('false');
const unknown = (rule_id: string, is: PatientIn, use: UseIn | string): void =>
  expect(verdict(rule_id, is, use), rule_id).toBe('unknown');

describe('worked examples', () => {
  it('1: dabigatran under 30 mL/min', () => {
    const af = { facts: { atrial_fibrillation_nonvalvular: true } };
    active('B23-T6-006', { ...af, ...crcl(24) }, 'dabigatran');
    inactive('B23-T6-006', { ...af, ...crcl(58) }, 'dabigatran');
    inactive('B23-T6-006', { ...af, ...crcl(30) }, 'dabigatran');
    inactive('B23-T6-006', { ...af, ...crcl(24), ...a(64) }, 'dabigatran');
    inactive('B23-T6-006', { ...af, ...crcl(24), setting: 'hospice' }, 'dabigatran');
    unknown('B23-T6-006', { ...af, measures: {} }, 'dabigatran');
    for (const drug of ['apixaban', 'metoprolol', 'atorvastatin']) inactive('B23-T6-006', crcl(24), drug);
    // The row above 30 wakes up with a P-gp inhibitor only.
    inactive('B23-T6-007', crcl(58), 'dabigatran');
    active('B23-T6-007', { ...crcl(58), medications: [Use.parse({ drug: 'verapamil' })] }, 'dabigatran');
    // The US label gives a dose where the criteria say avoid.
    active('FDA-008', crcl(24), {
      drug: 'dabigatran',
      facets: { indication: 'atrial_fibrillation_nonvalvular' },
    });
  });

  it('2: tramadol by release form', () => {
    const er = { drug: 'tramadol', form: 'extended_release' };
    const ir = { drug: 'tramadol', form: 'immediate_release' };
    active('B23-T6-026', crcl(22), er);
    inactive('B23-T6-025', crcl(22), er);
    active('B23-T6-025', crcl(22), ir);
    inactive('B23-T6-026', crcl(22), ir);
    inactive('B23-T6-026', crcl(52), er);
    unknown('B23-T6-026', crcl(22), 'tramadol');
  });

  it('3: apixaban, two of three', () => {
    const af = { drug: 'apixaban', facets: { indication: 'atrial_fibrillation_nonvalvular' } };
    const with_ = (age: number, kg: number, creatinine: number): PatientIn => ({
      ...a(age),
      measures: {
        weight: { value: kg, unit: 'kg' },
        serum_creatinine: { value: creatinine, unit: 'mg/dL' },
      },
    });
    active('FDA-001', with_(82, 58, 1), af);
    inactive('FDA-001', with_(82, 72, 1), af);
    active('FDA-001', with_(82, 72, 1.6), af);
    active('FDA-001', with_(80, 60, 0.9), af);
    inactive('FDA-001', with_(79, 61, 1.5), af);
  });

  it('4: antipsychotics in Parkinson disease', () => {
    const pd = { facts: { parkinson_disease: true } };
    active('B23-T3-037', pd, 'haloperidol');
    for (const drug of ['quetiapine', 'pimavanserin', 'clozapine']) inactive('B23-T3-037', pd, drug);
    inactive('B23-T3-037', { facts: { schizophrenia: true } }, 'haloperidol');
    // Schizophrenia lifts the row of Table 2 too; without a listed indication it stays active.
    const schizophrenia = {
      drug: 'haloperidol',
      facets: { indication: 'schizophrenia', pattern: 'chronic' },
    };
    inactive('B23-T2-020', { facts: { schizophrenia: true } }, schizophrenia);
    active('B23-T2-020', {}, { drug: 'haloperidol', facets: { indication: 'insomnia', pattern: 'chronic' } });
    unknown('B23-T2-020', {}, 'haloperidol');
    // An antipsychotic that the row does not list may be meant or not.
    unknown(
      'B23-T2-020',
      {},
      { drug: 'ziprasidone', facets: { indication: 'insomnia', pattern: 'chronic' } },
    );
  });

  it('5: NSAIDs over a long time, both halves of the exception', () => {
    const naproxen = { drug: 'naproxen', route: 'oral', facets: { pattern: 'chronic', indication: 'pain' } };
    const ppi = { medications: [Use.parse({ drug: 'omeprazole', route: 'oral' })] };
    active('B23-T2-040', { facts: { other_options_failed: false } }, naproxen);
    active('B23-T2-040', { facts: { other_options_failed: false }, ...ppi }, naproxen);
    active(
      'B23-T2-040',
      { facts: { other_options_failed: true, gastroprotection_possible: false } },
      naproxen,
    );
    inactive('B23-T2-040', { facts: { other_options_failed: true }, ...ppi }, naproxen);
    unknown('B23-T2-040', { facts: { other_options_failed: true } }, naproxen);
    // The proton-pump inhibitor beyond 8 weeks is allowed by the NSAID.
    const omeprazole = {
      drug: 'omeprazole',
      duration: { value: 12, unit: 'wk' },
      facets: { pattern: 'scheduled', indication: 'peptic_ulcer_history' },
    };
    const need = { maintenance_need_shown: false };
    inactive('B23-T2-035', { facts: { ...need, chronic_nsaid_use: true } }, omeprazole);
    active('B23-T2-035', { facts: { ...need, chronic_nsaid_use: false } }, omeprazole);
  });

  it('6: warfarin, starting and continuing', () => {
    const start = {
      drug: 'warfarin',
      facets: { indication: 'atrial_fibrillation_nonvalvular', phase: 'starting' },
    };
    active('B23-T2-005', { facts: { doac_barrier: false } }, start);
    inactive('B23-T2-005', { facts: { doac_barrier: true } }, start);
    const continued = { ...start, facets: { ...start.facets, phase: 'continuing' } };
    inactive('B23-T2-005', { facts: { doac_barrier: false, inr_well_controlled: true } }, continued);
    const valve = { ...start, facets: { ...start.facets, indication: 'mechanical_heart_valve' } };
    inactive('B23-T2-005', { facts: { doac_barrier: false } }, valve);
  });

  it('7: a renin-angiotensin drug with a potassium-sparing one, from either side', () => {
    const on = (drug: string) => ({ medications: [Use.parse({ drug })] });
    active('B23-T5-002', { ...egfr(48), ...on('amiloride') }, 'lisinopril');
    active('B23-T5-002', { ...egfr(48), ...on('lisinopril') }, 'amiloride');
    inactive('B23-T5-002', { ...egfr(82), ...on('amiloride') }, 'lisinopril');
    inactive('B23-T5-002', { ...egfr(82), ...on('lisinopril') }, 'amiloride');
    inactive('B23-T5-002', egfr(48), 'lisinopril');
    active('B23-T5-001', { ...egfr(48), ...on('losartan') }, 'lisinopril');
    // Clearance says nothing on a stage.
    unknown('B23-T5-002', { ...crcl(40), ...on('amiloride') }, 'lisinopril');
  });

  it('8: tramadol by age', () => {
    active('K25-001', a(9), 'tramadol');
    const surgery = { facts: { after_tonsil_or_adenoid_surgery: true } };
    active('K25-002', { ...a(14), ...surgery }, 'tramadol');
    const fracture = { facts: { after_tonsil_or_adenoid_surgery: false } };
    inactive('K25-002', { ...a(14), ...fracture }, 'tramadol');
    active('K25-003', { ...a(14), ...fracture }, 'tramadol');
    inactive('K25-001', { ...a(14), ...fracture }, 'tramadol');
    for (const id of ['K25-001', 'K25-002', 'K25-003']) inactive(id, { ...a(25), ...surgery }, 'tramadol');
  });

  it('9: NSAIDs in pregnancy, two windows', () => {
    const at = (gestation_weeks: number): PatientIn => ({
      ...a(31),
      sex: 'female',
      gestation_weeks,
      facts: { judged_necessary: false },
    });
    const ibuprofen = { drug: 'ibuprofen', route: 'oral' };
    active('FDA-162', at(33), ibuprofen);
    inactive('FDA-161', at(33), ibuprofen);
    active('FDA-161', at(24), ibuprofen);
    inactive('FDA-162', at(24), ibuprofen);
    for (const id of ['FDA-161', 'FDA-162']) inactive(id, at(14), ibuprofen);
    for (const id of ['FDA-161', 'FDA-162']) inactive(id, at(33), 'acetaminophen');
  });

  it('10: metformin, starting and continuing', () => {
    const metformin = (phase: string) => ({
      drug: 'metformin',
      facets: { indication: 'type_2_diabetes', phase },
    });
    const is = { ...a(60), ...egfr(38) };
    active('FDA-041', is, metformin('starting'));
    inactive('FDA-041', is, metformin('continuing'));
    active('FDA-042', is, metformin('continuing'));
    inactive('FDA-042', is, metformin('starting'));
    for (const phase of ['starting', 'continuing']) inactive('FDA-040', is, metformin(phase));
  });

  it('11: doxycycline, a timed statement and a letter', () => {
    const at = (gestation_weeks: number): PatientIn => ({ ...a(28), sex: 'female', gestation_weeks });
    const timed = rules.find(
      (r) => r.source_id === 'tga-pregnancy' && r.label === r.row_id && isDoxycycline(r),
    )!;
    active(timed.rule_id, at(26), 'doxycycline');
    inactive(timed.rule_id, at(10), 'doxycycline');
    inactive(timed.rule_id, { ...a(28), sex: 'female', facts: { pregnant: false } }, 'doxycycline');
    for (const drug of ['amoxicillin', 'cephalexin', 'acetaminophen']) inactive(timed.rule_id, at(26), drug);
    // The letter D stands at 10 weeks: no inactive member of a pair.
    const letter = `${timed.row_id}.letter`;
    expect(verdict(letter, { ...at(10), facts: { benefit_outweighs_risk: false } }, 'doxycycline')).toBe(
      'true',
    );
  });

  it('12: trimethoprim-sulfamethoxazole, two bands and Table 4', () => {
    const drug = 'sulfamethoxazole-trimethoprim';
    active('B23-T6-004', crcl(11), drug);
    inactive('B23-T6-003', crcl(11), drug);
    active('B23-T6-003', crcl(22), drug);
    inactive('B23-T6-004', crcl(22), drug);
    expect(against('beers2023', crcl(74), { drug })).toEqual([]);
    const on = { medications: [Use.parse({ drug: 'lisinopril' })] };
    const impaired = { facts: { renal_impairment: true } };
    active('B23-T4-014', { ...crcl(40), ...on, ...impaired }, drug);
    inactive('B23-T4-014', { ...crcl(40), ...impaired }, drug);
    inactive('B23-T4-014', { ...on, facts: { renal_impairment: false } }, drug);
    // No number is printed for "decreased": between what is clearly impaired and clearly normal it stays open.
    unknown('B23-T4-014', { ...crcl(74), ...on }, drug);
  });
});

const isDoxycycline = (r: Rule): boolean =>
  r.rule_id === r.row_id && r.target.some((t) => t.name === 'doxycycline');

describe('further traps of the Beers rows', () => {
  const on = (...drugs: string[]) => ({ medications: drugs.map((drug) => Use.parse({ drug })) });

  it('a drug in two classes counts once', () => {
    inactive('B23-T5-006', on('lorazepam'), 'clonazepam');
    active('B23-T5-006', on('lorazepam', 'sertraline'), 'clonazepam');
    active('B23-T5-006', on('tramadol', 'gabapentin'), 'zolpidem');
    inactive('B23-T5-006', on('tramadol', 'metoprolol'), 'zolpidem');
  });

  it('edges belong to the bound that prints them', () => {
    active('B23-T6-022', crcl(80), 'levetiracetam');
    inactive('B23-T6-022', crcl(80.5), 'levetiracetam');
    for (const n of [15, 29]) active('B23-T6-003', crcl(n), 'sulfamethoxazole-trimethoprim');
    inactive('B23-T6-012', crcl(95), 'edoxaban');
    active('B23-T6-012', crcl(96), 'edoxaban');
    active('B23-T6-010', crcl(50), 'edoxaban');
  });

  it('baclofen is judged by eGFR alone', () => {
    active('B23-T6-019', egfr(52), 'baclofen');
    inactive('B23-T6-019', egfr(75), 'baclofen');
    unknown('B23-T6-019', crcl(20), 'baclofen');
  });

  it('the dose of one member decides for that member', () => {
    const doxepin = (value: number) => ({ drug: 'doxepin', dose: { value, unit: 'mg/d' } });
    active('B23-T2-018', {}, doxepin(25));
    inactive('B23-T2-018', {}, doxepin(6));
    active('B23-T2-018', {}, 'amitriptyline');
    const aspirin = (value: number) => ({ drug: 'aspirin', route: 'oral', dose: { value, unit: 'mg/d' } });
    active('B23-T6-023', crcl(20), aspirin(650));
    inactive('B23-T6-023', crcl(20), aspirin(81));
    active('B23-T6-023', crcl(20), { drug: 'celecoxib', route: 'oral' });
  });

  it('diphenhydramine for a severe allergic reaction is no first-generation antihistamine to avoid', () => {
    const use = (indication: string) => ({ drug: 'diphenhydramine', route: 'oral', facets: { indication } });
    const ids = ['B23-T2-001', 'B23-T2-001.diphenhydramine'];
    expect(ids.map((id) => verdict(id, {}, use('severe_allergic_reaction')))).toEqual(['false', 'false']);
    expect(ids.map((id) => verdict(id, {}, use('insomnia')))).toEqual(['false', 'true']);
    active('B23-T2-001', {}, { drug: 'hydroxyzine', facets: { indication: 'severe_allergic_reaction' } });
  });

  it('heart failure with and without symptoms are told apart', () => {
    active('B23-T3-010', { facts: { heart_failure_symptomatic: true } }, 'pioglitazone');
    inactive('B23-T3-011', { facts: { heart_failure_symptomatic: true } }, 'pioglitazone');
    active('B23-T3-011', { facts: { heart_failure_asymptomatic: true } }, 'pioglitazone');
    inactive('B23-T3-010', { facts: { heart_failure_asymptomatic: true } }, 'pioglitazone');
    unknown('B23-T3-010', { facts: { heart_failure: true } }, 'pioglitazone');
  });

  it('vaginal estrogen is no systemic estrogen', () => {
    const woman = { sex: 'female' as const };
    const use = (route: string) => ({ drug: 'estradiol', route, facets: { phase: 'starting' } });
    active('B23-T2-027', woman, use('oral'));
    inactive('B23-T2-027', woman, use('intravaginal'));
    inactive('B23-T2-027', {}, use('oral'));
  });
});
