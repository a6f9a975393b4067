/** The documents of a release that are generated from its manifest. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { changelog } from '../engine/documents/changelog.js';
import { croissant } from '../engine/documents/croissant.js';
import { jsonDocument } from '../engine/documents/json.js';
import { provenance } from '../engine/documents/prov.js';
import { dataUseChecklist, releaseLicense } from '../mimic-license.js';
import { supmimicCard } from './card.js';
import { datasetWords } from './dataset.js';

/** Path to content, for writeRelease. */
export function releaseDocuments(manifest: ReleaseManifest): Record<string, string> {
  const data_use = dataUseChecklist(manifest);
  return {
    'README.md': supmimicCard(manifest),
    'CHANGELOG.md': changelog('supmimic', manifest.version),
    LICENSE: releaseLicense(manifest),
    ...(data_use === null ? {} : { 'DATA_USE.md': data_use }),
    'croissant.json': jsonDocument(croissant(manifest, datasetWords(manifest))),
    'provenance/prov.jsonld': jsonDocument(provenance(manifest)),
  };
}
