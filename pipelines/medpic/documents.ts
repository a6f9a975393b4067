/** The documents of a release that are generated from its manifest. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { changelog } from '../engine/documents/changelog.js';
import { citation, croissant, type DatasetWords } from '../engine/documents/croissant.js';
import { jsonDocument } from '../engine/documents/json.js';
import { provenance } from '../engine/documents/prov.js';
import { medpicCard } from './card.js';
import { releaseLicense } from './license.js';
import { responsibleAi } from './statements.js';
import { LICENSE, NAME } from './terms.js';

/** Words of the Croissant document. */
export function datasetWords(manifest: ReleaseManifest): DatasetWords {
  const state = manifest.kind === 'signed' ? 'signed by people' : 'checked by program, not signed';
  return {
    name: NAME,
    description: `Multiple-choice questions on medication safety with a written patient, from guideline tables: single items (gf), pairs in which one changed fact changes the answer (cf), and controls and series beyond them (irrelevant, two_fact, sweep, switch). The rules behind the answers are ${state}. Answers, rules and provenance stand apart from the questions. Not for clinical use.`,
    license_url: LICENSE.url,
    citation: citation(manifest, NAME),
    keywords: [
      'medicine',
      'medication safety',
      'clinical guidelines',
      'language model evaluation',
      'counterfactual pairs',
    ],
    splits: 'Splits; a pair or series is in one split only.',
    key: 'instance_id',
    answer: 'answer',
    responsibleAi: responsibleAi(manifest),
  };
}

/** Path to content, for writeRelease. */
export function releaseDocuments(manifest: ReleaseManifest): Record<string, string> {
  return {
    'README.md': medpicCard(manifest),
    'CHANGELOG.md': changelog('medpic', manifest.version),
    LICENSE: releaseLicense(manifest),
    'croissant.json': jsonDocument(croissant(manifest, datasetWords(manifest))),
    'provenance/prov.jsonld': jsonDocument(provenance(manifest)),
  };
}
