/** The sections of the page. */

import {
  type Cell,
  clip,
  decimal,
  details,
  escapeHtml,
  figure,
  number,
  percent,
  table,
} from '../../lib/report-page/text.js';
import type { Count, Mask } from '../mask.js';
import type { Report } from '../report.js';
import {
  distanceChart,
  imputedChart,
  observedChart,
  prevalenceChart,
  reuseChart,
  selectionChart,
  stabilityChart,
  thresholdChart,
  utilisationChart,
} from './charts.js';
import { flowChart } from './flow-chart.js';

const n = (value: number | string): Cell => ({ n: number(value) });
const p = (share: number | null): Cell => ({ n: percent(share) });
const d = (x: number | null): Cell => ({ n: decimal(x) });

/** What was read. */
export function sourcesSection(report: Report): string {
  const sum = (key: 'records' | 'rejected' | 'duplicates'): number =>
    report.load.reduce((total, r) => total + r[key], 0);
  return `<p>${number(sum('records'))} records in ${report.load.length} tables; ${number(sum('rejected'))} were rejected with a reason, ${number(sum('duplicates'))} exact duplicates collapsed. Rows left out on purpose are rows that no stage reads.</p>
${table(
  'Records = loaded + rejected + duplicates + left out',
  ['table', 'records', 'loaded', 'rejected', 'duplicates', 'left out', 'completeness known by'],
  report.load.map((r) => [
    r.table,
    n(r.records),
    n(r.loaded),
    n(r.rejected),
    n(r.duplicates),
    n(r.dropped),
    r.truncation_check,
  ]),
)}`;
}

/** The flow of stays. */
export function flowSection(report: Report, mask: Mask): string {
  const shown = report.flow.filter((s, i) => i === 0 || s.excluded_stays_n > 0);
  const idle_n = report.flow.length - shown.length;
  const idle = idle_n === 0 ? '' : ` Steps that left out nothing (${idle_n}) are in the table only.`;
  return `<p>How intensive-care stays became the cohort, in the order of the steps.</p>
${figure(flowChart(shown, mask), `Boxes to the right say how many stays a step left out and why.${idle}`)}
${details(
  'The numbers as a table',
  table(
    'Flow of stays',
    ['step', 'stays left out', 'stays', 'patients'],
    report.flow.map((s) => [
      s.reasons.join('; '),
      n(mask.count(s.excluded_stays_n)),
      n(s.stays_n),
      n(s.patients_n),
    ]),
  ),
)}`;
}

/** What was measured. */
export function featuresSection(report: Report): string {
  const removed = mostRemoved(report);
  return `<p>448 features of the first 24 hours. A feature without a usable value stays empty in the stored vectors and reads “not measured” in a prompt; filled-in values serve ranking and distances only.</p>
<h3>Measured values</h3>
${figure(observedChart(report.features), 'Each line is a feature, each dot the mean of its section.')}
<h3>Filled-in values</h3>
${figure(imputedChart(report.features), 'Mean (continuous) or most frequent value (yes/no and ordinal) of the cohort, without labels; counts and yes/no treatments are 0, not empty, when the stay has records of that kind.')}
${table(
  'How gaps were filled',
  ['method', 'features', 'values filled', 'share of their values'],
  report.imputation.map((i) => [i.method, n(i.features_n), n(i.values_n), p(i.share)]),
)}
${
  removed.length === 0
    ? ''
    : table(
        'Measurements that lost most source rows to plausibility limits',
        ['measurement', 'features', 'rows used', 'rows removed'],
        removed.map((m) => [m.name, n(m.features_n), n(m.rows_n), n(m.implausible_n)]),
      )
}
${details(
  'All 448 features',
  table(
    'Features',
    ['feature', 'stays with a value', 'share', 'rows used', 'removed', 'converted', 'censored'],
    report.features.map((f) => [
      `${f.feature_id} ${f.name}`,
      n(f.observed_n),
      p(f.observed_share),
      n(f.rows_n),
      n(f.implausible_n),
      n(f.converted_n),
      n(f.censored_n),
    ]),
  ),
)}`;
}

/** Features of one measurement read the same rows, so they are told once. */
function mostRemoved(report: Report) {
  const found = new Map<string, { name: string; features_n: number; rows_n: Count; implausible_n: number }>();
  for (const f of report.features) {
    if (typeof f.implausible_n !== 'number' || f.implausible_n === 0) continue;
    const name = f.name.split(/, | \(/)[0]!;
    const key = `${name} ${f.rows_n} ${f.implausible_n}`;
    const { rows_n, implausible_n } = f;
    const features_n = (found.get(key)?.features_n ?? 0) + 1;
    found.set(key, { name, features_n, rows_n, implausible_n });
  }
  return [...found.values()]
    .sort((a, b) => b.implausible_n - a.implausible_n || (a.name < b.name ? -1 : 1))
    .slice(0, 15);
}

/** Which labels became diagnoses. */
export function labelsSection(report: Report): string {
  return `<p>Labels are categories of billing codes of the whole hospital stay. ${number(report.statistics.labels_n)} labels occur in the cohort, ${number(report.statistics.diagnoses_n)} were selected.</p>
<h3>Selection</h3>
${figure(selectionChart(report.selection), 'Blue: labels left after the step; grey: taken out by it.')}
<h3>Prevalence</h3>
${figure(prevalenceChart(report.diagnoses), 'Share of cohort stays that have the diagnosis.')}
${table(
  'What became of the labels',
  ['outcome', 'labels'],
  report.label_status.map((s) => [s.status.replaceAll('_', ' '), n(s.labels_n)]),
)}
${table(
  'How codes became labels',
  ['rule', 'codes', 'stays with such a code, summed over codes'],
  report.code_rules.map((r) => [r.rule.replaceAll('_', ' '), n(r.codes_n), n(r.stay_codes_n)]),
)}
${details(
  'All selected diagnoses',
  table(
    'Diagnoses',
    [
      'diagnosis',
      'category',
      'positives',
      'share',
      'eligible +',
      'eligible −',
      'θ',
      'φ',
      'ddt',
      'dct',
      'ba + / −',
    ],
    report.diagnoses.map((x) => [
      `${x.dx_code} ${x.title}`,
      x.category,
      n(x.positives_n),
      p(x.prevalence),
      n(x.eligible_positives_n),
      n(x.eligible_negatives_n),
      d(x.theta),
      d(x.phi),
      n(x.ddt_n),
      n(x.dct_n),
      `${x.ba_positives_n} / ${x.ba_negatives_n}`,
    ]),
  ),
)}`;
}

/** Which features decide. */
export function rankingSection(report: Report): string {
  const { k, union_n, utilisation } = report.statistics;
  return `<p>A random forest per diagnosis ranks the features; the first K = ${k} decide how near two stays are. Together they use ${union_n} features (${percent(utilisation)} of all).</p>
<h3>Use of features</h3>
${figure(utilisationChart(report.k_sweep, k), 'Numbers at the dots: features in the union over all diagnoses. Dashed: the K of this release.')}
<h3>Stability</h3>
${figure(stabilityChart(report.diagnoses), 'Each dot is a diagnosis. Below the dashed line the choice of deciding features depends much on chance.')}
${details(
  'The numbers as a table',
  table(
    'K sweep',
    ['K', 'features in the union', 'share of all'],
    report.k_sweep.map((s) => [n(s.k), n(s.union_n), p(s.utilisation)]),
  ),
)}`;
}

/** How far stays are from each other. */
export function distancesSection(report: Report): string {
  const metric = report.distances[0]?.metric;
  const words =
    metric === 'euclidean'
      ? 'Euclidean distance of standardised features.'
      : 'Mean absolute difference of range-scaled features, 0 to 1.';
  const key = `<ul class="key"><li><i class="k1">■</i>pairs of stays that both have the diagnosis</li><li><i>┊</i>θ and φ, their quartiles</li><li><i class="k2">▲</i>ddt pairs (opposite answers, near)</li><li><i class="k3">◆</i>dct pairs (same answer, far)</li></ul>`;
  const charts = report.distances
    .map(
      (x) =>
        `<div><h4>${escapeHtml(clip(`${x.dx_code} ${x.title}`, 44))}</h4>${figure(distanceChart(x), countWords(x.pairs_n, x.is_sample, x.thresholds_agree))}</div>`,
    )
    .join('\n');
  return `<p>${words} A ddt pair must be nearer than θ, a dct pair farther than φ.</p>
${report.distances_problem ? `<p>${escapeHtml(report.distances_problem)}</p>` : `${key}<div class="grid">${charts}</div>`}
<h3>All diagnoses</h3>
${figure(thresholdChart(report.diagnoses), 'Bar: from θ to φ. Triangle: the farthest ddt pair; it stays left of the bar. Diamond: the nearest dct pair; it stays right of it.')}`;
}

function countWords(pairs_n: number, is_sample: boolean, agree: boolean | null): string {
  const counted = `${number(pairs_n)} pairs${is_sample ? ', a seeded sample' : ''}`;
  return agree === null ? counted : `${counted}; θ and φ recomputed: ${agree ? 'equal' : 'different'}`;
}

/** What is in the release. */
export function itemsSection(report: Report): string {
  return `${table(
    'Items by config and split',
    ['config', 'split', 'items', 'pairs', 'answer yes', 'diagnoses', 'patients'],
    report.statistics.items.map((i) => [
      i.config,
      i.split,
      n(i.items_n),
      n(i.pairs_n),
      n(i.positives_n),
      n(i.diagnoses_n),
      n(i.patients_n),
    ]),
  )}
<h3>Reuse of patients</h3>
${figure(reuseChart(report.patient_reuse), `How often one patient is shown, over all configs and diagnoses; at most ${report.statistics.items_per_patient_max} times.`)}
${details(
  'The numbers as a table',
  table(
    'Items per patient',
    ['items', 'patients'],
    report.patient_reuse.map((r) => [n(r.items_n), n(r.patients_n)]),
  ),
)}`;
}
