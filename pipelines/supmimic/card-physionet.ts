/** The card of a release that is not open: the sections that PhysioNet asks a project for, and no hub front matter. */
import type { ReleaseManifest, SupmimicStatistics } from '../../schemas/release.js';
import { citation } from '../engine/documents/croissant.js';
import { bullets, fieldTable, fileTable } from '../engine/documents/markdown.js';
import { termsOf } from '../mimic-terms.js';
import {
  configTable,
  methodSection,
  scoringSection,
  sourceSection,
  statisticsTable,
  summary,
} from './card-sections.js';
import { biases, limitations, sensitivity } from './croissant-rai.js';

/** README.md in PhysioNet's order: abstract, background, methods, data description, usage notes, ethics, references. */
export function physionetCard(manifest: ReleaseManifest, statistics: SupmimicStatistics): string {
  const terms = termsOf(manifest);
  return `# ${terms.name} ${manifest.version}

> **Credentialed data.** This folder falls under the agreement of its source. Do not copy it to a public place, do not send it to
> anybody who has not signed the agreement, and do not send it to a third-party service, programming interfaces included.
> DATA_USE.md is the checklist to go through before it is used or submitted.

## Abstract

${summary(manifest, statistics)}

## Background

Scores on isolated patients do not show whether a model separates two patients who look alike but have different diagnoses, or
recognises one diagnosis in two patients who look different. SUP-MIMIC (arXiv 2608.29582) measures both with pairs that are mined
from intensive-care stays. This project rebuilds such a benchmark from MIMIC-IV with open software, so that holders of the source can
make and check it themselves.

Parent project: ${terms.source ? `${terms.source.title} ${terms.source.version}, DOI ${terms.source.doi}` : 'none (synthetic data)'}.

## Methods

${methodSection(manifest)}

### Sources

${sourceSection(manifest)}

## Data Description

${configTable(statistics)}

### Questions

${fieldTable(manifest, 'question')}

### Answers

${fieldTable(manifest, 'answer')}

### Files

${fileTable(manifest)}

### Numbers

${statisticsTable(manifest, statistics)}

## Usage Notes

${scoringSection()}

### Limits

${bullets(limitations(manifest))}

### Biases

${bullets(biases(manifest))}

## Release Notes

See CHANGELOG.md. \`sha256sum -c checksums.sha256\` checks every file; \`make verify RELEASE=<this folder>\` recomputes the answers.

## Ethics

${sensitivity(manifest)} The project made no contact with patients and tried to identify nobody. Anything that could identify a
person is to be reported to PHI-report@physionet.org.

## Conflicts of Interest

To be stated by whoever submits the project.

## References

${bullets(references(manifest))}

## Licence

${terms.license_name} (<${terms.license_url}>); LICENSE holds the placeholder to be replaced on submission.
`;
}

function references(manifest: ReleaseManifest): string[] {
  const { name, source } = termsOf(manifest);
  return [
    citation(manifest, name),
    ...(source
      ? [
          `Johnson A, Bulgarelli L, Pollard T, and others. ${source.title} (version ${source.version}). PhysioNet. https://doi.org/${source.doi}`,
          'Johnson AEW, Bulgarelli L, Shen L, and others. MIMIC-IV, a freely accessible electronic health record dataset. Scientific Data 10, 1 (2023). https://doi.org/10.1038/s41597-022-01899-x',
          'Goldberger AL, Amaral LAN, Glass L, and others. PhysioBank, PhysioToolkit, and PhysioNet. Circulation 101, e215-e220 (2000). https://doi.org/10.1161/01.CIR.101.23.e215',
        ]
      : []),
    'SUP-MIMIC, arXiv 2608.29582.',
  ];
}
