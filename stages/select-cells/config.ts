import { z } from 'zod';

export const config = z.strictObject({
  source_id: z
    .string()
    .regex(/^[\w.-]+$/)
    .default('guideline-pdf')
    .describe('source that rules of these passages belong to'),
});

export type Config = z.infer<typeof config>;
