/** Label rules on pregnancy, breastfeeding and children against patients. */
import { describe, expect, it } from 'vitest';
import type { Patient } from '../../schemas/patient.js';
import { active, type Given, person, verdict, woman } from './label-cases.js';

describe('pregnancy', () => {
  const pregnant = (weeks: number): Patient => woman(30, { gestation_weeks: weeks });
  const no_pregnancy = { pregnant: false, could_be_pregnant: false, planning_pregnancy: false };
  const facts = (...held: string[]): Patient =>
    woman(30, { facts: { ...no_pregnancy, ...Object.fromEntries(held.map((h) => [h, true])) } });

  it('NSAIDs: from 20 weeks unless needed, from 30 weeks', () => {
    const state = (weeks: number, is_needed: boolean): Patient =>
      woman(30, { gestation_weeks: weeks, facts: { judged_necessary: is_needed } });
    const ibuprofen = { drug: 'ibuprofen', route: 'oral' };
    expect([14, 19, 20, 29, 30, 33].map((w) => active(ibuprofen, state(w, false)))).toEqual([
      [],
      [],
      ['FDA-161'],
      ['FDA-161'],
      ['FDA-162'],
      ['FDA-162'],
    ]);
    expect(active(ibuprofen, state(24, true))).toEqual([]);
    expect(active(ibuprofen, state(33, true))).toEqual(['FDA-162']);
    expect(active({ drug: 'diclofenac', route: 'ophthalmic' }, state(33, false))).toEqual([]);
    expect(verdict('FDA-162', { drug: 'aspirin', route: 'oral' }, state(33, false))).toBe('false');
    expect(verdict('FDA-162', { drug: 'acetaminophen', route: 'oral' }, state(33, false))).toBe('false');
    // A member of the class that the row does not list may be meant.
    expect(verdict('FDA-162', { drug: 'piroxicam', route: 'oral' }, state(33, false))).toBe('unknown');
  });

  it('isotretinoin: also for who may become pregnant', () => {
    const isotretinoin = { drug: 'isotretinoin' };
    expect(verdict('FDA-135', isotretinoin, facts('pregnant'))).toBe('true');
    expect(verdict('FDA-135', isotretinoin, facts('could_be_pregnant'))).toBe('true');
    expect(verdict('FDA-135', isotretinoin, facts())).toBe('false');
    expect(verdict('FDA-135', isotretinoin, woman(30))).toBe('unknown');
    expect(verdict('FDA-135', isotretinoin, woman(70))).toBe('false');
    expect(verdict('FDA-135', isotretinoin, person())).toBe('false');
    // Bosentan's row says pregnancy only.
    expect(
      verdict(
        'FDA-149',
        { drug: 'bosentan', facets: { indication: 'pulmonary_arterial_hypertension' } },
        facts('could_be_pregnant'),
      ),
    ).toBe('false');
  });

  it('trimesters begin and end where the definition says', () => {
    const at = (id: string, drug: string, weeks: number): string =>
      verdict(id, { drug }, woman(30, { gestation_weeks: weeks, facts: { benefit_outweighs_risk: false } }));
    expect([13, 14].map((w) => at('FDA-155', 'topiramate', w))).toEqual(['true', 'false']);
    expect([27, 28].map((w) => at('FDA-160', 'sertraline', w))).toEqual(['false', 'true']);
    expect(verdict('FDA-155', { drug: 'topiramate' }, facts())).toBe('false');
  });

  it('ribavirin: a man with a pregnant partner', () => {
    const partner = (is: boolean) =>
      person({ age: { value: 40, unit: 'a' }, facts: { partner_pregnant: is } });
    expect(verdict('FDA-152', { drug: 'ribavirin' }, partner(true))).toBe('true');
    expect(verdict('FDA-152', { drug: 'ribavirin' }, partner(false))).toBe('false');
    expect(verdict('FDA-152', { drug: 'ribavirin' }, pregnant(10))).toBe('true');
  });

  it('nitrofurantoin: 38 to 42 weeks, or labour before that', () => {
    const at = (weeks: number, in_labour: boolean): string =>
      verdict(
        'FDA-089',
        { drug: 'nitrofurantoin' },
        woman(30, { gestation_weeks: weeks, facts: { in_labour, labour_imminent: false } }),
      );
    expect([37, 38, 42].map((w) => at(w, false))).toEqual(['false', 'true', 'true']);
    expect(at(35, true)).toBe('true');
  });

  it('valproate: for migraine never, for epilepsy unless others failed', () => {
    const state = (failed: boolean) =>
      woman(30, { facts: { pregnant: true, other_drugs_failed_or_unsuitable: failed } });
    const use = (indication: string) => ({
      drug: 'valproate',
      facets: { indication, purpose: 'prophylaxis' },
    });
    expect(verdict('FDA-137', use('migraine'), state(true))).toBe('true');
    expect(verdict('FDA-138', use('epilepsy'), state(true))).toBe('false');
    expect(verdict('FDA-138', use('epilepsy'), state(false))).toBe('true');
    expect(verdict('FDA-138', use('epilepsy'), woman(30, { facts: { pregnant: true } }))).toBe('unknown');
  });

  it('acitretin: pregnant now, or a pregnancy planned within three years', () => {
    expect(verdict('FDA-136', { drug: 'acitretin' }, facts('planning_pregnancy'))).toBe('true');
    expect(verdict('FDA-136', { drug: 'acitretin' }, facts())).toBe('false');
  });
});

describe('children', () => {
  it('ceftriaxone: yellow newborns, and the premature up to 41 weeks after the last period', () => {
    const newborn = (more: Given): Patient => person({ age: { value: 12, unit: 'd' }, ...more });
    const facts = { premature_newborn: false, hyperbilirubinemia: false, intravenous_calcium: false };
    const ceftriaxone = { drug: 'ceftriaxone' };
    expect(verdict('FDA-106', ceftriaxone, newborn({ facts }))).toBe('false');
    expect(verdict('FDA-106', ceftriaxone, newborn({ facts: { ...facts, hyperbilirubinemia: true } }))).toBe(
      'true',
    );
    const premature = { ...facts, premature_newborn: true };
    const at = (weeks: number) =>
      person({ age: { value: 8, unit: 'wk' }, facts: premature, postmenstrual_weeks: weeks });
    expect([41, 42].map((w) => verdict('FDA-106', ceftriaxone, at(w)))).toEqual(['true', 'false']);
    expect(verdict('FDA-105', ceftriaxone, newborn({ facts: { ...facts, intravenous_calcium: true } }))).toBe(
      'true',
    );
    const yellow = { hyperbilirubinemia: true, intravenous_calcium: true };
    const grown = person({ age: { value: 40, unit: 'a' }, facts: yellow });
    expect(active(ceftriaxone, grown)).toEqual([]);
  });

  it('doxycycline: to 8 years, and from the second half of pregnancy', () => {
    const other = {
      severe_or_life_threatening_infection: false,
      other_drugs_failed_or_unsuitable: false,
    };
    const use = { drug: 'doxycycline' };
    const aged = (age: number) => person({ age: { value: age, unit: 'a' }, facts: other });
    expect([5, 8, 9].map((a) => verdict('FDA-107', use, aged(a)))).toEqual(['true', 'true', 'false']);
    const weeks = (w: number) => woman(30, { gestation_weeks: w, facts: other });
    expect([19, 20].map((w) => verdict('FDA-107', use, weeks(w)))).toEqual(['false', 'true']);
    expect(
      verdict(
        'FDA-107',
        use,
        person({
          age: { value: 5, unit: 'a' },
          facts: { ...other, severe_or_life_threatening_infection: true },
        }),
      ),
    ).toBe('false');
  });

  it('valproate: a POLG mutation at any age, a suspicion only under two', () => {
    const state = (age: number, concept: string) =>
      person({
        age: { value: age, unit: 'a' },
        facts: { polg_disorder_known: false, polg_disorder_suspected: false, [concept]: true },
      });
    const use = { drug: 'valproate' };
    expect(verdict('FDA-140', use, state(30, 'polg_disorder_known'))).toBe('true');
    expect(verdict('FDA-140', use, state(1, 'polg_disorder_suspected'))).toBe('true');
    expect(verdict('FDA-140', use, state(2, 'polg_disorder_suspected'))).toBe('false');
  });
});
