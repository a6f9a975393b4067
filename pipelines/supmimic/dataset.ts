/** What supmimic says about itself in croissant.json. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { citation, type DatasetWords } from '../engine/documents/croissant.js';
import { termsOf } from '../mimic-terms.js';
import { responsibleAi } from './croissant-rai.js';

/** Words of the Croissant document. */
export function datasetWords(manifest: ReleaseManifest): DatasetWords {
  const terms = termsOf(manifest);
  return {
    name: terms.name,
    description: describe(manifest),
    license_url: terms.license_url,
    citation: citation(manifest, terms.name),
    keywords: [
      'medicine',
      'intensive care',
      'diagnosis',
      'language model evaluation',
      'counterfactual pairs',
    ],
    splits: 'Splits; a patient is in one split only.',
    key: 'item_id',
    answer: 'label',
    responsibleAi: responsibleAi(manifest),
  };
}

const PATIENTS: Readonly<Record<string, string>> = {
  synthetic: 'synthetic patients in the shape of MIMIC-IV',
  demo: 'the 100 patients of the open MIMIC-IV demo',
  mimic: 'patients of MIMIC-IV',
};

function describe(manifest: ReleaseManifest): string {
  return `Yes-or-no diagnosis questions over 448 features of the first 24 hours in intensive care, from ${PATIENTS[manifest.kind]}: single stays (ba), nearest stays with opposite answers (ddt) and farthest stays with the same answer (dct). Answers, cohort and provenance stand apart from the questions.`;
}
