/** Options of build-cohort. */
import { z } from 'zod';

export const BuildCohortConfig = z.strictObject({
  stays: z
    .enum(['first', 'first_per_admission', 'all'])
    .default('first')
    .describe('which ICU stays of a patient are taken; the order is by intime, then stay_id'),
  min_age: z.int().min(0).max(120).default(18).describe('smallest age in years at the admission'),
  min_los_hours: z
    .number()
    .min(0)
    .default(0)
    .describe('shortest ICU stay in hours; 0 keeps stays that ended inside the first day'),
  exclude_careunits: z
    .array(z.string().min(1))
    .default([])
    .describe('first care units that are left out, as they are spelled in icustays (P79)'),
});

export type BuildCohortConfig = z.infer<typeof BuildCohortConfig>;
