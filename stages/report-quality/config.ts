import { z } from 'zod';

export const ReportQualityConfig = z.strictObject({
  small_cell: z
    .int()
    .min(0)
    .default(11)
    .describe(
      'counts of patients or stays from 1 up to below this number are masked unless the data are open',
    ),
  histograms: z.int().min(0).max(24).default(6).describe('diagnoses whose distance distribution is drawn'),
  histogram_pairs: z
    .int()
    .min(100)
    .default(50_000)
    .describe('positive pairs a histogram counts at most; with more, a seeded sample of this size'),
});
export type ReportQualityConfig = z.infer<typeof ReportQualityConfig>;
