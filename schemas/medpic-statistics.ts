/** `statistics` of a medpic release; `report-items` writes it into report.json under the same name. */
import { z } from 'zod';

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/** Shares of pairs are of all `cf` pairs. */
export const MedpicStatistics = z.strictObject({
  items_n: count,
  /** Items of `gf` and `cf`, the two families of the paper; pairs of `cf`. */
  gf_n: count,
  cf_n: count,
  pairs_n: count,
  rules_n: count,
  /** Rules that two people signed field by field. */
  verified_rules_n: count,
  /** Rules that items ask about. */
  used_rules_n: count,
  drugs_n: count,
  /** One entry a config and split. */
  configs: z.array(
    z.strictObject({
      config: z.string(),
      split: z.string(),
      items_n: count,
      pairs_n: count,
      rules_n: count,
      none_n: count,
      /** Mean number of right options. */
      keys_mean: z.number(),
    }),
  ),
  sources: z.array(
    z.strictObject({
      source_id: z.string(),
      rows_n: count,
      rules_n: count,
      held_n: count,
      refused_n: count,
      items_n: count,
      pairs_n: count,
      pair_share: share,
    }),
  ),
  /** Items and `cf` pairs of each category of each label dimension. */
  dimensions: z.array(
    z.strictObject({
      dimension: z.string(),
      category: z.string(),
      items_n: count,
      pairs_n: count,
      pair_share: share,
    }),
  ),
  pairs_per_rule_max: count,
  /** How many options are right. */
  key_sizes: z.array(z.strictObject({ keys_n: count, items_n: count })),
  /** Where right options, and None, stand; chi-square against uniform, per number of options. */
  positions: z.array(
    z.strictObject({
      what: z.enum(['right option', 'None']),
      options_n: count,
      counts: z.array(count),
      chi_square: z.number(),
      df: count,
      p_value: share,
    }),
  ),
  /** Choosing a longest option, and chance. */
  longest: z.strictObject({ items_n: count, rate: share, chance: share }),
  /** A reader of stem and options without the vignette, picking one option at random, and always None; per config. */
  blind: z.array(
    z.strictObject({ config: z.string(), items_n: count, rate: share, chance: share, always_none: share }),
  ),
  /** Items by what people said. */
  validation: z.strictObject({ validated_n: count, open_n: count, excluded_n: count }),
  row_rejects: z.array(z.strictObject({ source_id: z.string(), reason: z.string(), n: count })),
  item_rejects: z.array(z.strictObject({ config: z.string(), reason: z.string(), n: count })),
});
export type MedpicStatistics = z.infer<typeof MedpicStatistics>;
