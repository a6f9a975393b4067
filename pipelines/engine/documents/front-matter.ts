/** The part of a card's front matter that every benchmark has: size, configs and features for a public hub. */
import type { ReleaseFile } from '../../../schemas/release.js';
import type { Yaml } from './yaml.js';

const SIZES: readonly [number, string][] = [
  [1e3, 'n<1K'],
  [1e4, '1K<n<10K'],
  [1e5, '10K<n<100K'],
  [1e6, '100K<n<1M'],
];

/** The hub's size class of a number of items. */
export const sizeCategory = (items: number): string => SIZES.find(([n]) => items < n)?.[1] ?? 'n>1M';

const HUB_TYPE: Readonly<Record<string, string>> = {
  BOOLEAN: 'bool',
  INTEGER: 'int32',
  BIGINT: 'int64',
  UTINYINT: 'uint8',
  DOUBLE: 'float64',
  VARCHAR: 'string',
  TIMESTAMP: 'timestamp[us]',
  DATE: 'date32',
};

/** `configs` and `dataset_info` of the front matter; `first` is the config that opens by default. */
export function hubConfigs(files: readonly ReleaseFile[], first: string): { [key: string]: Yaml } {
  const groups = configGroups(files);
  return {
    configs: [...groups].map(([name, group]) => ({
      config_name: name,
      ...(name === first ? { default: true } : {}),
      data_files: group.map((f) => ({ split: f.split ?? 'test', path: f.path })),
    })),
    dataset_info: [...groups].map(([name, group]) => ({
      config_name: name,
      features: (group[0]?.columns ?? []).map((c) => ({ name: c.name, dtype: HUB_TYPE[c.type] ?? 'string' })),
      splits: group.map((f) => ({ name: f.split ?? 'test', num_examples: f.rows ?? 0 })),
      download_size: group.reduce((sum, f) => sum + f.bytes, 0),
    })),
  };
}

/** Parquet files of questions and answers by config name; every file is listed, no glob. */
function configGroups(files: readonly ReleaseFile[]): Map<string, ReleaseFile[]> {
  const groups = new Map<string, ReleaseFile[]>();
  for (const role of ['question', 'answer'] as const) {
    for (const f of files) {
      if (f.role !== role || f.format !== 'parquet' || f.config === null) continue;
      const name = role === 'question' ? f.config : `answers_${f.config}`;
      groups.set(name, [...(groups.get(name) ?? []), f]);
    }
  }
  return groups;
}
