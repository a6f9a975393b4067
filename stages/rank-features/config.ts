/** Settings of rank-features. */
import { z } from 'zod';

export const rankFeaturesConfig = z
  .strictObject({
    top_k: z.int().min(1).max(255).default(20).describe('K: how many features make up F_k'),
    ranks_kept: z.int().min(1).max(448).default(50).describe('how many ranks of each diagnosis are written'),
    ranker: z
      .enum(['forest', 'ml-random-forest'])
      .default('forest')
      .describe('own forest, or the npm library with its importance summed correctly (small data only)'),
    trees: z
      .union([z.literal('auto'), z.int().min(2).max(100_000)])
      .default('auto')
      .describe('trees per diagnosis; auto: 1,000 below 2,000 training rows, 300 from there (library: 100)'),
    bins: z.int().min(2).max(256).default(256).describe('most bins a column is cut into'),
    exclude_features: z
      .array(z.string().regex(/^F\d{3}$/))
      .default([])
      .describe('features left out of the ranking besides those made from diagnoses of this admission'),
    k_sweep: z
      .array(z.int().min(1))
      .default([5, 10, 15, 20, 25, 30, 35, 40, 45, 50])
      .describe('values of K whose union size and utilisation are tabled'),
  })
  .refine((c) => c.ranks_kept >= Math.max(c.top_k, ...c.k_sweep), {
    path: ['ranks_kept'],
    message: 'must be at least top_k and the largest value of k_sweep',
  });

export type RankFeaturesConfig = z.infer<typeof rankFeaturesConfig>;
