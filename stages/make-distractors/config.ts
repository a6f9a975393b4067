import { z } from 'zod';
import { AUTHORS } from '../../schemas/rxeval.js';

export const config = z.strictObject({
  author: z
    .enum(AUTHORS)
    .default('rules')
    .describe('who writes wrong options: the tables (rules) or a model'),
  distractors_n: z.int().min(1).max(10).default(5).describe('wrong options a moment'),
});

export type Config = z.infer<typeof config>;
