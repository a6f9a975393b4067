import { z } from 'zod';

/** The splits and their weights. */
export const config = z.strictObject({
  splits: z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.number().positive())
    .refine((splits) => Object.keys(splits).length > 0, 'at least one split is needed')
    .default({ test: 1 })
    .describe('split name -> weight; weights are relative, patients are assigned by hash'),
});

export type Config = z.infer<typeof config>;
