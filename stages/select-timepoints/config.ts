import { z } from 'zod';
import { AUTHORS } from '../../schemas/rxeval.js';

export const config = z.strictObject({
  author: z
    .enum(AUTHORS)
    .default('rules')
    .describe('who says what each drug of a moment is: tables and indication rules, or a model'),
  drug_share_max: z
    .number()
    .positive()
    .max(1)
    .nullable()
    .default(0.06)
    .describe(
      'largest share of one drug among the answers of the moments that go on; null for no limit. Some moments end later, so it stays below the 8 % of a release',
    ),
});

export type Config = z.infer<typeof config>;
