/** Options of sample-admissions. */
import { z } from 'zod';
import { splitWeights } from '../lib/patient-split.js';

export const SampleAdmissionsConfig = z.strictObject({
  min_age: z.int().min(0).max(120).default(18).describe('smallest age in years at the admission'),
  min_stay_hours: z.number().min(0).default(24).describe('shortest stay in hospital in hours'),
  needs_note: z
    .boolean()
    .default(true)
    .describe('admissions need exactly one discharge note; has no effect on an extract without any'),
  one_per_patient: z.boolean().default(true).describe('at most one admission of a patient, drawn by hash'),
  max_admissions: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('largest number of admissions, shared among chapters in proportion; null takes all'),
  splits: splitWeights
    .default({ test: 4, train: 1 })
    .describe('split name -> weight; weights are relative, patients are assigned by hash'),
});

export type SampleAdmissionsConfig = z.infer<typeof SampleAdmissionsConfig>;
