/** A moment with five answers of all classes, and what a rules author makes of it. */

import type { Chain } from '../../stages/lib/chains/chain.js';
import { writeChain } from '../../stages/lib/chains/rules-author.js';
import { classify } from '../../stages/lib/chains/select.js';
import { stateOf } from '../../stages/lib/clinical/state.js';
import type { Moment } from '../../stages/lib/record/moment.js';
import {
  at,
  clinical,
  event,
  type Hand,
  handMoment,
  item,
  lab,
  order,
  span,
} from './rxeval-record.fixture.js';

export const kcl = order('O1', 'Potassium Chloride', { route: 'IV', dose_val_rx: '40', dose_unit_rx: 'mEq' });
export const pressor = order('O2', 'NORepinephrine', { route: 'IV DRIP', is_bag: true });
export const home = order('O3', 'Levothyroxine Sodium', {
  route: 'PO/NG',
  dose_val_rx: '50',
  dose_unit_rx: 'mcg',
});
export const rescue = order('O4', 'Glucagon', { route: 'IM', dose_val_rx: '1', dose_unit_rx: 'mg' });
export const insulin = order('O5', 'Insulin', { route: 'SC', dose_val_rx: '0', dose_unit_rx: 'UNIT' });

export const septic: Hand = {
  events: [
    event('E1', at('2 18:05'), { items: [lab.potassium('3.6'), lab.creatinine('1.4')] }),
    event('E2', at('3 06:10'), {
      items: [lab.potassium('3.1', { flag: 'abnormal' }), lab.lactate('4.2', { flag: 'abnormal' })],
    }),
    event('E3', at('3 08:00'), {
      kind: 'vital',
      source_table: 'chartevents',
      items: [item('Arterial Blood Pressure mean', '58', { itemid: 220052, unit: 'mmHg' })],
    }),
    event('E4', at('2 20:00'), {
      kind: 'radiology',
      source_table: 'radiology',
      text: 'Findings: Dense consolidation of the left lower lobe. Impression: Pneumonia.',
    }),
    event('E9', at('3 10:00'), { items: [lab.potassium('3.3')] }),
  ],
  spans: [
    span('S1', 'patient_information', 'Age 64 years, female, admitted as emergency.'),
    span('S2', 'history_of_present_illness', 'Brought in confused; found to be in septic shock.'),
    span('S3', 'past_medical_history', 'Hypothyroidism'),
    span('S4', 'medications_on_admission', 'levothyroxine 50 mcg daily', { name: 'levothyroxine' }),
    span('S5', 'allergies', 'Penicillins'),
  ],
  answers: [kcl, pressor, home, rescue, insulin],
  prior: {
    O3: { prior_class: 'CONTINUATION', prior_reason: 'home_list' },
    O4: { prior_class: 'ROUTINE', prior_reason: 'hypoglycemia_set' },
    O5: { prior_class: 'ROUTINE', prior_reason: 'insulin_sliding_scale' },
  },
};

/** Chains of the rules author for all answers of a moment; drugs without one are left out. */
export function ruleChains(moment: Moment): Chain[] {
  const state = stateOf(moment, clinical);
  return moment.answers.flatMap((answer) => {
    const { drug_class } = classify(state, answer);
    return writeChain(state, answer, { drug_class }) ?? [];
  });
}

export const septicMoment = (): Moment => handMoment(septic);
