/** LICENSE of a release. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { LICENSE, NAME, sourcesOf } from './terms.js';

/** What may be done with our words and tables, and what is not ours to give. */
export function releaseLicense(manifest: ReleaseManifest): string {
  const sources = sourcesOf(manifest).map((s) => `- ${s.title}, ${s.url}: ${s.terms}.`);
  return `${NAME} ${manifest.version}

${LICENSE.name} (CC BY 4.0)

The benchwright maintainers license what is theirs in this release under CC BY 4.0: the wording of vignettes, questions and options, the
structured form of the rules, the tables of drug names and classes, the labels, provenance and reports. The legal text is at
${LICENSE.url}legalcode

Attribution: name the release with its version and data hash, as its card says, and keep the list of sources below.

What is not ours: the recommendations themselves. The tables hold facts from the sources (drug names, thresholds, units, letters, ratings,
kinds of action) in our own words, and no sentence of a source. This licence grants no right in the sources, their texts or their marks;
whoever distributes the release further cites them and checks the terms of their publishers. No publisher has endorsed this release.

${sources.join('\n')}

Not for clinical use: questions and rules are for measuring software and are no advice about any person. They come without warranty.

The software that made the release is under the Apache License 2.0 and is not part of it.
`;
}
