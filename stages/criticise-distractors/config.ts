import { z } from 'zod';
import { AUTHORS } from '../../schemas/rxeval.js';

export const config = z.strictObject({
  author: z.enum(AUTHORS).default('rules').describe('who writes again what was refused'),
  critic: z
    .enum(['none', 'model'])
    .default('none')
    .describe('who judges after the checks: nobody or a model'),
  distractors_n: z.int().min(1).max(10).default(5).describe('wrong options a moment'),
  strictness: z
    .enum(['strict', 'lenient'])
    .default('strict')
    .describe('a moment with fewer good options is left out (strict), or kept down to lenient_min (lenient)'),
  lenient_min: z.int().min(1).max(10).default(3).describe('fewest options of a moment that lenient keeps'),
  regenerations: z.int().min(0).max(3).default(3).describe('how often refused options are written again'),
  critic_repeats: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .describe('how often a critic is asked again after no usable reply'),
});

export type Config = z.infer<typeof config>;
