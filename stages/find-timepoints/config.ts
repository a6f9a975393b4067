/** Options of find-timepoints. */
import { z } from 'zod';

export const FindTimepointsConfig = z.strictObject({
  group_window: z
    .enum(['exact', '60min', 'ordertime'])
    .default('exact')
    .describe(
      'which orders of an admission are one moment: the same start, starts within an hour of the first, or the same order time',
    ),
  per_phase: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'how many moments of each phase are drawn at most; null takes one of every phase and admission',
    ),
});

export type FindTimepointsConfig = z.infer<typeof FindTimepointsConfig>;
