/** README.md of a release, written from its manifest alone, so that it cannot describe another release. */
import { type ReleaseManifest, SupmimicStatistics } from '../../schemas/release.js';
import { citation } from '../engine/documents/croissant.js';
import { hubConfigs, sizeCategory } from '../engine/documents/front-matter.js';
import { bullets, fieldTable, fileTable } from '../engine/documents/markdown.js';
import { toYaml, type Yaml } from '../engine/documents/yaml.js';
import { termsOf } from '../mimic-terms.js';
import { physionetCard } from './card-physionet.js';
import {
  configTable,
  methodSection,
  scoringSection,
  sourceSection,
  statisticsTable,
  summary,
} from './card-sections.js';
import { biases, limitations, sensitivity } from './croissant-rai.js';

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

${citation(manifest, terms.name)}
`;
}

function frontMatter(manifest: ReleaseManifest, s: SupmimicStatistics): { [key: string]: Yaml } {
  const terms = termsOf(manifest);
  const items = s.items.reduce((sum, i) => sum + i.items_n, 0);
  return {
    language: ['en'],
    license: terms.hub_license ?? 'other',
    pretty_name: `${terms.name} ${manifest.version}`,
    size_categories: [sizeCategory(items)],
    source_datasets: [manifest.kind === 'synthetic' ? 'original' : 'extended'],
    annotations_creators: [manifest.kind === 'synthetic' ? 'machine-generated' : 'found'],
    language_creators: ['machine-generated'],
    task_categories: ['text-classification'],
    tags: ['medical', 'intensive-care', 'diagnosis', 'evaluation', manifest.kind],
    ...hubConfigs(manifest.files, 'ba'),
  };
}
