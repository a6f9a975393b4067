/** Limits, biases and responsible-AI statements of a release, shared by Croissant and the card. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { RxevalStatistics } from '../../schemas/rxeval-statistics.js';
import type { Json } from '../engine/documents/croissant.js';
import { termsOf } from '../mimic-terms.js';

/** The statistics of a manifest with what the release adds to the report's. */
export const ReleaseStatistics = RxevalStatistics.extend({
  /** Mean over admissions of the mean Jaccard index over pairs of their moments. */
  jaccard_mean: RxevalStatistics.shape.multi_share.nullable(),
});
export type ReleaseStatistics = ReturnType<typeof ReleaseStatistics.parse>;

/** Who wrote chains and distractors, in a sentence that promises no more than is true. */
export function authorSentence(s: ReleaseStatistics): string {
  return s.author === 'rules'
    ? '`author: rules`: chains and distractors were written by tables of rules, not by a clinician and not by a model. Every cited fact was found in the record by program; what the tables do not know is not asked.'
    : `\`author: ${s.author}\`: chains and distractors were written and criticised by a language model. Every cited fact was found in the record by program; what a program cannot check (whether an inference is medically right) rests on the model critic.`;
}

/** What a reader must know before using the numbers. */
export function limitations(manifest: ReleaseManifest): string[] {
  const s = ReleaseStatistics.parse(manifest.statistics);
  const kind: Readonly<Record<string, readonly string[]>> = {
    synthetic: ['Patients are invented by a program. The numbers test software, not medicine.'],
    demo: [
      'One hundred patients without notes: the history is what the tables say, and too little to rank models.',
    ],
    mimic: [],
  };
  return [
    ...(kind[manifest.kind] ?? []),
    'The answer set is what was ordered, continuations and routine orders included; another drug may be as good, and nobody has judged whether an order was right.',
    'A distractor is wrong by a stated rule on stated facts. No clinician has reviewed this release.',
    ...(s.unsigned_proofs_n > 0
      ? [`${s.unsigned_proofs_n} proofs rest on guideline rules that nobody has signed yet.`]
      : []),
    'Moments whose orders the author could not explain from the record are left out, so the questions are easier to justify than prescribing is.',
    'A diagnosis counts only where a readable statement before the moment says so; what clinicians knew without writing it down is missing.',
    'One hospital in one country; English notes; order habits change over the years.',
  ];
}

/** Known biases of the data. */
export function biases(manifest: ReleaseManifest): string[] {
  return [
    'Admissions with an intensive-care stay are over-represented where the extract holds only such patients.',
    'Drugs that a rule or a model can explain from laboratory values and notes are over-represented among right options.',
    'Distractors come from the same tables as the chains: a model that knows the tables has an advantage.',
    ...(manifest.kind === 'synthetic'
      ? ['The generator orders drugs by tables that are close to those of the author.']
      : []),
  ];
}

/** Whether and how people can be recognised. */
export function sensitivity(manifest: ReleaseManifest): string {
  if (manifest.kind === 'synthetic') return 'None: no record describes a real person.';
  const base =
    'De-identified health records: dates are shifted per patient, ages above 89 are grouped. Profiles and timelines hold text of notes and reports where the source has them; blanks of de-identification read Unknown. Questions and answers carry keyed hashes of ids, which do not protect against a holder of the source; the folder events/ holds the ids themselves.';
  return manifest.access === 'open'
    ? base
    : `${base} The release falls under the agreement of its source and may not be shared outside it.`;
}

/** The fields that the data tracks of conferences ask for, and the ones that describe the processing. */
export function responsibleAi(manifest: ReleaseManifest): Json {
  const { source } = termsOf(manifest);
  const s = ReleaseStatistics.parse(manifest.statistics);
  return {
    'rai:dataLimitations': limitations(manifest),
    'rai:dataBiases': biases(manifest),
    'rai:personalSensitiveInformation': sensitivity(manifest),
    'rai:dataUseCases': [
      'Measuring whether a language model names the drugs that were ordered at a moment of an admission, among drugs that are wrong for this patient then.',
      'Not for prescribing or any decision about a person; not for training models that are then scored on it.',
    ],
    'rai:dataSocialImpact':
      'Shows where models overlook allergies, organ function or timing. A high score is no licence to prescribe: the card says what the answer sets are.',
    'rai:hasSyntheticData': manifest.kind === 'synthetic',
    'rai:dataCollection':
      manifest.kind === 'synthetic'
        ? 'Generated by a seeded program in the schema of MIMIC-IV.'
        : 'Routine electronic records of hospital admissions, collected and de-identified by the makers of MIMIC-IV.',
    'rai:dataPreprocessingProtocol': manifest.stages.map(
      (x) => `${x.name} (version ${x.version}): ${x.summary}`,
    ),
    'rai:dataAnnotationProtocol': authorSentence(s).replaceAll('`', ''),
    'rai:dataReleaseMaintenancePlan':
      'Releases are immutable; a correction is a new version with a changelog and a comparison by question id.',
    'prov:wasDerivedFrom': [
      source
        ? {
            '@type': 'prov:Entity',
            '@id': `https://doi.org/${source.doi}`,
            name: `${source.title} ${source.version}`,
            url: source.url,
          }
        : {
            '@type': 'prov:Entity',
            '@id': 'urn:benchwright:synth-mimic',
            name: `synthetic MIMIC-IV, seed ${manifest.seed}`,
          },
    ],
    'prov:wasGeneratedBy': manifest.stages.map((x) => ({
      '@type': 'prov:Activity',
      '@id': `urn:benchwright:stage:${x.name}`,
      'prov:label': x.name,
      description: x.summary,
    })),
    'prov:wasAttributedTo': {
      '@type': 'prov:SoftwareAgent',
      '@id': `urn:benchwright:${manifest.tool_version}`,
      'prov:label': `benchwright ${manifest.tool_version}`,
    },
  };
}
