import { z } from 'zod';

/** How many names may stay unknown. */
export const config = z.strictObject({
  max_reject_share: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('largest share of the names of all rows that may resolve to nothing'),
});

export type Config = z.infer<typeof config>;
