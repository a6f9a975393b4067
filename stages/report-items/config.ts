import { z } from 'zod';

const share = (x: number, what: string) => z.number().min(0).max(1).default(x).describe(what);

/** Past these limits the report warns; it never drops an item. */
export const config = z.strictObject({
  max_source_share: share(0.45, 'largest share of the counterfactual pairs that one source may have'),
  max_type_share: share(0.35, 'largest share of the pairs that one patient information type may have'),
  max_longest_gap: share(0.05, 'largest distance of the longest-option rate from chance'),
  max_blind_gap: share(
    0.1,
    'largest distance of the reader without vignette above chance, or above always None',
  ),
  min_p_value: share(0.01, 'smallest p-value of the positions of right options and of None'),
  max_pairs_per_rule: z.int().min(1).default(2).describe('counterfactual pairs of one rule at most'),
});
export type Config = z.infer<typeof config>;
