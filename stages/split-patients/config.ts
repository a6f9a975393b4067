import { z } from 'zod';
import { splitWeights } from '../lib/patient-split.js';

/** The splits and their weights. */
export const config = z.strictObject({
  splits: splitWeights
    .default({ test: 1 })
    .describe('split name -> weight; weights are relative, patients are assigned by hash'),
});

export type Config = z.infer<typeof config>;
