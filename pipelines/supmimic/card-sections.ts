/** Parts that both forms of the card share. */
import type { ReleaseManifest, SupmimicStatistics } from '../../schemas/release.js';
import { markdownTable, stageTable } from '../engine/documents/markdown.js';
import { termsOf } from '../mimic-terms.js';

/** One paragraph on what the release is. */
export function summary(manifest: ReleaseManifest, s: SupmimicStatistics): string {
  const items = s.items.reduce((sum, i) => sum + i.items_n, 0);
  return `${items} yes-or-no questions about ${s.diagnoses_n} diagnoses (${s.categories_n} categories) and ${s.patients_n} patients
(${s.stays_n} intensive-care stays). A question shows ${s.features_n} features of the first 24 hours of a stay and one candidate
diagnosis. \`ba\` asks about single stays; \`ddt\` about two stays that look alike (nearest in the ${s.k} deciding features) of which
one has the diagnosis; \`dct\` about two stays that both have it and look different. ${kindSentence(manifest)}`;
}

function kindSentence(manifest: ReleaseManifest): string {
  const words: Readonly<Record<string, string>> = {
    synthetic: 'The patients are synthetic: the release is for testing software, not for judging models.',
    demo: 'The patients are the 100 of the open MIMIC-IV demo.',
    mimic: `The patients are from MIMIC-IV ${manifest.mimic_version ?? ''}.`,
  };
  return words[manifest.kind]!.trim();
}

/** Items, pairs, diagnoses and patients of every config and split. */
export function configTable(s: SupmimicStatistics): string {
  return markdownTable(
    ['config', 'split', 'items', 'pairs', 'answer yes', 'diagnoses', 'patients'],
    s.items.map((i) => [i.config, i.split, i.items_n, i.pairs_n, i.positives_n, i.diagnoses_n, i.patients_n]),
  );
}

/** The rules of scoring, stated once. */
export function scoringSection(): string {
  return `A reply is one JSON object with \`diagnosis_present\` (\`yes\` or \`no\`), \`confidence\` (0 to 1) and \`rationale\`. \`label\` is 1 where
the right answer is \`yes\`. A reply without a readable answer counts as wrong, and the share of such replies is reported beside
every score.

- Accuracy of a config: right items over all items.
- Pair accuracy (ddt, dct): pairs with both items right over all pairs. In ddt this needs one \`yes\` and one \`no\`.
- Sick and healthy recall: right among label 1, right among label 0; the latter does not exist in dct.
- Combined: accuracy of ba times the square root of (pair accuracy of ddt times pair accuracy of dct); 0 when a factor is 0.

A model that always says \`yes\` has full marks in dct, half in ddt and none of the ddt pairs: report the configs together.`;
}

/** Stages with version and settings, and what the same inputs give. */
export function methodSection(manifest: ReleaseManifest): string {
  return `${stageTable(manifest)}

The same inputs, settings and package versions give the same bytes. Features use nothing after the first 24 hours of the stay and
no diagnosis of the hospital stay that is asked about. Items and pairs have ids that are hashes over what is asked, never over an
answer, and rows stand in the order of these ids.`;
}

/** The statistics of the manifest, all of them. */
export function statisticsTable(manifest: ReleaseManifest, s: SupmimicStatistics): string {
  const percent = (x: number): string => `${(100 * x).toFixed(2)} %`;
  const distance = (x: number | null): string => (x === null ? 'none' : x.toFixed(4));
  return markdownTable(
    ['what', 'value'],
    [
      ['intensive-care stays', String(s.stays_n)],
      ['patients', String(s.patients_n)],
      ['features', String(s.features_n)],
      ['candidate labels before selection', String(s.labels_n)],
      ['diagnoses', String(s.diagnoses_n)],
      ['diagnosis categories', String(s.categories_n)],
      ['deciding features per diagnosis (K)', String(s.k)],
      ['features in the union of all deciding sets', `${s.union_n} (${percent(s.utilisation)})`],
      ['feature values not measured, filled in for distances only', percent(s.imputed_share)],
      ['median θ over diagnoses', distance(s.theta_median)],
      ['median φ over diagnoses', distance(s.phi_median)],
      ['most items that show one patient', String(s.items_per_patient_max)],
      ['data hash', `\`${manifest.data_hash}\``],
    ],
  );
}

/** Source tables with hash, size and records. */
export function sourceSection(manifest: ReleaseManifest): string {
  const source = termsOf(manifest).source;
  const words = source
    ? `${source.title}, version ${source.version} (<${source.url}>, DOI [${source.doi}](https://doi.org/${source.doi})).`
    : `Made by the stage \`synth-mimic\` with seed ${manifest.seed}; no patient stands behind a row.`;
  return `${words}

${markdownTable(
  ['table', 'records', 'bytes', 'sha256'],
  manifest.sources.map((s) => [s.table, s.records, s.bytes, `\`${s.sha256}\``]),
)}`;
}
