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
});
export type AssembleQuestionsConfig = z.infer<typeof AssembleQuestionsConfig>;
