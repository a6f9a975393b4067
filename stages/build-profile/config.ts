import { z } from 'zod';

export const config = z.strictObject({
  author: z
    .enum(['parser', 'model'])
    .default('parser')
    .describe(
      'who writes the sections of a note: the parser, or a model that is given the allowed sections only',
    ),
  hpi: z
    .enum(['full', 'strict'])
    .default('full')
    .describe('strict ends the history where the emergency department, arrival or transfer begins'),
  leak: z
    .enum(['sentence', 'admission'])
    .default('sentence')
    .describe('what a sentence about the stay itself costs: the sentence, or the admission'),
  max_earlier_codes: z
    .int()
    .min(0)
    .default(40)
    .describe(
      'diagnoses coded in earlier admissions that the past medical history lists, latest admission first',
    ),
  max_failed_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('share of notes without a usable reply of the model; past it the build stops'),
});

export type Config = z.infer<typeof config>;
