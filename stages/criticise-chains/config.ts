import { z } from 'zod';
import { AUTHORS } from '../../schemas/rxeval.js';

export const config = z.strictObject({
  author: z
    .enum(AUTHORS)
    .default('rules')
    .describe('who writes the regenerations; the same as the author of annotate-chains'),
  critic: z
    .enum(['none', 'model'])
    .default('none')
    .describe('whether a model judges the chains beside the checks, which always run'),
  regenerations_n: z.int().min(0).max(3).default(3).describe('new attempts at a chain that did not pass'),
  reasks_n: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe('further questions to the critic when its verdict cannot be used; then it is unjudged'),
});

export type Config = z.infer<typeof config>;
