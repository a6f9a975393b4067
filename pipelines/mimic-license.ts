/** LICENSE and DATA_USE.md of a release of patients' data. */
import type { ReleaseManifest } from '../schemas/release.js';
import { termsOf } from './mimic-terms.js';

/** What a release holds, and which free texts of it have to be looked at before it is shared. */
const CONTENT: Readonly<Record<string, { readonly parts: string; readonly free_texts: string }>> = {
  supmimic: {
    parts: 'questions, answers,\ncohort tables, provenance and reports',
    free_texts: `The only free texts of this
      release are the prompts, which are built from numbers and fixed words, and the titles of diagnosis codes.`,
  },
  rxeval: {
    parts: 'questions, answers,\nevents, chains, provenance and reports',
    free_texts: `Free texts of this
      release are sentences of discharge notes and radiology reports (profile, timeline, events/): read them before anything is shared.`,
  },
};

/** LICENSE: what may be done with this release, by the class and origin of its data. */
export function releaseLicense(manifest: ReleaseManifest): string {
  if (manifest.access !== 'open') return credentialedLicense(manifest);
  return manifest.kind === 'synthetic' ? syntheticLicense(manifest) : demoLicense(manifest);
}

function heading(manifest: ReleaseManifest): string {
  return `${termsOf(manifest).name} ${manifest.version}\n`;
}

function syntheticLicense(manifest: ReleaseManifest): string {
  return `${heading(manifest)}
CC0 1.0 Universal

The benchwright maintainers waive, as far as the law allows, all copyright and related rights in this release: ${CONTENT[manifest.benchmark]!.parts}. It is made by a program and describes no real person. The legal text is at
https://creativecommons.org/publicdomain/zero/1.0/legalcode

The software that made it is under the Apache License 2.0 and is not part of the release.
`;
}

function demoLicense(manifest: ReleaseManifest): string {
  const source = termsOf(manifest).source!;
  return `${heading(manifest)}
Open Data Commons Open Database License (ODbL) 1.0

This release is a database derived from the ${source.title}, version ${source.version}, which is available under the ODbL.

- Attribution: contains information from the ${source.title} (version ${source.version}), PhysioNet,
  https://doi.org/${source.doi}, made available under the Open Database License. Keep this notice with every copy, and with whatever
  is produced from the release and shown in public.
- Share alike: a database that is adapted from this release and used in public has to be offered under the ODbL too.
- Keep open: a copy behind technical restrictions needs an unrestricted copy beside it.

The legal text is at https://opendatacommons.org/licenses/odbl/1-0/

The software that made it is under the Apache License 2.0 and is not part of the release.
`;
}

function credentialedLicense(manifest: ReleaseManifest): string {
  const source = termsOf(manifest).source;
  const odbl =
    manifest.kind === 'demo' && source
      ? `
Some input of this build is not among the files whose published checksums are known to be open, so the whole release is handled as
credentialed. What comes from the ${source.title} (version ${source.version}, https://doi.org/${source.doi}) is under the Open
Database License 1.0: keep that attribution, and offer adapted databases under the same licence.
`
      : '';
  return `${heading(manifest)}
PLACEHOLDER: not a grant of rights.

This folder holds data derived from ${source ? `${source.title} ${source.version}` : 'credentialed data'}. It may be used and shared only under the PhysioNet Credentialed Health
Data License and Data Use Agreement, version 1.5.0, of its source, and only among people who have signed that agreement. When the
project is submitted to PhysioNet, the platform replaces this text by the licence of the project:
https://physionet.org/about/licenses/physionet-credentialed-health-data-license-150/
${odbl}
The software that made it is under the Apache License 2.0 and is not part of the release.
`;
}

/** DATA_USE.md: the checklist of a release that is not open, or null for an open one. */
export function dataUseChecklist(manifest: ReleaseManifest): string | null {
  if (manifest.access === 'open') return null;
  const terms = termsOf(manifest);
  const parent = terms.source ? `${terms.source.title} ${terms.source.version}` : 'its source';
  return `# Data use: ${terms.name} ${manifest.version}

Access class: **${manifest.access}**. Go through the list before the folder is used, copied or submitted.

## Before use

- [ ] Everybody with access has completed the training and signed the agreement of ${parent}.
- [ ] The folder lies on storage that only these people can read, backups included.
- [ ] Models run locally, or on a service whose operator has attested in writing that it keeps nothing, trains on nothing and lets
      nobody review prompts. A third-party programming interface without that is sharing, which the agreement bars.
- [ ] Prompts, replies, caches and logs are kept under the same rules as the data.
- [ ] Nobody tries to identify a person or an institution. A find that could identify somebody goes to PHI-report@physionet.org.
- [ ] The use is research.

## Before submission to PhysioNet

- [ ] The name keeps "Ext" (${terms.name}), as the rule for derived data asks.
- [ ] Parent project declared: ${parent}${terms.source ? `, DOI ${terms.source.doi}` : ''}.
- [ ] Access policy and licence set to those of the parent project; LICENSE replaced by the platform's text.
- [ ] Text columns scanned for dates, ages above 89, names, phone numbers and blanks of de-identification. ${CONTENT[manifest.benchmark]!.free_texts}
- [ ] The code behind the release is in an open repository, with the version (${manifest.tool_version}) and settings of manifest.json.
- [ ] checksums.sha256 verified after the upload.
- [ ] quality/report.html read: it holds counts only, and counts of 1 to 10 patients are masked.

## In publications

- [ ] The parent project is cited as its page asks, and so is PhysioNet.
- [ ] Shown examples are invented or altered; no record is printed.
`;
}
