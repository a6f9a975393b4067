/** The normalised medication-safety rule: identity, target, population, when, unless, action, ratings, labels, spans. */
import { z } from 'zod';
import { Condition, DrugRef } from './condition.js';
import { col, table } from './table.js';

/** Kinds of action as classification.csv names them. */
export const ACTION_KINDS = [
  'contraindicate',
  'avoid',
  'avoid with exception',
  'avoid combination',
  'avoid starting',
  'not recommended',
  'stop or interrupt',
  'reduce dose',
  'cap dose or duration',
  'caution, weigh or monitor',
  'state normal dose',
  'no restriction',
  'prefer or allow',
] as const;

/** What an active rule does to a candidate: decides keys and distractors. */
export const POLARITIES = ['restrict', 'change', 'watch', 'neutral'] as const;
export type Polarity = (typeof POLARITIES)[number];

export const SPECIAL_POPULATIONS = [
  'older adults',
  'pregnant or breastfeeding women',
  'children',
  'none',
] as const;

export const PATIENT_INFORMATION_TYPES = [
  'age threshold',
  'pediatric-adult contrast',
  'renal or dose threshold',
  'condition trigger',
  'drug interaction',
  'pregnancy status',
  'gestational-week threshold',
  'composite clinical context',
] as const;

export const OPERATIONS = [
  'direct application',
  'threshold and dose',
  'combination check or selection',
  'activation',
  'deactivation',
] as const;

export const Action = z.strictObject({
  kind: z.enum(ACTION_KINDS),
  polarity: z.enum(POLARITIES),
  /** What the action is about: the drug, the combination with what `when` names, the dose, or an act (rapid stopping). */
  object: z.enum(['drug', 'combination', 'dose', 'act']),
  /** The act in words, where the object is one. */
  act: z.string().nullable(),
  /** Handling in the words of our table (`2.5 mg twice daily instead of 5 mg`). */
  dose_text: z.string().nullable(),
  monitoring: z.string().nullable(),
  /** Ingredient or class key that the source prefers. */
  alternative: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

/** Where a field of a rule was read. `field` is a JSON pointer into the rule (`/when`, `/action/kind`, `/unless/0`). */
export const Span = z.strictObject({
  field: z.string().regex(/^\/[a-z_]+(\/[a-z_0-9]+)*$/),
  /**
   * `csv:<file>#<row_id>/<column>`, `pdf:<document_id>#<cell_id>`, `label:<document_id>#<section_id>`, or
   * `definition:<name>` for a named definition row (trimester, term, CKD stage, neonate).
   */
  ref: z.string().regex(/^(csv|pdf|label|definition):.+$/),
  /** Verbatim text of that place; the whole cell or the part that says it. */
  quote: z.string().min(1),
});
export type Span = z.infer<typeof Span>;

export const Exception = z.strictObject({
  when: Condition,
  /** The exception in the words of our table. */
  text: z.string().min(1),
});

export const Rating = z.strictObject({
  scope: z.string(),
  quality: z.string().nullable(),
  strength: z.string().nullable(),
});

export const RULE_STATUSES = ['draft', 'checked', 'verified', 'rejected', 'superseded'] as const;

/** Everything a reviewer signs. `unless`: the rule is inactive when any one holds. */
export const RuleBody = z.strictObject({
  target: z.array(DrugRef).min(1),
  population: Condition,
  when: Condition,
  unless: z.array(Exception),
  action: Action,
  ratings: z.array(Rating),
  /** Sort of patient information that decides (one of eight). */
  patient_information_type: z.enum(PATIENT_INFORMATION_TYPES),
  special_population: z.enum(SPECIAL_POPULATIONS),
  operations: z.array(z.enum(OPERATIONS)),
});
export type RuleBody = z.infer<typeof RuleBody>;

/** A rule with its identity and spans, as stages hold it. */
export interface Rule extends RuleBody {
  /** `<row_id>`, or `<row_id>.<part>` where a row gives several rules. */
  readonly rule_id: string;
  /** `beers2023`, `kids2025`, `tga-pregnancy`, `fda-labels`. */
  readonly source_id: string;
  readonly row_id: string;
  readonly label: string;
  readonly status: (typeof RULE_STATUSES)[number];
  /** May make questions: use = ok and confidence not low. */
  readonly is_usable: boolean;
  readonly spans: readonly Span[];
}

/** One row a rule; nested parts are canonical JSON. `content_hash` covers the body. */
export const rules = table({
  name: 'rules',
  doc: 'normalised rules; target, body parts and spans as canonical JSON',
  key: ['rule_id'],
  row: {
    rule_id: col.text(),
    source_id: col.text(),
    row_id: col.text(),
    label: col.text(),
    status: col.text(),
    is_usable: col.bool(),
    author: col.text(),
    polarity: col.text(),
    action_kind: col.text(),
    patient_information_type: col.text(),
    special_population: col.text(),
    body: col.text(),
    spans: col.text(),
    content_hash: col.text(),
  },
});

/** What became of every source row. */
export const rowOutcomes = table({
  name: 'row_outcomes',
  doc: 'one row a source row: made into rules, held, or refused with a reason',
  key: ['source_id', 'row_id'],
  row: {
    source_id: col.text(),
    row_id: col.text(),
    outcome: col.text(),
    rules_n: col.int(),
    reason: col.text().nullable(),
  },
});
