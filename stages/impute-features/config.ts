import { z } from 'zod';

/** How missing values are filled. */
export const config = z.strictObject({
  method: z
    .enum(['mean', 'median'])
    .default('mean')
    .describe('mean (mode for 0/1 and ordinal features), or the median of every feature'),
});

export type Config = z.infer<typeof config>;
