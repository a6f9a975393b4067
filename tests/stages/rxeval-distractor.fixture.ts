/** A patient and a moment for tests of distractors, over the tables of the project and its rules. */
import { readFileSync } from 'node:fs';
import type { ChainStep, Cite, Claim } from '../../schemas/rxeval.js';
import { stateOf } from '../../stages/lib/clinical/state.js';
import { openProofTables } from '../../stages/lib/distractors/setting.js';
import type { DistractorCase } from '../../stages/lib/grounding/checks-distractor.js';
import { type Distractor, distractorId, type TargetChain } from '../../stages/lib/grounding/distractor.js';
import type { Prescription } from '../../stages/lib/grounding/formulary.js';
import { OrderForms } from '../../stages/lib/grounding/order-forms.js';
import { type ProofTables, Prover } from '../../stages/lib/grounding/proofs.js';
import type { RuleBook } from '../../stages/lib/grounding/rule-proofs.js';
import {
  at,
  event,
  type Hand,
  handMoment,
  item,
  lab,
  order,
  span,
  TIMEPOINT,
} from './rxeval-record.fixture.js';

const file = (path: string): string => readFileSync(path, 'utf8');

/** Our tables alone. */
export const tables: ProofTables = openProofTables(file, null);
export const withBook = (book: RuleBook): ProofTables => ({ ...tables, book });

export const proverOf = (hand: Hand, t: ProofTables = tables): Prover =>
  new Prover(stateOf(handMoment(hand), t.clinical), t);

/** What everybody's history must say before silence means anything. */
export const history = [
  span('S0', 'patient_information', '64 year old female'),
  span('S1', 'history_of_present_illness', 'She felt weak for two days and came to the hospital.'),
  span('S2', 'past_medical_history', 'Osteoarthritis.'),
  span('S3', 'medications_on_admission', 'Vitamin D'),
];
export const noAllergies = span('S4', 'allergies', 'No Known Allergies');

export const chart = {
  hr: (v: string) => item('Heart Rate', v, { itemid: 220045, unit: 'bpm' }),
  sbp: (v: string) => item('Non Invasive Blood Pressure systolic', v, { itemid: 220179, unit: 'mmHg' }),
  mbp: (v: string) => item('Non Invasive Blood Pressure mean', v, { itemid: 220181, unit: 'mmHg' }),
  weight: (v: string) => item('Admission Weight (Kg)', v, { itemid: 226512, unit: 'kg' }),
  magnesium: (v: string) => item('Magnesium', v, { itemid: 50960, unit: 'mg/dL' }),
  phosphate: (v: string) => item('Phosphate', v, { itemid: 50970, unit: 'mg/dL' }),
  temp: (v: string) => item('Temperature Celsius', v, { itemid: 223762, unit: '°C' }),
};

/** Low potassium, the other electrolytes in order, calm vital signs. The correct drug is potassium. */
export const lowPotassium: Hand = {
  spans: [...history, noAllergies],
  events: [
    event('E1', at('3 06:00'), {
      items: [lab.potassium('3.1'), lab.creatinine('0.9'), chart.magnesium('2.3'), chart.phosphate('3.4')],
    }),
    event('E2', at('3 07:00'), {
      kind: 'vital',
      source_table: 'chartevents',
      items: [chart.hr('82'), chart.sbp('124'), chart.mbp('84'), chart.temp('36.9')],
    }),
  ],
  answers: [order('O1', 'Potassium Chloride', { dose_val_rx: '20', dose_unit_rx: 'mEq', route: 'IV' })],
};

export const cite = (ref: string, item_: string, value: string, unit: string | null): Cite => ({
  ref,
  item: item_,
  value,
  unit,
  quote: null,
});
export const quote = (ref: string, words: string): Cite => ({
  ref,
  item: null,
  value: null,
  unit: null,
  quote: words,
});

const step: ChainStep = {
  number: 1,
  fact: 'Potassium is 3.1 mEq/L.',
  cites: [cite('E1', 'Potassium', '3.1', 'mEq/L')],
  depends_on: [],
  inference: 'Potassium is low.',
};

export const chain: TargetChain = {
  order_id: 'O1',
  drug: 'Potassium Chloride',
  steps: [step],
  rule_id: 'R001',
};

/** The moment with one chain. `forms` are orders of the extract. */
export function caseOf(hand: Hand, t: ProofTables = tables): DistractorCase {
  const moment = handMoment(hand);
  const forms = new OrderForms([...(hand.orders ?? []), ...(hand.answers ?? [])]);
  return { moment, prover: new Prover(stateOf(moment, t.clinical), t), chains: [chain], forms };
}

/** Phosphate for a patient whose phosphate is 3.4: nothing wrong with it as a distractor of `lowPotassium`. */
export const good: Distractor = {
  timepoint_id: TIMEPOINT,
  distractor_id: distractorId(TIMEPOINT, 'potassium phosphate', {
    drug: '',
    dose_text: '15 mmol',
    route: 'IV',
  }),
  attempt_n: 1,
  drug: 'Potassium Phosphate',
  dose_text: '15 mmol',
  route: 'IV',
  targets_order_id: 'O1',
  targets_step: 1,
  strategy: 'same_class_wrong_agent',
  perturbation: 'changed: the electrolyte that step 1 finds low',
  why_plausible: 'Another electrolyte is often given along with potassium.',
  why_wrong: 'Phosphate 3.4 mg/dL is not low.',
  plausible_cites: [],
  claims: [{ kind: 'not_indicated', cites: [cite('E1', 'Phosphate', '3.4', 'mg/dL')] }],
  author: 'model',
  rule_id: null,
  llm: null,
};

export const rx = (drug: string, dose_text: string | null, route: string | null): Prescription => ({
  drug,
  dose_text,
  route,
});
export const claim = (kind: Claim['kind'], ...cites: Cite[]): Claim => ({ kind, cites });
