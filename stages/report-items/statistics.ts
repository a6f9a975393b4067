/** The numbers of the report. */
import { CONFIGS } from '../../schemas/medpic.js';
import type { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import { alwaysNone, blindReader, longestOption, positions } from './cues.js';
import { DIMENSIONS, type Inputs, type Item } from './read.js';

/** Everything that the manifest holds about the questions. */
export function statisticsOf(inputs: Inputs): MedpicStatistics {
  const { items, rules, validation } = inputs;
  const pairs = pairsOf(items.filter((i) => i.config === 'cf'));
  const ofConfig = (config: string): Item[] => items.filter((i) => i.config === config);
  return {
    items_n: items.length,
    gf_n: ofConfig('gf').length,
    cf_n: ofConfig('cf').length,
    pairs_n: pairs.length,
    rules_n: rules.length,
    verified_rules_n: rules.filter((r) => r.status === 'verified').length,
    used_rules_n: distinct(items.map((i) => i.rule_id)),
    drugs_n: distinct(items.flatMap((i) => i.drugs)),
    configs: CONFIGS.flatMap((config) => configRows(config, ofConfig(config))),
    sources: sourceRows(inputs, pairs),
    dimensions: DIMENSIONS.flatMap((d) => dimensionRows(d, items, pairs)),
    pairs_per_rule_max: Math.max(0, ...countBy(pairs.map((p) => p.rule_id)).values()),
    key_sizes: [...countBy(items.map((i) => i.keys.length))]
      .sort(([a], [b]) => a - b)
      .map(([keys_n, items_n]) => ({ keys_n, items_n })),
    positions: positions(items).map((p) => ({ ...p, counts: [...p.counts] })),
    longest: longestOption(items),
    blind: CONFIGS.flatMap((config) => {
      const some = ofConfig(config);
      return some.length === 0 ? [] : [{ config, ...blindReader(some), always_none: alwaysNone(some) }];
    }),
    validation: {
      validated_n: validation.get('validated') ?? 0,
      open_n: validation.get('open') ?? 0,
      excluded_n: validation.get('excluded') ?? 0,
    },
    row_rejects: rowRejects(inputs),
    item_rejects: inputs.rejects.map((r) => ({ ...r })),
  };
}

/** One member of each pair: pairs share rule, source and patient information type. */
const pairsOf = (items: readonly Item[]): Item[] => [
  ...new Map(items.flatMap((i) => (i.pair_id === null ? [] : [[i.pair_id, i] as const]))).values(),
];

const distinct = (values: readonly string[]): number => new Set(values).size;

function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const v of values) counts.set(v, (counts.get(v) ?? 0) + 1);
  return counts;
}

const share = (n: number, of: number): number => (of === 0 ? 0 : n / of);

function configRows(config: string, items: readonly Item[]): MedpicStatistics['configs'] {
  const splits = [...new Set(items.map((i) => i.split))].sort();
  return splits.map((split) => {
    const mine = items.filter((i) => i.split === split);
    return {
      config,
      split,
      items_n: mine.length,
      pairs_n: pairsOf(mine).length,
      rules_n: distinct(mine.map((i) => i.rule_id)),
      none_n: mine.filter((i) => i.none_letter !== null && i.keys.includes(i.none_letter)).length,
      keys_mean: share(
        mine.reduce((sum, i) => sum + i.keys.length, 0),
        mine.length,
      ),
    };
  });
}

function sourceRows(inputs: Inputs, pairs: readonly Item[]): MedpicStatistics['sources'] {
  const { outcomes, rules, items } = inputs;
  const ids = [...new Set([...outcomes, ...rules].map((r) => r.source_id))].sort();
  return ids.map((source_id) => {
    const rows = outcomes.filter((o) => o.source_id === source_id);
    const mine = pairs.filter((p) => p.source_id === source_id);
    return {
      source_id,
      rows_n: rows.length,
      rules_n: rules.filter((r) => r.source_id === source_id).length,
      held_n: rows.filter((o) => o.outcome === 'held').length,
      refused_n: rows.filter((o) => o.outcome === 'refused').length,
      items_n: items.filter((i) => i.source_id === source_id).length,
      pairs_n: mine.length,
      pair_share: share(mine.length, pairs.length),
    };
  });
}

function dimensionRows(
  dimension: (typeof DIMENSIONS)[number],
  items: readonly Item[],
  pairs: readonly Item[],
): MedpicStatistics['dimensions'] {
  const all = countBy(items.flatMap((i) => i.labels[dimension]!));
  const paired = countBy(pairs.flatMap((i) => i.labels[dimension]!));
  return [...all]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([category, items_n]) => {
      const pairs_n = paired.get(category) ?? 0;
      return { dimension, category, items_n, pairs_n, pair_share: share(pairs_n, pairs.length) };
    });
}

function rowRejects({ outcomes }: Inputs): MedpicStatistics['row_rejects'] {
  const refused = outcomes.filter((o) => o.reason !== null);
  const counts = countBy(refused.map((o) => `${o.source_id}\u001f${o.reason}`));
  return [...counts].map(([key, n]) => {
    const [source_id, reason] = key.split('\u001f') as [string, string];
    return { source_id, reason, n };
  });
}
