/** Name, licence and sources of a release. */
import type { ReleaseManifest } from '../../schemas/release.js';

export const NAME = 'MedPIC-Rebuilt';

export const LICENSE = {
  hub: 'cc-by-4.0',
  name: 'Creative Commons Attribution 4.0 International',
  url: 'https://creativecommons.org/licenses/by/4.0/',
} as const;

export interface GuidelineSource {
  readonly source_id: string;
  readonly title: string;
  /** How to cite it. */
  readonly citation: string;
  readonly url: string;
  readonly terms: string;
}

/** The four documents whose facts the rules hold. */
export const SOURCES: readonly GuidelineSource[] = [
  {
    source_id: 'beers2023',
    title: 'AGS Beers Criteria, 2023 update',
    citation:
      'American Geriatrics Society Beers Criteria Update Expert Panel. American Geriatrics Society 2023 updated AGS Beers Criteria for potentially inappropriate medication use in older adults. J Am Geriatr Soc 2023;71(7):2052-2081.',
    url: 'https://doi.org/10.1111/jgs.18372',
    terms: 'a copyrighted paper; AGS Beers Criteria is a registered mark of the American Geriatrics Society',
  },
  {
    source_id: 'kids2025',
    title: 'PPA KIDs List, second edition, 2025',
    citation:
      'Pediatric Pharmacy Association. KIDs List: key potentially inappropriate drugs in pediatrics, second edition. J Pediatr Pharmacol Ther 2025;30(4):422-439.',
    url: 'https://doi.org/10.5863/JPPT-25-00061',
    terms: 'copyright of its publisher',
  },
  {
    source_id: 'tga-pregnancy',
    title: 'Prescribing medicines in pregnancy database, Australia',
    citation:
      'Therapeutic Goods Administration, Australian Government. Prescribing medicines in pregnancy database, as of about May 2019.',
    url: 'https://www.tga.gov.au/prescribing-medicines-pregnancy-database',
    terms: 'Commonwealth of Australia; the letters are those of 2019 unless a row says otherwise',
  },
  {
    source_id: 'fda-labels',
    title: 'US prescribing information and FDA safety communications',
    citation:
      'US Food and Drug Administration. Prescribing information of the medicines named, and drug safety communications; the section is given with every row.',
    url: 'https://labels.fda.gov/',
    terms: 'public documents written by the makers of the medicines',
  },
];

/** The sources whose tables a release was built from. */
export const sourcesOf = (manifest: ReleaseManifest): GuidelineSource[] =>
  SOURCES.filter((s) => manifest.sources.some((f) => f.table.endsWith(`/${s.source_id}.csv`)));
