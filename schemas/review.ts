/** What people decide: lines of raw/reviews/medpic/*.jsonl, and the tables that come of them. */
import { z } from 'zod';
import { col, table } from './table.js';

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex');

/** A pseudonym; real names stay out of the files. */
export const ReviewerId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{1,39}$/, 'expected 2 to 40 of a-z, 0-9, _ and -');

/** A moment in UTC, to the second, so that text order is time order. */
export const DecidedAt = z.iso
  .datetime({ precision: 0, error: 'expected UTC to the second, as 2026-01-31T09:30:00Z' })
  .refine((t) => t.length === 20, 'expected UTC to the second, as 2026-01-31T09:30:00Z');

/** What stood on the screen for one field of a rule. */
export const Shown = z.strictObject({
  value: z.json(),
  spans: z.array(z.strictObject({ ref: z.string(), quote: z.string() })),
});
export type Shown = z.infer<typeof Shown>;

const signature = {
  reviewer_id: ReviewerId,
  decided_at: DecidedAt,
  /** The decisions of others were shown too: it settles a disagreement and is no independent judgement. */
  is_adjudication: z.boolean().default(false),
  /** True on a later line that replaces another decision of the same person on the same content. */
  supersedes: z.boolean().default(false),
  comment: z.string().default(''),
};

export const RULE_DECISIONS = ['accept', 'correct', 'reject'] as const;
export type RuleDecisionWord = (typeof RULE_DECISIONS)[number];

/** One person's decision on one field of one rule. */
export const RuleDecision = z
  .strictObject({
    rule_id: z.string().min(1),
    /** One of BODY_FIELDS (stages/lib/rules/fields.ts). */
    field: z.string().regex(/^\/[a-z_]+(\/[a-z_]+)?$/, 'expected a JSON pointer into the body'),
    decision: z.enum(RULE_DECISIONS),
    /** The right value; present with `correct` only, and may be null. */
    correction: z.json().optional(),
    /** Hash of the whole body at that time. */
    content_hash: Hash,
    /** Hash of field, value, places and quotes: what the signature is for. */
    shown_hash: Hash,
    shown: Shown,
    ...signature,
  })
  .refine((d) => (d.decision === 'correct') === (d.correction !== undefined), {
    path: ['correction'],
    error: 'a correction stands with the decision "correct", and only there',
  })
  .refine((d) => d.decision !== 'reject' || d.comment.trim() !== '', {
    path: ['comment'],
    error: 'a rejection says why',
  });
export type RuleDecision = z.infer<typeof RuleDecision>;

export const CRITERIA = [
  'source_alignment',
  'patient_information',
  'answer_completeness',
  'distractor_validity',
  'counterfactual_consistency',
] as const;
export type Criterion = (typeof CRITERIA)[number];

/** One person's decision on one criterion of one item. */
export const ItemDecision = z
  .strictObject({
    instance_id: z.string().min(1),
    criterion: z.enum(CRITERIA),
    decision: z.enum(['pass', 'fail']),
    /** Hash of what was shown for this criterion: the item; its rule too, or all members of its pair, where it needs them. */
    content_hash: Hash,
    ...signature,
  })
  .refine((d) => d.decision !== 'fail' || d.comment.trim() !== '', {
    path: ['comment'],
    error: 'a failed criterion says why',
  });
export type ItemDecision = z.infer<typeof ItemDecision>;

/**
 * What became of a line. `counted`; `duplicate` (the same person said the same on the same content before);
 * `superseded` (replaced by a later line of that person); `stale` (what was shown is not what stands now); `absent`
 * (an item that this build does not make; never a rule).
 */
export const LINE_OUTCOMES = ['counted', 'duplicate', 'superseded', 'stale', 'absent'] as const;

export const reviewDecisions = table({
  name: 'review_decisions',
  doc: 'every decision on a rule, with what became of it',
  key: ['decision_id'],
  row: {
    decision_id: col.text(),
    rule_id: col.text(),
    field: col.text(),
    decision: col.text(),
    /** Canonical JSON; null without correction. */
    correction: col.text().nullable(),
    reviewer_id: col.text(),
    decided_at: col.text(),
    content_hash: col.text(),
    shown_hash: col.text(),
    is_adjudication: col.bool(),
    comment: col.text(),
    outcome: col.text(),
  },
});

/**
 * `accepted`, `corrected`, `rejected`: more than half of the people, and at least two, say the same. `disputed`: two or
 * more people without such a majority. `stale`: nobody decided on what stands now, somebody on what stood before.
 * `missing`: nobody, or one person.
 */
export const FIELD_STATUSES = ['accepted', 'corrected', 'rejected', 'disputed', 'stale', 'missing'] as const;
export type FieldStatus = (typeof FIELD_STATUSES)[number];

export const reviewFields = table({
  name: 'review_fields',
  doc: 'every field of every rule: its status and who said so',
  key: ['rule_id', 'field'],
  row: {
    rule_id: col.text(),
    field: col.text(),
    status: col.text(),
    /** JSON lists of reviewer ids, ascending: those the status follows, and those who said something else. */
    reviewers: col.text(),
    against: col.text(),
    stale_n: col.int(),
    /** Hash of the field as it stands in the rules of this table's stage. */
    shown_hash: col.text(),
  },
});

export const staleReviews = table({
  name: 'stale_reviews',
  doc: 'decisions on something that was changed since, with the difference',
  key: ['decision_id'],
  row: {
    decision_id: col.text(),
    rule_id: col.text(),
    field: col.text(),
    reviewer_id: col.text(),
    decided_at: col.text(),
    decision: col.text(),
    shown: col.text(),
    now: col.text(),
    /** In words: what of the value and of the spans differs. */
    difference: col.text(),
  },
});

const agreementRow = {
  /** `all`, or a part of the subjects (a field, a criterion, a source). */
  scope: col.text(),
  /** `raw`, `cohen`, `fleiss`. */
  measure: col.text(),
  /** Reviewer ids joined with ` + `, or `2 reviewers` for subjects with that many. */
  raters: col.text(),
  /** Subjects that it rests on. */
  subjects_n: col.int(),
  value: col.double().nullable(),
  standard_error: col.double().nullable(),
  /** 95 % interval. */
  low: col.double().nullable(),
  high: col.double().nullable(),
  /** Why a number is missing; null where none is. */
  undefined_because: col.text().nullable(),
};

export const reviewAgreement = table({
  name: 'review_agreement',
  doc: 'how far independent first decisions on rules agree; undefined stays undefined',
  key: ['scope', 'measure', 'raters'],
  row: agreementRow,
});

export const validationAgreement = table({
  name: 'validation_agreement',
  doc: 'how far independent first decisions on items agree; undefined stays undefined',
  key: ['scope', 'measure', 'raters'],
  row: agreementRow,
});

export const itemDecisions = table({
  name: 'item_decisions',
  doc: 'every decision on an item, with what became of it',
  key: ['decision_id'],
  row: {
    decision_id: col.text(),
    instance_id: col.text(),
    criterion: col.text(),
    decision: col.text(),
    reviewer_id: col.text(),
    decided_at: col.text(),
    content_hash: col.text(),
    is_adjudication: col.bool(),
    comment: col.text(),
    outcome: col.text(),
  },
});

/** `passed`, `failed`, `disputed` as for fields; one `fail` alone is `failed`; `stale` and `open` wait for people. */
export const CRITERION_STATUSES = ['passed', 'failed', 'disputed', 'stale', 'open'] as const;
export type CriterionStatus = (typeof CRITERION_STATUSES)[number];

export const itemCriteria = table({
  name: 'item_criteria',
  doc: 'every criterion that applies to every item: its status and who said so',
  key: ['instance_id', 'criterion'],
  row: {
    instance_id: col.text(),
    criterion: col.text(),
    status: col.text(),
    /** JSON lists of reviewer ids, ascending. */
    passed_by: col.text(),
    failed_by: col.text(),
    stale_n: col.int(),
    content_hash: col.text(),
  },
});

/** `validated`: every criterion passed; `excluded`: see the reason; `open`: waits for people. */
export const ITEM_STATUSES = ['validated', 'excluded', 'open'] as const;

export const itemValidation = table({
  name: 'item_validation',
  doc: 'every item: validated, excluded with the reason, or open',
  key: ['instance_id'],
  row: {
    instance_id: col.text(),
    pair_id: col.text().nullable(),
    status: col.text(),
    /** `failed_criterion`, `unresolved_disagreement`, or `pair_member` (another member of the pair is excluded). */
    reason: col.text().nullable(),
    /** JSON list of the criteria that exclude it. */
    criteria: col.text(),
    /** JSON list of everybody whose decision counts. */
    reviewers: col.text(),
  },
});

export const criterionExclusions = table({
  name: 'criterion_exclusions',
  doc: 'items that each criterion excludes (one excluded by two counts in both), and those excluded with a pair member',
  key: ['criterion'],
  row: {
    /** One of CRITERIA, or `pair_member`. */
    criterion: col.text(),
    /** Items that it excludes: `failed_n` + `disputed_n`. */
    excluded_n: col.int(),
    failed_n: col.int(),
    disputed_n: col.int(),
    passed_n: col.int(),
    open_n: col.int(),
  },
});
