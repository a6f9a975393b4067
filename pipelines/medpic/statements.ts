/** Limits, biases and responsible-AI statements of a release, shared by Croissant and the card. */
import { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { Json } from '../engine/documents/croissant.js';
import { sourcesOf } from './terms.js';

/** One sentence on signatures: a preview is checked, not signed. */
export function signedSentence(manifest: ReleaseManifest): string {
  const s = MedpicStatistics.parse(manifest.statistics);
  if (manifest.kind === 'signed')
    return `Every one of the ${s.rules_n} rules is verified, and every item validated: signed by at least two people, for exactly this content.`;
  return `**Checked, not signed.** Rules and items passed every check by program; people have signed ${s.verified_rules_n} of ${s.rules_n} rules and validated ${s.validation.validated_n} of ${s.items_n} items. This is a preview.`;
}

/** What a reader must know before using the numbers. */
export function limitations(manifest: ReleaseManifest): string[] {
  return [
    ...(manifest.kind === 'preview'
      ? ['No clinician has signed this version; a rule may be misread although every program check passed.']
      : []),
    'Not for clinical use. An answer says what the named source asks for in one edition, not what is right for a patient.',
    'Sources are transcribed in part: where a table is partial, a drug that it does not list is unknown, not safe, and is left out of the options unless another list covers it.',
    'Neutral drugs among the options are checked against every rule of the release, not proved harmless; doses, allergies and interactions outside the rules are not judged.',
    'TGA letters are those of about May 2019; labels change; each source speaks for its own edition and country.',
    'Sources disagree on purpose (thresholds of nitrofurantoin, dabigatran): a question names its source, and an option that is no answer must be unrestricted by all of them.',
    'A vignette states every fact that the rules of its options ask about, so reading notes and missing data are not tested.',
    'Members of a pair are shown apart; whoever shows them together gives the answer away.',
  ];
}

/** Known biases of the data. */
export function biases(manifest: ReleaseManifest): string[] {
  const s = MedpicStatistics.parse(manifest.statistics);
  const shares = s.sources
    .filter((x) => x.pairs_n > 0)
    .map((x) => `${x.source_id} ${(100 * x.pair_share).toFixed(0)} %`);
  return [
    `Rules come from ${sourcesOf(manifest).length} sources of two countries; pairs by source: ${shares.join(', ') || 'none'}.`,
    'Older adults, pregnancy and kidney function are over-represented, because the sources are about them.',
    'Rules that turn on something no vignette states well (judgement, availability, cost) are left out and counted as rejects.',
    'Vignettes are written from templates in plain US clinical English; names, ethnicity and social circumstances do not occur.',
  ];
}

export const SENSITIVITY =
  'None: patients are invented by a program from the conditions of the rules; no record describes a real person. Reviewers appear under pseudonyms.';

/** The fields that the data tracks of conferences ask for, and the ones that describe the processing. */
export function responsibleAi(manifest: ReleaseManifest): Json {
  return {
    'rai:dataLimitations': limitations(manifest),
    'rai:dataBiases': biases(manifest),
    'rai:personalSensitiveInformation': SENSITIVITY,
    'rai:dataUseCases': [
      'Measuring whether a language model applies medication-safety rules to a patient, and changes its answer when one decisive fact changes.',
      'Not for prescribing, not for any decision about a person; not for training models that are then scored on it.',
    ],
    'rai:dataSocialImpact':
      'Shows where a model keeps an answer although the patient changed, before such models are trusted. A high score is no evidence of clinical fitness.',
    'rai:hasSyntheticData': true,
    'rai:dataCollection':
      'Facts of guideline tables and drug labels, transcribed in own words into tables with one row a recommendation, each with its printed place.',
    'rai:dataPreprocessingProtocol': manifest.stages.map(
      (s) => `${s.name} (version ${s.version}): ${s.summary}`,
    ),
    'rai:dataAnnotationProtocol':
      'Answers are computed by a three-valued rule engine from the structured patient. Reviewers sign rules field by field and items by five criteria; two must agree, a third decides.',
    'rai:machineAnnotationTools': [`benchwright ${manifest.tool_version}, rule engine`],
    'rai:dataReleaseMaintenancePlan':
      'Releases are immutable; a correction, a new edition of a source or a signature is a new version with a changelog and a comparison by item id.',
    'prov:wasDerivedFrom': sourcesOf(manifest).map((s) => ({
      '@type': 'prov:Entity',
      '@id': s.url,
      name: s.title,
      description: s.citation,
      url: s.url,
    })),
    'prov:wasGeneratedBy': manifest.stages.map((s) => ({
      '@type': 'prov:Activity',
      '@id': `urn:benchwright:stage:${s.name}`,
      'prov:label': s.name,
      description: s.summary,
    })),
    'prov:wasAttributedTo': {
      '@type': 'prov:SoftwareAgent',
      '@id': `urn:benchwright:${manifest.tool_version}`,
      'prov:label': `benchwright ${manifest.tool_version}`,
    },
  };
}
