import { z } from 'zod';

export const config = z.strictObject({
  may_make_questions: z
    .boolean()
    .default(false)
    .describe('rules of a model make questions only when this is true, or once people have verified them'),
  max_failed_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of passages without a usable reply; past it the build stops'),
});

export type Config = z.infer<typeof config>;
