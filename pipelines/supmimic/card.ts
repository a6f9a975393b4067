/** README.md of a release, written from its manifest alone, so that it cannot describe another release. */
import { type ReleaseFile, type ReleaseManifest, SupmimicStatistics } from '../../schemas/release.js';
import { physionetCard } from './card-physionet.js';
import {
  bullets,
  configTable,
  fieldTable,
  fileTable,
  methodSection,
  scoringSection,
  sourceSection,
  statisticsTable,
  summary,
} from './card-sections.js';
import { citation } from './croissant.js';
import { biases, limitations, sensitivity } from './croissant-rai.js';
import { termsOf } from './terms.js';
import { toYaml, type Yaml } from './yaml.js';

/** The dataset card: with YAML front matter for a public hub, in PhysioNet's shape when the release is not open. */
export function supmimicCard(manifest: ReleaseManifest): string {
  const statistics = SupmimicStatistics.parse(manifest.statistics);
  if (manifest.access !== 'open') return physionetCard(manifest, statistics);
  return `---\n${toYaml(frontMatter(manifest, statistics))}---\n\n${body(manifest, statistics)}`;
}

function body(manifest: ReleaseManifest, statistics: SupmimicStatistics): string {
  const terms = termsOf(manifest);
  return `# ${terms.name} ${manifest.version}

${summary(manifest, statistics)}

## Configs and splits

${configTable(statistics)}

Read a config with two lines:

\`\`\`python
from datasets import load_dataset
items = load_dataset("path/to/this/folder", "ddt", split="${statistics.items[0]?.split ?? 'test'}")
\`\`\`

Answers are configs of their own (\`answers_ba\`, \`answers_ddt\`, \`answers_dct\`), joined by \`item_id\`. Files under \`cohort/\`
and \`provenance/\` are not configs.

## Fields

### Questions

${fieldTable(manifest, 'question')}

### Answers

${fieldTable(manifest, 'answer')}

## How an answer is scored

${scoringSection()}

## How it was made

${methodSection(manifest)}

## Numbers

${statisticsTable(manifest, statistics)}

## Sources

${sourceSection(manifest)}

## Limits

${bullets(limitations(manifest))}

## Biases

${bullets(biases(manifest))}

## Personal and sensitive information

${sensitivity(manifest)}

## Uses

For measuring language models on near and far patient pairs. Not for diagnosis, treatment, triage or any decision about a
person, and not for training a model that is then scored on it.

## Files

${fileTable(manifest)}

\`sha256sum -c checksums.sha256\` checks every file. \`make verify RELEASE=<this folder>\` recomputes thresholds, distances,
selection, labels and prompts from \`cohort/\`.

## Licence

${terms.license_name} (<${terms.license_url}>); see LICENSE.

## Citation

${citation(manifest)}
`;
}

const SIZES: readonly [number, string][] = [
  [1e3, 'n<1K'],
  [1e4, '1K<n<10K'],
  [1e5, '10K<n<100K'],
  [1e6, '100K<n<1M'],
];

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

function frontMatter(manifest: ReleaseManifest, s: SupmimicStatistics): { [key: string]: Yaml } {
  const terms = termsOf(manifest);
  const items = s.items.reduce((sum, i) => sum + i.items_n, 0);
  const groups = configGroups(manifest.files);
  return {
    language: ['en'],
    license: terms.hub_license ?? 'other',
    pretty_name: `${terms.name} ${manifest.version}`,
    size_categories: [SIZES.find(([n]) => items < n)?.[1] ?? 'n>1M'],
    source_datasets: [manifest.kind === 'synthetic' ? 'original' : 'extended'],
    annotations_creators: [manifest.kind === 'synthetic' ? 'machine-generated' : 'found'],
    language_creators: ['machine-generated'],
    task_categories: ['text-classification'],
    tags: ['medical', 'intensive-care', 'diagnosis', 'evaluation', manifest.kind],
    configs: [...groups].map(([name, files]) => ({
      config_name: name,
      ...(name === 'ba' ? { default: true } : {}),
      data_files: files.map((f) => ({ split: f.split ?? 'test', path: f.path })),
    })),
    dataset_info: [...groups].map(([name, files]) => ({
      config_name: name,
      features: (files[0]?.columns ?? []).map((c) => ({ name: c.name, dtype: HUB_TYPE[c.type] ?? 'string' })),
      splits: files.map((f) => ({ name: f.split ?? 'test', num_examples: f.rows ?? 0 })),
      download_size: files.reduce((sum, f) => sum + f.bytes, 0),
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
