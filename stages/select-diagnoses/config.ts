import { z } from 'zod';

/** How labels are chosen; the defaults are those of the full data set. */
export const config = z.strictObject({
  min_positives: z.int().min(1).default(100).describe('cohort stays a label needs'),
  top_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of labels dropped from the most frequent end, rounded up'),
  top_share_base: z
    .enum(['eligible', 'all'])
    .default('eligible')
    .describe('top_share of the labels that have min_positives, or of all labels'),
  min_completeness: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe('share of filled cells over positives x core features a label needs'),
  max_outlier_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('a label whose outlier share is larger is dropped'),
  outlier_unit: z
    .enum(['values', 'stays'])
    .default('values')
    .describe('outlier share of the core values of the positives, or of positives with any outlying value'),
  outlier_sd: z
    .number()
    .positive()
    .default(5)
    .describe('robust standard deviations (IQR / 1.349) from the median past which a value is an outlier'),
  excluded_categories: z
    .array(z.int().min(1).max(19))
    .default([18, 19])
    .describe(
      'categories of lib/icd-chapters.csv that give no labels; 18 is status (Z, V), 19 external cause (V-Y, E)',
    ),
  exclude_complications: z
    .boolean()
    .default(false)
    .describe('drop labels of complications.csv (care-acquired, often later than the first day)'),
  primary_only: z.boolean().default(false).describe('use only codes with seq_num 1'),
  max_labels: z.int().min(1).default(200).describe('labels selected at most (M)'),
  selection: z
    .enum(['quota', 'frequency'])
    .default('quota')
    .describe('fill category quotas, or take the most frequent labels of all'),
  min_per_category: z.int().min(0).default(3).describe('labels each category gets where it has them'),
});

export type Config = z.infer<typeof config>;
