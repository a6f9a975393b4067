/** When a rule holds: a tree of `all`, `any`, `at_least`, `not` over typed predicates, each true, false or unknown. */
import { z } from 'zod';

/** UCUM codes that rules and patients use; counts and stages have no unit. */
export const UNITS = [
  'a',
  'mo',
  'wk',
  'd',
  'h',
  'mL/min',
  'mL/min/{1.73_m2}',
  'mg/dL',
  'umol/L',
  'mmol/L',
  'kg',
  'g',
  'ms',
  'mg',
  'mg/d',
  'ug/d',
  'g/d',
  'cm',
  'kg/m2',
] as const;
export const Unit = z.enum(UNITS);
export type Unit = z.infer<typeof Unit>;

/** An interval of numbers; a null side is open ended. `inclusive` says whether the source owns the edge. */
export const Bounds = z
  .strictObject({
    low: z.number().nullable(),
    low_inclusive: z.boolean(),
    high: z.number().nullable(),
    high_inclusive: z.boolean(),
    unit: Unit,
  })
  .refine((b) => b.low !== null || b.high !== null, 'bounds need a side')
  .refine((b) => b.low === null || b.high === null || b.low <= b.high, 'low is over high');
export type Bounds = z.infer<typeof Bounds>;

/** A drug, combination or class that a rule names. `name` is an ingredient of drug-names.csv or a class_key of classes.csv. */
export const DrugRef = z.strictObject({
  kind: z.enum(['ingredient', 'combination', 'class']),
  name: z.string().min(1),
  /** Ingredients or class keys that are taken out again. */
  minus: z.array(z.string()).default([]),
  form: z.enum(['immediate_release', 'extended_release']).nullable().default(null),
  /** Routes the rule is limited to; null is any route. */
  routes: z.array(z.string()).min(1).nullable().default(null),
  /** Dose the rule is limited to for this member (`aspirin (over 325 mg/day)`). */
  dose: Bounds.nullable().default(null),
  /**
   * Set where the source names the class but lists other members only. Whether a member of it is meant is unknown, so it
   * is never a key and never a distractor.
   */
  is_inferred: z.literal(true).optional(),
});
export type DrugRef = z.infer<typeof DrugRef>;

export const MEASURES = [
  'CrCl',
  'eGFR',
  /** Clearance scaled to body surface that a label does not call eGFR (levetiracetam). */
  'CrCl_per_area',
  'serum_creatinine',
  'weight',
  'birth_weight',
  'QT',
  'QTc',
  'bilirubin',
  'potassium',
] as const;

export const CKD_STAGES = ['1', '2', '3a', '3b', '4', '5'] as const;

/** What a candidate is used for and how: facets of a use, with values of uses.csv. */
export const FACETS = ['indication', 'line_of_therapy', 'phase', 'pattern', 'regimen', 'purpose'] as const;

const predicates = [
  /** `chronological` age, or `postmenstrual` age in weeks. Completed units, as people give them. */
  z.strictObject({
    type: z.literal('age'),
    kind: z.enum(['chronological', 'postmenstrual']),
    bounds: Bounds,
  }),
  /** Completed weeks of gestation; implies a pregnancy. */
  z.strictObject({ type: z.literal('gestation'), bounds: Bounds }),
  z.strictObject({ type: z.literal('sex'), sex: z.enum(['female', 'male']) }),
  z.strictObject({ type: z.literal('measure'), measure: z.enum(MEASURES), bounds: Bounds }),
  z.strictObject({ type: z.literal('ckd_stage'), at_least: z.enum(CKD_STAGES) }),
  /** A yes-or-no fact of concepts.csv: condition, reproductive state, circumstance, procedure, test, setting. */
  z.strictObject({ type: z.literal('fact'), concept: z.string().min(1) }),
  /** At least `at_least` distinct other drugs of the list are taken together with the candidate. */
  z.strictObject({
    type: z.literal('co_medication'),
    drugs: z.array(DrugRef).min(1),
    at_least: z.int().min(1),
  }),
  /** The candidate and the drugs taken hold at least `at_least` distinct ingredients of the list. */
  z.strictObject({ type: z.literal('drug_count'), drugs: z.array(DrugRef).min(1), at_least: z.int().min(2) }),
  /** The last dose of a drug of the list lies so far back; a drug that is taken now, or is the candidate, lies back 0. */
  z.strictObject({ type: z.literal('since_last_dose'), drugs: z.array(DrugRef).min(1), bounds: Bounds }),
  z.strictObject({ type: z.literal('use'), facet: z.enum(FACETS), value: z.string().min(1) }),
  z.strictObject({ type: z.literal('dose'), bounds: Bounds }),
  z.strictObject({ type: z.literal('duration'), bounds: Bounds }),
  z.strictObject({ type: z.literal('route'), any_of: z.array(z.string()).min(1) }),
  z.strictObject({ type: z.literal('form'), form: z.enum(['immediate_release', 'extended_release']) }),
] as const;

export const Predicate = z.discriminatedUnion('type', predicates);
export type Predicate = z.infer<typeof Predicate>;

export type Condition =
  | Predicate
  | { type: 'all'; of: Condition[] }
  | { type: 'any'; of: Condition[] }
  | { type: 'at_least'; n: number; of: Condition[] }
  | { type: 'not'; of: Condition };

/** `all` of nothing is true. */
export const Condition: z.ZodType<Condition> = z.lazy(() =>
  z.discriminatedUnion('type', [
    ...predicates,
    z.strictObject({ type: z.literal('all'), of: z.array(Condition) }),
    z.strictObject({ type: z.literal('any'), of: z.array(Condition).min(1) }),
    z
      .strictObject({ type: z.literal('at_least'), n: z.int().min(1), of: z.array(Condition).min(2) })
      .refine((c) => c.n <= c.of.length, 'at_least asks for more than there are'),
    z.strictObject({ type: z.literal('not'), of: Condition }),
  ]),
);

export const ALWAYS: Condition = { type: 'all', of: [] };
