/** Options of report-questions. */
import { z } from 'zod';

export const ReportQuestionsConfig = z.strictObject({
  warn_drug_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.08)
    .describe('share of right options, or of distractors, above which one drug is named as a warning'),
  warn_p_value: z
    .number()
    .min(0)
    .max(1)
    .default(0.001)
    .describe('letters whose distribution is less likely than this are named as a warning'),
  shown_drugs: z.int().min(1).default(25).describe('drugs listed in the report'),
  small_count: z
    .int()
    .min(2)
    .default(11)
    .describe('counts of people below this are masked where the data are not open'),
});
export type ReportQuestionsConfig = z.infer<typeof ReportQuestionsConfig>;
