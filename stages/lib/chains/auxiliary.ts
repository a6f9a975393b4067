/** One-step chains of drugs that need no new trigger: continued ones, and those of order sets and routines. */
import type { ChainStep, Cite, DrugClass } from '../../../schemas/rxeval.js';
import { citeWhole } from '../clinical/judged.js';
import { isSameDrug } from '../clinical/same-drug.js';
import type { ClinicalState } from '../clinical/state.js';
import type { MomentOrder, RecordEvent } from '../record/moment.js';
import type { Chain } from './chain.js';
import { lineOf } from './clauses.js';

/** Why a routine drug is given, by the entry of the list of routine orders. */
const ROUTINES: Readonly<Record<string, string>> = {
  bowel_regimen: 'the bowels are kept moving in patients who lie in bed',
  heparin_prophylaxis: 'clots are prevented in patients who lie in bed',
  acetaminophen_as_needed: 'pain and fever are treated as needed',
  ondansetron_as_needed: 'nausea is treated as needed',
  electrolyte_protocol: 'electrolytes are replaced by protocol',
  insulin_sliding_scale: 'glucose is corrected by a scale',
  hypoglycemia_set: 'a rescue for low glucose stands ready',
  stress_ulcer_prophylaxis: 'stress ulcers are prevented',
  oral_care: 'the mouth is cared for',
  eye_care: 'the eyes are kept moist',
  skin_care: 'the skin is cared for',
  vitamins: 'vitamins are supplemented',
  nicotine_replacement: 'craving for nicotine is eased',
  line_care: 'lines are kept open',
};

interface Ground {
  readonly cite: Cite;
  readonly fact: string;
  readonly inference: string;
  readonly kind: string;
}

/** The chain of a continued drug: the home list, or the order that ran before. Null when neither is on record. */
export function continuationChain(state: ClinicalState, answer: MomentOrder): Chain | null {
  const ground = homeGround(state, answer) ?? earlierGround(state, answer);
  return ground && chainOf(answer, 'CONTINUATION', ground);
}

/** The chain of a routine drug: its partner among the orders, else the admission itself. */
export function routineChain(state: ClinicalState, answer: MomentOrder): Chain | null {
  const ground = partnerGround(state, answer) ?? admissionGround(state, answer);
  return ground && chainOf(answer, 'ROUTINE', ground);
}

function homeGround(state: ClinicalState, answer: MomentOrder): Ground | null {
  const [cite] =
    state.onHomeList(answer.drug_fold).truth === true ? state.onHomeList(answer.drug_fold).cites : [];
  const found = cite && state.moment.find(cite.ref);
  if (!cite || !found) return null;
  return {
    cite,
    fact: `Taken before admission: ${lineOf(found)}`,
    inference: 'What the patient takes at home goes on in hospital.',
    kind: 'home_list',
  };
}

function earlierGround(state: ClinicalState, answer: MomentOrder): Ground | null {
  const earlier = prescriptions(state).findLast((e) => {
    const order = state.moment.activeOrders.find((o) => o.order_id === e.order_id);
    return order !== undefined && isSameDrug(order.drug_fold, answer.drug_fold);
  });
  if (!earlier) return null;
  return {
    cite: citeWhole(earlier.event_id),
    fact: `Running already: ${lineOf({ kind: 'event', event: earlier })}`,
    inference: 'The treatment goes on.',
    kind: 'earlier_order',
  };
}

const prescriptions = (state: ClinicalState): RecordEvent[] =>
  state.moment.events.filter((e) => e.kind === 'prescription' && e.is_shown);

const isInsulin = (fold: string): boolean => fold.startsWith('insulin');

/** The rescue set goes along with insulin of the same moment or before. */
function partnerGround(state: ClinicalState, answer: MomentOrder): Ground | null {
  if (answer.prior_reason !== 'hypoglycemia_set') return null;
  const { moment } = state;
  const partner = [...moment.answers, ...moment.others].find(
    (o) => o.order_id !== answer.order_id && isInsulin(o.drug_fold),
  );
  const inference = 'A rescue for low glucose goes along with it.';
  if (partner)
    return {
      cite: citeWhole(partner.order_id),
      fact: `Ordered together: ${partner.drug.trim()}`,
      inference,
      kind: 'partner',
    };
  const insulin = new Set(moment.activeOrders.filter((o) => isInsulin(o.drug_fold)).map((o) => o.order_id));
  const event = prescriptions(state).findLast((e) => e.order_id !== null && insulin.has(e.order_id));
  if (!event) return null;
  const fact = `Running already: ${lineOf({ kind: 'event', event })}`;
  return { cite: citeWhole(event.event_id), fact, inference, kind: 'partner' };
}

function admissionGround(state: ClinicalState, answer: MomentOrder): Ground | null {
  const about = state.moment.spans.filter((s) => s.section === 'patient_information');
  const span = about.find((s) => /admi/i.test(s.text)) ?? about[0];
  if (!span) return null;
  const why = ROUTINES[answer.prior_reason ?? ''] ?? 'this is a routine order of the ward';
  return {
    cite: citeWhole(span.span_id),
    fact: `The patient is in hospital: ${lineOf({ kind: 'span', span })}`,
    inference: `For patients in hospital ${why}.`,
    kind: 'admission',
  };
}

function chainOf(answer: MomentOrder, drug_class: DrugClass, ground: Ground): Chain {
  const { fact, inference, cite, kind } = ground;
  const step: ChainStep = { number: 1, fact, cites: [cite], depends_on: [], inference };
  const role =
    drug_class === 'CONTINUATION' ? 'continues what was running' : 'belongs to the routine of the ward';
  return {
    order_id: answer.order_id,
    drug_class,
    steps: [step],
    summary: `${answer.drug.trim()} ${role}. ${inference}`,
    rule_id: kind,
  };
}
