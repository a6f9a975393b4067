/** The documents of a release that are generated from its manifest. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { changelog } from '../engine/documents/changelog.js';
import { citation, croissant, type DatasetWords } from '../engine/documents/croissant.js';
import { jsonDocument } from '../engine/documents/json.js';
import { provenance } from '../engine/documents/prov.js';
import { dataUseChecklist, releaseLicense } from '../mimic-license.js';
import { termsOf } from '../mimic-terms.js';
import { rxevalCard } from './card.js';
import { responsibleAi } from './statements.js';

/** Words of the Croissant document. */
function datasetWords(manifest: ReleaseManifest): DatasetWords {
  const { name, license_url } = termsOf(manifest);
  return {
    name,
    description:
      'Multiple-choice questions on prescribing: a patient before admission, the events of the admission up to one moment, and a list in which the drugs that were ordered then stand among drugs that are wrong for this patient at that time. Further configs ask the same moments openly, with the allergies repeated, without the history, and without the events. Answers, chains of reasoning with their cited facts, and the record stand apart from the questions. Not for clinical use.',
    license_url,
    citation: citation(manifest, name),
    keywords: [
      'medicine',
      'prescribing',
      'electronic health records',
      'language model evaluation',
      'provenance',
    ],
    splits: 'Splits; a patient is in one split only.',
    key: 'question_id',
    answer: 'answer',
    responsibleAi: responsibleAi(manifest),
  };
}

/** Path to content, for writeRelease. */
export function releaseDocuments(manifest: ReleaseManifest): Record<string, string> {
  const data_use = dataUseChecklist(manifest);
  return {
    'README.md': rxevalCard(manifest),
    'CHANGELOG.md': changelog('rxeval', manifest.version),
    LICENSE: releaseLicense(manifest),
    ...(data_use === null ? {} : { 'DATA_USE.md': data_use }),
    'croissant.json': jsonDocument(croissant(manifest, datasetWords(manifest))),
    'provenance/prov.jsonld': jsonDocument(provenance(manifest)),
  };
}
