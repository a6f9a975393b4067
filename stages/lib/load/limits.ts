/** Options that every loader has: how many rows of a file may be refused. */
import { z } from 'zod';

export const LOAD_LIMITS = {
  max_reject_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe('largest share of the rows of a file that may be rejected'),
  free_rejects: z
    .int()
    .min(0)
    .default(10)
    .describe('rejects of a file that are allowed whatever their share, so that tiny extracts can be loaded'),
  max_rejects: z
    .int()
    .min(0)
    .default(100_000)
    .describe('rejects of a file that may be collected at all; more stop the build'),
};

export interface LoadLimits {
  readonly max_reject_share: number;
  readonly free_rejects: number;
  readonly max_rejects: number;
}
