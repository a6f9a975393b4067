/** The documents of a release that are generated from its manifest. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import { PROJECT_ROOT, readFileSync } from '../engine/adapters/files.js';
import { supmimicCard } from './card.js';
import { supmimicCroissant } from './croissant.js';
import { dataUseChecklist, releaseLicense } from './license.js';
import { supmimicProv } from './prov.js';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What is unreleased in the project is what this version brings. */
const changelog = (version: string): string =>
  readFileSync(join(PROJECT_ROOT, 'pipelines/supmimic/CHANGELOG.md'), 'utf8').replace(
    '## Unreleased',
    `## ${version}`,
  );

/** Path to content, for writeRelease. */
export function releaseDocuments(manifest: ReleaseManifest): Record<string, string> {
  const data_use = dataUseChecklist(manifest);
  return {
    'README.md': supmimicCard(manifest),
    'CHANGELOG.md': changelog(manifest.version),
    LICENSE: releaseLicense(manifest),
    ...(data_use === null ? {} : { 'DATA_USE.md': data_use }),
    'croissant.json': json(supmimicCroissant(manifest)),
    'provenance/prov.jsonld': json(supmimicProv(manifest)),
  };
}
