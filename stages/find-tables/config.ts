import { z } from 'zod';

/** What the documents promise. */
export const config = z.strictObject({
  manifest: z
    .record(z.string(), z.array(z.int().min(1)))
    .default({})
    .describe('file -> pages that hold a table; a promised page without one stops the build'),
});

export type Config = z.infer<typeof config>;
