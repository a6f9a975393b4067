/** Options of assemble-questions. */
import { z } from 'zod';

export const AssembleQuestionsConfig = z.strictObject({
  max_prompt_tokens: z
    .int()
    .min(500)
    .default(32_000)
    .describe(
      'longest prompt; over it the earliest events are left out first, and the timeline says how many',
    ),
  drug_share_max: z
    .number()
    .gt(0)
    .max(1)
    .nullable()
    .default(0.08)
    .describe(
      'largest share of one drug among the right options; moments over it are left out; null for no limit',
    ),
});
export type AssembleQuestionsConfig = z.infer<typeof AssembleQuestionsConfig>;
