/** Name, licence and source of a release of patients' data, by benchmark and by what it was built from. */
import type { ReleaseManifest } from '../schemas/release.js';

export interface Terms {
  /** Name of the data set; derivatives of credentialed MIMIC-IV carry "Ext" by PhysioNet's rule for derived data. */
  readonly name: string;
  /** Licence id of the Hugging Face card, or null where the release is not for a public hub. */
  readonly hub_license: string | null;
  readonly license_name: string;
  readonly license_url: string;
  /** How the source asks to be cited; null for synthetic data. */
  readonly source: Source | null;
}

export interface Source {
  readonly title: string;
  readonly version: string;
  readonly url: string;
  readonly doi: string;
}

const DEMO: Source = {
  title: 'MIMIC-IV Clinical Database Demo',
  version: '2.2',
  url: 'https://physionet.org/content/mimic-iv-demo/2.2/',
  doi: '10.13026/dp1f-ex47',
};

/** DOI of each version of MIMIC-IV, as PhysioNet assigned it. */
const MIMIC_DOI: Readonly<Record<string, string>> = {
  '2.2': '10.13026/6mm1-ek67',
  '3.0': '10.13026/hxp0-hg59',
  '3.1': '10.13026/kpb9-mt58',
};

function mimicSource(version: string): Source {
  return {
    title: 'MIMIC-IV',
    version,
    url: `https://physionet.org/content/mimiciv/${version}/`,
    doi: MIMIC_DOI[version] ?? '10.13026/07hj-2a80',
  };
}

/** Names of the benchmarks as their papers write them. */
const NAMES: Readonly<Record<string, string>> = { supmimic: 'SUP-MIMIC', rxeval: 'RxEval' };

/** The terms under which a release stands. */
export function termsOf(
  manifest: Pick<ReleaseManifest, 'benchmark' | 'kind' | 'access' | 'mimic_version'>,
): Terms {
  const name = NAMES[manifest.benchmark]!;
  const source =
    manifest.kind === 'synthetic'
      ? null
      : manifest.kind === 'demo'
        ? DEMO
        : mimicSource(manifest.mimic_version ?? 'unknown');
  if (manifest.access !== 'open') {
    return {
      name: manifest.kind === 'demo' ? `MIMIC-IV-Demo-Ext-${name}` : `MIMIC-IV-Ext-${name}`,
      hub_license: null,
      license_name: 'PhysioNet Credentialed Health Data License 1.5.0',
      license_url: 'https://physionet.org/about/licenses/physionet-credentialed-health-data-license-150/',
      source,
    };
  }
  if (manifest.kind === 'synthetic') {
    return {
      name: `${name}-Synthetic`,
      hub_license: 'cc0-1.0',
      license_name: 'CC0 1.0 Universal',
      license_url: 'https://creativecommons.org/publicdomain/zero/1.0/',
      source,
    };
  }
  return {
    name: `${name}-Demo`,
    hub_license: 'odbl',
    license_name: 'Open Data Commons Open Database License 1.0',
    license_url: 'https://opendatacommons.org/licenses/odbl/1-0/',
    source,
  };
}
