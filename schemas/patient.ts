/** A structured patient and the candidates of a question; vignettes are rendered from it and nothing else. */
import { z } from 'zod';
import { FACETS, MEASURES, Unit } from './condition.js';

export const Quantity = z.strictObject({ value: z.number(), unit: Unit });
export type Quantity = z.infer<typeof Quantity>;

/** How a drug is or would be used. Null is not stated, so predicates on it are unknown. */
export const Use = z.strictObject({
  /** Ingredient or combination of drug-names.csv. */
  drug: z.string().min(1),
  form: z.enum(['immediate_release', 'extended_release']).nullable().default(null),
  route: z.string().nullable().default(null),
  dose: Quantity.nullable().default(null),
  duration: Quantity.nullable().default(null),
  facets: z.partialRecord(z.enum(FACETS), z.string()).default({}),
});
export type Use = z.infer<typeof Use>;

/** Groups that a closed-world sentence closes: whatever of them is not stated is false. */
export const CLOSED = ['conditions', 'medications', 'allergies'] as const;

export const SETTINGS = ['home', 'clinic', 'ward', 'nursing_home', 'emergency', 'hospice'] as const;

export const Patient = z.strictObject({
  age: z.strictObject({ value: z.number().min(0), unit: z.enum(['a', 'mo', 'wk', 'd']) }).nullable(),
  sex: z.enum(['female', 'male']).nullable(),
  postmenstrual_weeks: z.number().nullable().default(null),
  gestation_weeks: z.number().nullable().default(null),
  measures: z.partialRecord(z.enum(MEASURES), Quantity).default({}),
  ckd_stage: z.enum(['1', '2', '3a', '3b', '4', '5']).nullable().default(null),
  /** Facts of concepts.csv that are stated true or false. */
  facts: z.record(z.string(), z.boolean()).default({}),
  medications: z.array(Use).default([]),
  /** Drugs no longer taken, with the time since the last dose. */
  stopped: z.array(z.strictObject({ drug: z.string().min(1), ago: Quantity })).default([]),
  setting: z.enum(SETTINGS).nullable().default(null),
  closed: z.array(z.enum(CLOSED)).default([]),
});
export type Patient = z.infer<typeof Patient>;
