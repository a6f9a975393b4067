/** What a maintainer should look at first. */
import type { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import type { Config } from './config.js';

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;

/** Every limit that is passed, in words. */
export function warningsOf(s: MedpicStatistics, c: Config): string[] {
  const types = s.dimensions.filter((d) => d.dimension === 'taxonomy_patient_info_type');
  return [
    ...s.sources
      .filter((x) => x.pair_share > c.max_source_share)
      .map(
        (x) =>
          `${x.source_id} has ${percent(x.pair_share)} of the pairs, over ${percent(c.max_source_share)}`,
      ),
    ...types
      .filter((x) => x.pair_share > c.max_type_share)
      .map(
        (x) => `${x.category} has ${percent(x.pair_share)} of the pairs, over ${percent(c.max_type_share)}`,
      ),
    ...s.positions
      .filter((p) => p.p_value < c.min_p_value)
      .map(
        (p) =>
          `the letter of the ${p.what} is not uniform with ${p.options_n} options (p = ${p.p_value.toFixed(4)})`,
      ),
    ...(Math.abs(s.longest.rate - s.longest.chance) > c.max_longest_gap
      ? [`the longest option is right in ${percent(s.longest.rate)}, chance is ${percent(s.longest.chance)}`]
      : []),
    ...s.blind
      .filter((b) => b.rate - Math.max(b.chance, b.always_none) > c.max_blind_gap)
      .map(
        (b) =>
          `without the vignette ${percent(b.rate)} of ${b.config} are picked right; chance is ${percent(b.chance)}, always None gives ${percent(b.always_none)}`,
      ),
    ...(s.pairs_per_rule_max > c.max_pairs_per_rule
      ? [`a rule has ${s.pairs_per_rule_max} pairs, over ${c.max_pairs_per_rule}`]
      : []),
  ];
}
