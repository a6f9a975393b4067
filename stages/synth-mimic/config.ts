/** Settings of the synthetic extract. */
import { z } from 'zod';

export const synthConfig = z.strictObject({
  stays: z
    .int()
    .min(200)
    .max(100_000)
    .default(1500)
    .describe('patients with an index ICU stay; second stays come on top'),
  profile: z
    .enum(['dirty', 'clean'])
    .default('dirty')
    .describe('dirty plants the faults of dirty_rows.csv and lists them in a ledger'),
  version: z.enum(['3.1', '2.2']).default('3.1').describe('release whose vocabularies are written'),
  size: z
    .enum(['compact', 'full'])
    .default('compact')
    .describe('compact charts the first 60 hours of a stay, full the whole stay with routine items'),
  chartevents_rows: z
    .int()
    .min(1000)
    .max(1_000_000_000)
    .nullable()
    .default(null)
    .describe(
      'clean profile only: nothing but stays and this many rows of chartevents, for measuring the load',
    ),
});

export type SynthConfig = z.infer<typeof synthConfig>;
