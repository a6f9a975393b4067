/** Settings of build-features. */
import { z } from 'zod';

export const buildFeaturesConfig = z.strictObject({
  profile: z
    .enum(['benchmark', 'oracle'])
    .default('benchmark')
    .describe(
      'benchmark: the registry as written; oracle: windows and ties of mimic-code, for differential tests only',
    ),
  lab_lookback_hours: z
    .number()
    .min(0)
    .max(168)
    .default(0)
    .describe('hours before t0 from which a laboratory value may come (mimic-code uses 6)'),
  availability: z
    .enum(['charttime', 'storetime'])
    .default('charttime')
    .describe('storetime: a value counts only when it was also filed before the window ended'),
});

export type BuildFeaturesConfig = z.infer<typeof buildFeaturesConfig>;
