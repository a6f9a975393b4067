/** Selection, chains, distractors, questions and answers of rxeval. Verdicts and types are the words of the RxEval paper. */
import { z } from 'zod';
import { col, table } from './table.js';

export const DRUG_CLASSES = ['REASONED_NEW', 'CONTINUATION', 'ROUTINE'] as const;
export type DrugClass = (typeof DRUG_CLASSES)[number];

export const AUTHORS = ['rules', 'model'] as const;
export type Author = (typeof AUTHORS)[number];

export const CHAIN_ISSUES = [
  'fabricated_fact',
  'wrong_value',
  'temporal_violation',
  'self_justification',
  'broken_dependency',
  'logical_leap',
  'insufficient_evidence',
  'self_negation',
  'empty_chain',
] as const;
export type ChainIssue = (typeof CHAIN_ISSUES)[number];

export const CHAIN_VERDICTS = ['PASS', 'REVISE', 'REJECT', 'unjudged'] as const;
export type ChainVerdict = (typeof CHAIN_VERDICTS)[number];

export const DISTRACTOR_VERDICTS = ['GOOD', 'TOO_EASY', 'INVALID', 'unjudged'] as const;
export type DistractorVerdict = (typeof DISTRACTOR_VERDICTS)[number];

/** The five ways of the paper in which a wrong drug comes about. */
export const STRATEGIES = [
  'same_class_wrong_agent',
  'right_symptom_wrong_mechanism',
  'contraindicated_for_patient',
  'right_at_another_phase',
  'real_condition_not_indicated_now',
] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Why a distractor is refused. */
export const DISTRACTOR_ISSUES = [
  'fabricated_fact',
  'wrong_value',
  'temporal_violation',
  'unknown_drug',
  'unreal_dose_or_route',
  'correct_drug_reused',
  'active_or_started_soon',
  'duplicate',
  'not_wrong',
  'unproven',
  'wrong_mechanism',
  'institutional_reason',
  'broken_target',
  'too_easy',
] as const;
export type DistractorIssue = (typeof DISTRACTOR_ISSUES)[number];

/**
 * A pointer into the record, never free prose. `ref` is an event_id or a span_id. With `item` it is one value of the event
 * (label, value and unit as shown); with `quote` it is words that stand in the text of the event or span.
 */
export const Cite = z.strictObject({
  ref: z.string().min(1),
  item: z.string().nullable(),
  value: z.string().nullable(),
  unit: z.string().nullable(),
  quote: z.string().nullable(),
});
export type Cite = z.infer<typeof Cite>;

/** One step. A step without a cite must depend on earlier ones. */
export const ChainStep = z.strictObject({
  /** From 1, in order. */
  number: z.int().min(1),
  fact: z.string(),
  cites: z.array(Cite),
  depends_on: z.array(z.int()),
  inference: z.string(),
});
export type ChainStep = z.infer<typeof ChainStep>;

export const ChainProblem = z.strictObject({
  type: z.enum(CHAIN_ISSUES),
  /** Null for the whole chain. */
  step: z.int().nullable(),
  detail: z.string(),
});
export type ChainProblem = z.infer<typeof ChainProblem>;

/** What the distractor's wrongness rests on; each claim is proved by code or the distractor is refused. */
export const Claim = z.strictObject({
  kind: z.enum([
    'not_indicated',
    'allergy',
    'renal',
    'pregnancy',
    'interaction',
    'duplicate_therapy',
    'bleeding',
    'disease',
    'electrolyte',
    'hepatic',
    'metabolic',
    'phase',
    'qt',
    'respiratory',
    'vital',
  ]),
  cites: z.array(Cite),
});
export type Claim = z.infer<typeof Claim>;

/** How a claim was proved. `rule_ids` are rows of contraindications.csv or indications.csv, or medpic rules. */
export const Proof = z.strictObject({
  claim: Claim.shape.kind,
  by: z.enum(['contraindication', 'indications', 'medpic_rule', 'active_order']),
  rule_ids: z.array(z.string()),
  /** For medpic rules: checked or verified. */
  rule_status: z.enum(['checked', 'verified']).nullable(),
  cites: z.array(Cite),
});
export type Proof = z.infer<typeof Proof>;

export const selectedTimepoints = table({
  name: 'selected_timepoints',
  doc: 'the decision on every drawn moment',
  key: ['timepoint_id'],
  row: {
    timepoint_id: col.text(),
    /** PROCEED or SKIP. */
    decision: col.text(),
    reason: col.text(),
    author: col.text(),
    /** JSON list of keys of the answers a model gave. */
    llm_keys: col.text(),
  },
});

export const selections = table({
  name: 'selections',
  doc: 'the class of every answer drug of a moment',
  key: ['timepoint_id', 'order_id'],
  row: {
    timepoint_id: col.text(),
    order_id: col.text(),
    drug_class: col.text(),
    is_timeline_dependent: col.bool(),
    /** Event or span that set it off; null for none. */
    trigger_ref: col.text().nullable(),
    reason: col.text(),
  },
});

const chainRow = {
  timepoint_id: col.text(),
  order_id: col.text(),
  /** From 1; at most four (one attempt and three regenerations). */
  attempt_n: col.int(),
  drug: col.text(),
  drug_class: col.text(),
  /** JSON list of ChainStep. */
  steps: col.text(),
  summary: col.text(),
  author: col.text(),
  /** Rule of indications.csv behind a chain of the rules author; null else. */
  rule_id: col.text().nullable(),
  /** Key, requested and served model of the answer (JSON); null for the rules author. */
  llm: col.text().nullable(),
};

export const chainDrafts = table({
  name: 'chain_drafts',
  doc: 'the first attempt at every chain of a moment that goes on',
  key: ['timepoint_id', 'order_id'],
  row: chainRow,
});

export const chains = table({
  name: 'chains',
  doc: 'accepted chains: one for every answer drug of every accepted moment',
  key: ['timepoint_id', 'order_id'],
  row: chainRow,
});

/** One verdict on one attempt; judge is `checks` (code) or `critic` (model). */
const verdictRow = {
  attempt_n: col.int(),
  judge: col.text(),
  verdict: col.text(),
  /** JSON list of typed problems: ChainProblem of a chain, {type, detail} of a distractor. */
  issues: col.text(),
  feedback: col.text(),
  /** Key, requested and served model of the critic's answer (JSON); null for checks. */
  llm: col.text().nullable(),
  /** The attempt itself, so that rejected ones can be read: JSON. */
  attempt: col.text(),
};

export const chainVerdicts = table({
  name: 'chain_verdicts',
  doc: 'every verdict on every attempt at a chain',
  key: ['timepoint_id', 'order_id', 'attempt_n', 'judge'],
  row: {
    timepoint_id: col.text(),
    order_id: col.text(),
    ...verdictRow,
  },
});

export const chainOutcomes = table({
  name: 'chain_outcomes',
  doc: 'what became of every moment that went on',
  key: ['timepoint_id'],
  row: {
    timepoint_id: col.text(),
    is_accepted: col.bool(),
    /** `accepted`, or the reason of the end. */
    reason: col.text(),
    attempts_n: col.int(),
  },
});

const distractorRow = {
  timepoint_id: col.text(),
  /** Hash of moment, folded drug, dose and route. */
  distractor_id: col.text(),
  attempt_n: col.int(),
  /** The name alone. */
  drug: col.text(),
  dose_text: col.text().nullable(),
  route: col.text().nullable(),
  /** Order whose chain is perturbed, and the step (null for the whole chain). */
  targets_order_id: col.text(),
  targets_step: col.int().nullable(),
  strategy: col.text(),
  /** What was done to the step: ignored, or the condition it establishes was changed. */
  perturbation: col.text(),
  why_plausible: col.text(),
  why_wrong: col.text(),
  /** JSON lists of Cite, of Claim. */
  plausible_cites: col.text(),
  claims: col.text(),
  author: col.text(),
  /** Rule of the tables that the rules author used; null else. */
  rule_id: col.text().nullable(),
  llm: col.text().nullable(),
};

export const distractorDrafts = table({
  name: 'distractor_drafts',
  doc: 'first attempt at the distractors of every moment with chains',
  key: ['timepoint_id', 'distractor_id'],
  row: distractorRow,
});

export const distractors = table({
  name: 'distractors',
  doc: 'accepted distractors with the proof of every claim',
  key: ['timepoint_id', 'distractor_id'],
  row: {
    ...distractorRow,
    /** JSON list of Proof. */
    proofs: col.text(),
  },
});

export const distractorVerdicts = table({
  name: 'distractor_verdicts',
  doc: 'every verdict on every distractor',
  key: ['timepoint_id', 'distractor_id', 'attempt_n', 'judge'],
  row: {
    timepoint_id: col.text(),
    distractor_id: col.text(),
    ...verdictRow,
  },
});

export const distractorOutcomes = table({
  name: 'distractor_outcomes',
  doc: 'what became of every moment with chains',
  key: ['timepoint_id'],
  row: {
    timepoint_id: col.text(),
    is_accepted: col.bool(),
    reason: col.text(),
    good_n: col.int(),
    attempts_n: col.int(),
  },
});

export const distractorRuleUse = table({
  name: 'distractor_rule_use',
  doc: 'how often each rule of the tables could prove a distractor wrong, and did; rows for the rules author only',
  key: ['table_name', 'rule_id'],
  row: {
    /** `contraindications` (absolute ones) or `indications` (all of a drug ruled out). */
    table_name: col.text(),
    rule_id: col.text(),
    /** Moments in which a distractor could rest on it. */
    usable_n: col.int(),
    /** Distractors that rest on it first. */
    used_n: col.int(),
  },
});

/** Files of a release: the choice question, and the same moment asked in other ways. */
export const CONFIGS = [
  'mcq',
  'open',
  'mcq_allergy_repeated',
  'mcq_no_profile',
  'mcq_no_trajectory',
] as const;
export type RxevalConfig = (typeof CONFIGS)[number];

/** One option of a choice question. */
export const RxOption = z.strictObject({
  letter: z.string().regex(/^[A-Z]{1,2}$/),
  text: z.string().min(1),
  drug: z.string(),
  dose_text: z.string().nullable(),
  route: z.string().nullable(),
  is_correct: z.boolean(),
  /** order_id of a correct drug, distractor_id of a distractor. */
  ref: z.string(),
});
export type RxOption = z.infer<typeof RxOption>;

export const questions = table({
  name: 'rxeval_questions',
  doc: 'what a model sees; the answer is in another file',
  key: ['config', 'question_id'],
  row: {
    question_id: col.text(),
    config: col.text(),
    phase: col.text(),
    profile: col.text(),
    timeline: col.text(),
    question: col.text(),
    /** JSON object, letter to text; `{}` for open questions. */
    options: col.text(),
    events_n: col.int(),
    /** Earliest events that did not fit. */
    dropped_events_n: col.int(),
    prompt_tokens: col.int(),
    split: col.text(),
  },
});

export const answers = table({
  name: 'rxeval_answers',
  doc: 'the answer set with everything it rests on',
  key: ['config', 'question_id'],
  row: {
    question_id: col.text(),
    config: col.text(),
    timepoint_id: col.text(),
    /** Keyed hashes; ids of MIMIC stay in the events folder. */
    subject_key: col.text(),
    admission_key: col.text(),
    phase: col.text(),
    prescription_time: col.timestamp(),
    /** JSON list of letters, ascending; `[]` for open questions. */
    answer: col.text(),
    /** JSON list of {order_id, drug, dose_text, route, drug_class}. */
    correct: col.text(),
    /** JSON list of RxOption. */
    candidates: col.text(),
    admission_type: col.text(),
    diagnosis_chapter: col.text(),
    author: col.text(),
    content_hash: col.text(),
    split: col.text(),
  },
});
