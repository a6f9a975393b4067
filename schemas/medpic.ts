/** Questions and answers of medpic. Field names of the published MedPIC-Bench are kept where a field is the same. */
import { z } from 'zod';
import { Use } from './patient.js';
import { col, table } from './table.js';

/**
 * `gf` guideline following, `cf` counterfactual pairs; beyond the paper: `irrelevant` changes that must not change the
 * answer, `two_fact` rules where both facts are needed, `sweep` series near a threshold, `switch` from one set to another.
 */
export const CONFIGS = ['gf', 'cf', 'irrelevant', 'two_fact', 'sweep', 'switch'] as const;
export type MedpicConfig = (typeof CONFIGS)[number];

export const DECISION_TYPES = ['avoidance', 'interaction', 'dose', 'selection'] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

/** `trigger` and `control` of an activation pair, `set_a` and `set_b` of a switch, `base` and `changed` of an irrelevant change, `step` of a sweep. */
export const PAIR_ROLES = ['trigger', 'control', 'set_a', 'set_b', 'base', 'changed', 'step'] as const;

export const NONE_OF_THE_ABOVE = 'None of the above';

/** One option: a drug as it would be used, a handling of a drug (dose questions), or none. */
export const Option = z.strictObject({
  letter: z.string().regex(/^[A-Z]$/),
  text: z.string().min(1),
  kind: z.enum(['drug', 'handling', 'none']),
  /** The use that the engine judges; the same for all handlings of a dose question; null for none. */
  use: Use.nullable(),
  /** Rule whose action the handling is; null for drugs, none, and the usual dose. */
  handling_of: z.string().nullable(),
});
export type Option = z.infer<typeof Option>;

/** One changed fact between two members. `field` is a JSON pointer into the patient, or `/uses/...`. */
export const Change = z.strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() });
export type Change = z.infer<typeof Change>;

/** A fact of the patient and the sentence of the vignette that states it. */
export const FactSentence = z.strictObject({ fact: z.string(), sentence: z.string() });
export type FactSentence = z.infer<typeof FactSentence>;

/** What a model sees. */
export const questions = table({
  name: 'medpic_questions',
  doc: 'vignette, question and options; the answer is in another file',
  key: ['instance_id'],
  row: {
    instance_id: col.text(),
    benchmark_task_family: col.text(),
    config: col.text(),
    patient_vignette: col.text(),
    question: col.text(),
    /** JSON object, letter to text. */
    options: col.text(),
    split: col.text(),
  },
});

/** The key and everything it rests on. */
export const answers = table({
  name: 'medpic_answers',
  doc: 'answer letters with the structured patient, candidates, rule and pair that they follow from',
  key: ['instance_id'],
  row: {
    instance_id: col.text(),
    benchmark_task_family: col.text(),
    config: col.text(),
    /** JSON list of letters, ascending. */
    answer: col.text(),
    /** JSON list of the texts of those letters. */
    answer_texts: col.text(),
    none_letter: col.text().nullable(),
    decision_type: col.text(),
    taxonomy_reasoning_operation: col.text(),
    taxonomy_patient_info_type: col.text(),
    taxonomy_special_population: col.text(),
    taxonomy_organ_system: col.text(),
    taxonomy_clinical_department: col.text(),
    /** JSON list. */
    taxonomy_drug_category: col.text(),
    rule_id: col.text(),
    source_id: col.text(),
    /** Printed place of the rule: reference of its first span. */
    source_ref: col.text(),
    pair_id: col.text().nullable(),
    pair_role: col.text().nullable(),
    /** JSON list of Change between this item and its partner, from the trigger's side; null without partner. */
    changed: col.text().nullable(),
    template_id: col.text(),
    /** JSON: Patient, list of Option, list of FactSentence. */
    patient: col.text(),
    candidates: col.text(),
    facts: col.text(),
    /** JSON list of rule ids of active watch rules, over all candidates. */
    watch_rules: col.text(),
    content_hash: col.text(),
    split: col.text(),
  },
});

/** Candidate items and pairs that were not made, with the reason. */
export const itemRejects = table({
  name: 'item_rejects',
  doc: 'rules and candidates that gave no item, with the reason; one row a rule, decision type and reason',
  key: ['rule_id', 'config', 'reason'],
  row: { rule_id: col.text(), config: col.text(), reason: col.text(), n: col.int() },
});
