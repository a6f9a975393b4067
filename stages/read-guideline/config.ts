import { z } from 'zod';

/** What is known of the files before they are read. */
export const config = z.strictObject({
  pages_without_text: z
    .record(z.string(), z.array(z.int().min(1)))
    .default({})
    .describe(
      'file -> pages that are blank or a picture on purpose; any other page without text stops the build',
    ),
});

export type Config = z.infer<typeof config>;
