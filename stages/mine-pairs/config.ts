/** Settings of mine-pairs. */
import { z } from 'zod';

const percentile = (value: number, doc: string) => z.number().min(0).max(100).default(value).describe(doc);

export const minePairsConfig = z
  .strictObject({
    top_k: z
      .int()
      .min(1)
      // A stay's number of observed features is kept in a byte.
      .max(255)
      .default(20)
      .describe('K: how many ranked features make up F_k'),
    distance: z
      .enum(['gower', 'euclidean'])
      .default('gower')
      .describe('mean absolute difference of range-scaled values, or euclidean distance of z-scores'),
    z_clip: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe('limit of |z| for euclidean; null leaves z-scores as they are'),
    range_low_percentile: percentile(1, 'percentile of observed values that becomes 0 (gower)'),
    range_high_percentile: percentile(99, 'percentile of observed values that becomes 1 (gower)'),
    min_observed_share: z
      .number()
      .min(0)
      .max(1)
      .default(0.7)
      .describe('share of F_k that must be observed in a stay before it may be paired'),
    apply_thresholds: z
      .boolean()
      .default(true)
      .describe('keep only pairs below theta (DDT) or above phi (DCT)'),
    theta_percentile: percentile(25, 'theta: percentile of the distances between positive stays'),
    phi_percentile: percentile(75, 'phi: percentile of the distances between positive stays'),
    top_m: z.int().min(1).max(10_000).default(5).describe('m: pairs per diagnosis, task and split'),
    cap_per_patient: z
      .union([z.literal('none'), z.int().min(1)])
      .default(1)
      .describe('how many pairs of one diagnosis and task a patient may stand in; none: plain top m'),
    ba_per_class: z
      .int()
      .min(1)
      .default(10)
      .describe('positive and negative stays per diagnosis and split in BA'),
    ba_classes: z
      .enum(['both', 'positives-only'])
      .default('both')
      .describe('whether BA has negative stays too'),
  })
  .refine((c) => c.range_low_percentile < c.range_high_percentile, {
    path: ['range_low_percentile'],
    message: 'must be below range_high_percentile',
  });

export type MinePairsConfig = z.infer<typeof minePairsConfig>;
