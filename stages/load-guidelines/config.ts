import { z } from 'zod';

/** How much may be refused. */
export const config = z.strictObject({
  max_reject_share: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('largest share of the rows of one shape that may be rejected'),
});

export type Config = z.infer<typeof config>;
