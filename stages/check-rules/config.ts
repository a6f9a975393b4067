import { z } from 'zod';

/** What the checks may find before the build stops. */
export const config = z.strictObject({
  max_rejected_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.02)
    .describe('share of the rules that may be rejected; past it the build stops and shows the first finding'),
});

export type Config = z.infer<typeof config>;
