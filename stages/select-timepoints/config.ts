import { z } from 'zod';
import { AUTHORS } from '../../schemas/rxeval.js';

export const config = z.strictObject({
  author: z
    .enum(AUTHORS)
    .default('rules')
    .describe('who says what each drug of a moment is: tables and indication rules, or a model'),
});

export type Config = z.infer<typeof config>;
