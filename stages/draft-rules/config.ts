import { z } from 'zod';

export const SOURCE_IDS = [
  'beers2023',
  'kids2025',
  'kids2020-superseded',
  'tga-pregnancy',
  'fda-labels',
  'fda-labels-unchecked',
] as const;

/** Which sources give rules. */
export const config = z.strictObject({
  sources: z
    .array(z.enum(SOURCE_IDS))
    .min(1)
    .default(['beers2023', 'kids2025', 'tga-pregnancy', 'fda-labels'])
    .describe('documents whose rows become rules; rows of other documents are dropped'),
  max_reject_share: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('share of the rows of one table that may give no rule; past it the build stops'),
});

export type Config = z.infer<typeof config>;
