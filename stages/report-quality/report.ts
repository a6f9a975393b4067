/** report.json: what the quality report says, as data. The HTML page shows the same object. */

import type { SupmimicStatistics } from '../../schemas/release.js';
import { FEATURES_N } from '../../schemas/supmimic.js';
import type { FeatureName } from '../lib/feature-names.js';
import { quantile } from '../lib/quantile.js';
import type { DistanceDistribution } from './distances.js';
import { type Count, type FlowStep, joinSmallSteps, type Mask } from './mask.js';
import type { DiagnosisRow, FeatureRow, Inputs, PairRow } from './read.js';

export interface FeatureEntry {
  readonly feature_id: string;
  readonly name: string;
  readonly heading: string;
  readonly observed_n: Count;
  /** Share of stays with a value; null when masked. */
  readonly observed_share: number | null;
  readonly rows_n: Count;
  readonly implausible_n: Count;
  readonly converted_n: Count;
  readonly censored_n: Count;
  readonly method: string;
}

export interface DiagnosisEntry {
  readonly dx_code: string;
  readonly title: string;
  readonly category: string;
  readonly positives_n: Count;
  readonly prevalence: number | null;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly positive_pairs_n: Count;
  readonly eligible_positives_n: Count;
  readonly eligible_negatives_n: Count;
  readonly ddt_n: number;
  readonly dct_n: number;
  readonly ddt_max: number | null;
  readonly dct_min: number | null;
  readonly ba_positives_n: number;
  readonly ba_negatives_n: number;
  readonly trees_n: number;
  /** Share of F_k that two half-forests agree on. */
  readonly stability: number;
  readonly is_drift_flagged: boolean;
}

export interface Report {
  readonly benchmark: 'supmimic';
  readonly access: string;
  readonly small_cells: { readonly are_masked: boolean; readonly below: number };
  readonly statistics: SupmimicStatistics;
  readonly load: Inputs['load'];
  readonly flow: readonly FlowStep[];
  readonly features: readonly FeatureEntry[];
  readonly imputation: readonly { method: string; features_n: number; values_n: number; share: number }[];
  readonly selection: Inputs['steps'];
  readonly label_status: Inputs['status'];
  readonly code_rules: readonly { rule: string; codes_n: number; stay_codes_n: Count }[];
  readonly diagnoses: readonly DiagnosisEntry[];
  readonly k_sweep: Inputs['k_sweep'];
  readonly distances: readonly DistanceDistribution[];
  readonly distances_problem: string | null;
  readonly patient_reuse: readonly { items_n: number; patients_n: Count }[];
  readonly warnings: readonly string[];
}

export interface ReportParts {
  readonly inputs: Inputs;
  readonly names: readonly FeatureName[];
  readonly mask: Mask;
  readonly access: string;
  readonly distances: { distributions: DistanceDistribution[]; problem: string | null };
}

/** Builds the report. */
export function buildReport({ inputs, names, mask, access, distances }: ReportParts): Report {
  const nameOf = new Map(names.map((n) => [n.feature_id, n]));
  const statistics = statisticsOf(inputs);
  const report = {
    benchmark: 'supmimic' as const,
    access,
    small_cells: { are_masked: mask.is_on, below: mask.limit },
    statistics,
    load: inputs.load,
    flow: joinSmallSteps(inputs.flow.map(toStep), mask),
    features: inputs.features.map((f) =>
      featureEntry(f, nameOf.get(f.feature_id)!, inputs.totals.stays_n, mask),
    ),
    imputation: imputationOf(inputs.features, inputs.totals.stays_n),
    selection: inputs.steps,
    label_status: inputs.status,
    code_rules: inputs.rules.map((r) => ({ ...r, stay_codes_n: mask.count(r.stay_codes_n) })),
    diagnoses: inputs.diagnoses.map((d) => diagnosisEntry(d, inputs, mask)),
    k_sweep: inputs.k_sweep,
    distances: distances.distributions,
    distances_problem: distances.problem,
    patient_reuse: inputs.reuse.map((r) => ({ items_n: r.items_n, patients_n: mask.count(r.patients_n) })),
  };
  return { ...report, warnings: warningsOf(inputs, distances) };
}

function toStep(row: Inputs['flow'][number]): FlowStep {
  return {
    reasons: [row.doc || row.reason],
    excluded_stays_n: row.excluded_stays_n,
    stays_n: row.stays_n,
    patients_n: row.patients_n,
  };
}

function featureEntry(f: FeatureRow, name: FeatureName, stays_n: number, mask: Mask): FeatureEntry {
  return {
    feature_id: f.feature_id,
    name: name.name,
    heading: name.heading,
    observed_n: mask.count(f.stays_n),
    observed_share: mask.share(f.stays_n, stays_n),
    rows_n: mask.count(f.rows_n),
    implausible_n: mask.count(f.implausible_n),
    converted_n: mask.count(f.converted_n),
    censored_n: mask.count(f.censored_n),
    method: f.method,
  };
}

function imputationOf(features: readonly FeatureRow[], stays_n: number): Report['imputation'] {
  const methods = [...new Set(features.map((f) => f.method))].sort();
  return methods.map((method) => {
    const own = features.filter((f) => f.method === method);
    const values_n = own.reduce((sum, f) => sum + f.imputed_n, 0);
    const all = own.length * stays_n;
    return { method, features_n: own.length, values_n, share: all === 0 ? 0 : values_n / all };
  });
}

function diagnosisEntry(d: DiagnosisRow, inputs: Inputs, mask: Mask): DiagnosisEntry {
  const distancesOf = (task: string): number[] =>
    inputs.pairs.filter((p: PairRow) => p.dx_code === d.dx_code && p.task === task).map((p) => p.distance);
  const ddt = distancesOf('ddt');
  const dct = distancesOf('dct');
  return {
    dx_code: d.dx_code,
    title: d.title,
    category: d.category_name ?? 'without category',
    positives_n: mask.count(d.positives_n),
    prevalence: mask.share(d.positives_n, inputs.totals.stays_n),
    theta: d.theta,
    phi: d.phi,
    positive_pairs_n: mask.isSmall(d.eligible_positives_n) ? 'masked' : d.positive_pairs_n,
    eligible_positives_n: mask.count(d.eligible_positives_n),
    eligible_negatives_n: mask.count(d.eligible_negatives_n),
    ddt_n: d.ddt_n,
    dct_n: d.dct_n,
    ddt_max: ddt.length > 0 ? Math.max(...ddt) : null,
    dct_min: dct.length > 0 ? Math.min(...dct) : null,
    ba_positives_n: d.ba_positives_n,
    ba_negatives_n: d.ba_negatives_n,
    trees_n: d.trees_n,
    stability: d.half_overlap_n / d.k,
    is_drift_flagged: d.is_drift_flagged,
  };
}

function statisticsOf(inputs: Inputs): SupmimicStatistics {
  const { totals, diagnoses, features, items, reuse } = inputs;
  const imputed = features.reduce((sum, f) => sum + f.imputed_n, 0);
  const median = (values: readonly (number | null)[]): number | null => {
    const known = values.filter((v): v is number => v !== null);
    return known.length === 0 ? null : quantile(known, 0.5);
  };
  return {
    ...totals,
    features_n: FEATURES_N,
    diagnoses_n: diagnoses.length,
    categories_n: new Set(diagnoses.map((d) => d.category)).size,
    k: diagnoses.reduce((k, d) => Math.max(k, d.k), 0),
    items: [...items],
    imputed_share: totals.stays_n === 0 ? 0 : imputed / (totals.stays_n * features.length),
    union_n: inputs.union_n,
    utilisation: inputs.union_n / FEATURES_N,
    items_per_patient_max: reuse.reduce((n, r) => Math.max(n, r.items_n), 0),
    theta_median: median(diagnoses.map((d) => d.theta)),
    phi_median: median(diagnoses.map((d) => d.phi)),
  };
}

/** What a reader should look at first. */
function warningsOf(inputs: Inputs, distances: ReportParts['distances']): string[] {
  const { diagnoses } = inputs;
  const m = (task: 'ddt_n' | 'dct_n'): number => diagnoses.reduce((n, d) => Math.max(n, d[task]), 0);
  const fewer = (task: 'ddt_n' | 'dct_n'): number => diagnoses.filter((d) => d[task] < m(task)).length;
  const out: string[] = [];
  for (const [task, name] of [
    ['ddt_n', 'ddt'],
    ['dct_n', 'dct'],
  ] as const)
    if (fewer(task) > 0)
      out.push(
        `${fewer(task)} of ${diagnoses.length} diagnoses have fewer ${name} pairs than the ${m(task)} of the fullest one; nothing was padded.`,
      );
  const drift = diagnoses.filter((d) => d.is_drift_flagged).length;
  if (drift > 0)
    out.push(
      `${drift} diagnoses differ more than threefold in prevalence between ICD-9 and ICD-10 admissions; their mapping deserves a look.`,
    );
  const unstable = diagnoses.filter((d) => d.half_overlap_n < d.k / 2).length;
  if (unstable > 0)
    out.push(
      `For ${unstable} diagnoses two halves of the forest share less than half of the deciding features.`,
    );
  const empty = inputs.features.filter((f) => f.stays_n === 0).length;
  if (empty > 0) out.push(`${empty} of ${inputs.features.length} features have no value in any stay.`);
  const wrong = distances.distributions.filter((d) => d.thresholds_agree === false);
  if (wrong.length > 0)
    out.push(
      `θ and φ of ${wrong.map((d) => d.dx_code).join(', ')} are not the quartiles of the recomputed distances.`,
    );
  if (distances.problem) out.push(distances.problem);
  const unchecked = inputs.load.filter((l) => l.rejected > 0).length;
  if (unchecked > 0) out.push(`${unchecked} source tables have rejected rows; see the table of sources.`);
  return out;
}
