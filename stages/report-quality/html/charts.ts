/** The charts of the report. Each takes numbers of the report and returns SVG. */
import * as Plot from '@observablehq/plot';
import { clip, number, percent } from '../../lib/report-page/text.js';
import type { DistanceDistribution } from '../distances.js';
import { BINS } from '../distances.js';
import type { DiagnosisEntry, FeatureEntry, Report } from '../report.js';
import { COLOR, draw } from './draw.js';

const PERCENT_AXIS = { percent: true, grid: true } as const;

/** One tick a feature: the share of stays in which it has a value; the dot is the mean of the section. */
export function observedChart(features: readonly FeatureEntry[]): string {
  const known = features.filter((f) => f.observed_share !== null);
  const headings = [...new Set(features.map((f) => f.heading))];
  const means = headings.flatMap((heading) => {
    const own = known.filter((f) => f.heading === heading);
    if (own.length === 0) return [];
    return [{ heading, share: own.reduce((s, f) => s + f.observed_share!, 0) / own.length }];
  });
  return draw('Share of stays with a value, by section and feature', {
    height: headings.length * 21 + 76,
    marginLeft: 285,
    marginRight: 20,
    x: { ...PERCENT_AXIS, domain: [0, 100], label: 'stays with a value (%)' },
    y: { domain: headings, label: null },
    marks: [
      Plot.tickX(known, {
        x: 'observed_share',
        y: 'heading',
        stroke: COLOR.main,
        strokeOpacity: 0.55,
        strokeWidth: 1.5,
        title: (f: FeatureEntry) => `${f.feature_id} ${f.name}: ${percent(f.observed_share)}`,
      }),
      Plot.dot(means, { x: 'share', y: 'heading', r: 5, fill: COLOR.second }),
    ],
  });
}

/** Labels after each selection step. */
export function selectionChart(steps: Report['selection']): string {
  const rows = steps.map((s) => ({ ...s, doc: clip(s.doc || s.name, 62) }));
  return draw('Labels left after each selection step', {
    height: rows.length * 30 + 66,
    marginLeft: 375,
    marginRight: 90,
    x: { label: 'labels', grid: true },
    y: { domain: rows.map((r) => r.doc), label: null },
    marks: [
      Plot.barX(rows, { x: 'labels_before', y: 'doc', fill: COLOR.quiet, insetTop: 4, insetBottom: 4 }),
      Plot.barX(rows, { x: 'labels_after', y: 'doc', fill: COLOR.main, insetTop: 4, insetBottom: 4 }),
      Plot.text(rows, {
        x: 'labels_before',
        y: 'doc',
        text: (r: (typeof rows)[number]) => `${number(r.labels_after)} of ${number(r.labels_before)}`,
        textAnchor: 'start',
        dx: 5,
      }),
      Plot.ruleX([0]),
    ],
  });
}

/** Up to this many diagnoses each has its own line. */
const NAMED_LINES = 45;

/** How frequent the selected diagnoses are: by name when few, else one dot each in their category. */
export function prevalenceChart(diagnoses: readonly DiagnosisEntry[]): string {
  const known = diagnoses.filter((d) => d.prevalence !== null);
  const sorted = [...known].sort((a, b) => b.prevalence! - a.prevalence! || (a.dx_code < b.dx_code ? -1 : 1));
  const by_name = sorted.length <= NAMED_LINES;
  const lineOf = (d: DiagnosisEntry): string =>
    by_name ? `${d.dx_code}  ${clip(d.title, 36)}` : clip(d.category, 40);
  const rows = sorted.map((d) => ({ ...d, line: lineOf(d) }));
  const lines = [...new Set(rows.map((r) => r.line))];
  const title = (d: DiagnosisEntry): string => `${d.dx_code} ${d.title}: ${percent(d.prevalence)}`;
  return draw('Prevalence of the selected diagnoses', {
    height: lines.length * 20 + 76,
    marginLeft: 290,
    marginRight: 40,
    x: { ...PERCENT_AXIS, label: 'stays with the diagnosis (%)', zero: true },
    y: { domain: lines, label: null },
    marks: [
      ...(by_name
        ? [
            Plot.barX(rows, {
              x: 'prevalence',
              y: 'line',
              fill: COLOR.main,
              insetTop: 3,
              insetBottom: 3,
              title,
            }),
          ]
        : [
            Plot.dot(rows, {
              x: 'prevalence',
              y: 'line',
              r: 4,
              stroke: COLOR.main,
              fill: COLOR.main,
              fillOpacity: 0.35,
              title,
            }),
          ]),
      Plot.ruleX([0]),
    ],
  });
}

/** Share of all features in the union of the top K, by K. */
export function utilisationChart(sweep: Report['k_sweep'], k: number): string {
  return draw('Feature utilisation by K', {
    height: 290,
    marginLeft: 50,
    marginTop: 30,
    marginRight: 30,
    x: {
      label: 'K, features per diagnosis',
      ticks: sweep.map((s) => s.k),
      tickFormat: (n: number) => String(n),
      inset: 20,
    },
    y: { ...PERCENT_AXIS, label: 'features used by any diagnosis (%)', zero: true },
    marks: [
      Plot.ruleX([k], { stroke: COLOR.second, strokeDasharray: '4 3' }),
      Plot.line(sweep, { x: 'k', y: 'utilisation', stroke: COLOR.main, strokeWidth: 2 }),
      Plot.dot(sweep, { x: 'k', y: 'utilisation', fill: COLOR.main, r: 4 }),
      Plot.text(sweep, {
        x: 'k',
        y: 'utilisation',
        text: (s: { union_n: number }) => String(s.union_n),
        dy: -12,
      }),
      Plot.ruleY([0]),
    ],
  });
}

/** How much of F_k two halves of the forest agree on, by number of positives. */
export function stabilityChart(diagnoses: readonly DiagnosisEntry[]): string {
  const known = diagnoses.filter(
    (d): d is DiagnosisEntry & { positives_n: number } => typeof d.positives_n === 'number',
  );
  return draw('Stability of the deciding features', {
    height: 290,
    marginLeft: 50,
    marginTop: 30,
    marginRight: 30,
    x: { type: 'sqrt', label: 'stays with the diagnosis', grid: true, inset: 12 },
    y: { ...PERCENT_AXIS, domain: [0, 100], label: 'shared by two half-forests (%)' },
    marks: [
      Plot.ruleY([0.5], { stroke: COLOR.second, strokeDasharray: '4 3' }),
      Plot.dot(known, {
        x: 'positives_n',
        y: 'stability',
        r: 4.5,
        stroke: COLOR.main,
        fill: COLOR.main,
        fillOpacity: 0.35,
        title: (d: DiagnosisEntry) => `${d.dx_code} ${d.title}: ${percent(d.stability)}`,
      }),
      Plot.ruleY([0]),
    ],
  });
}

/** Histogram of the distances between positives, with θ and φ and the mined pairs below the axis. */
export function distanceChart(d: DistanceDistribution): string {
  const width = d.max / BINS;
  const bins = d.counts.map((n, i) => ({ from: i * width, to: (i + 1) * width, n }));
  const limits = [
    { at: d.theta, name: 'θ' },
    { at: d.phi, name: 'φ' },
  ].filter((l): l is { at: number; name: string } => l.at !== null);
  const top = Math.max(1, ...d.counts);
  return draw(`Distances between stays with ${d.dx_code}`, {
    width: 372,
    height: 200,
    marginLeft: 44,
    marginTop: 24,
    marginBottom: 44,
    x: { domain: [0, d.max || 1], label: 'distance', ticks: 5 },
    y: {
      domain: [-top * 0.16, top],
      label: 'pairs',
      ticks: 4,
      tickFormat: (n: number) => (n < 0 ? '' : number(n)),
    },
    marks: [
      Plot.rectY(bins, { x1: 'from', x2: 'to', y: 'n', fill: COLOR.main, fillOpacity: 0.75, inset: 0.3 }),
      Plot.ruleX(limits, {
        x: 'at',
        y1: 0,
        y2: top,
        stroke: COLOR.line,
        strokeWidth: 1.5,
        strokeDasharray: '4 2',
      }),
      Plot.text(limits, { x: 'at', y: top, text: 'name', dy: -9, fontWeight: 600, fontSize: 13 }),
      Plot.dot(d.ddt, {
        x: (v: number) => v,
        y: -top * 0.09,
        symbol: 'triangle',
        fill: COLOR.second,
        r: 3.4,
      }),
      Plot.dot(d.dct, { x: (v: number) => v, y: -top * 0.09, symbol: 'diamond', fill: COLOR.third, r: 3.4 }),
      Plot.ruleY([0]),
    ],
  });
}

/** θ and φ of every diagnosis, with the range of its mined pairs. */
export function thresholdChart(diagnoses: readonly DiagnosisEntry[]): string {
  const rows = diagnoses
    .filter((d): d is DiagnosisEntry & { theta: number; phi: number } => d.theta !== null && d.phi !== null)
    .sort((a, b) => a.theta - b.theta || (a.dx_code < b.dx_code ? -1 : 1));
  const line = rows.length > 80 ? 8 : 16;
  const title = (d: DiagnosisEntry): string => `${d.dx_code} ${d.title}`;
  return draw('Thresholds and mined pairs of every diagnosis', {
    height: rows.length * line + 86,
    marginLeft: 60,
    marginRight: 20,
    x: { label: 'distance', grid: true, zero: true },
    y: {
      domain: rows.map((r) => r.dx_code),
      label: null,
      tickSize: 0,
      ...(line < 12 ? { tickFormat: () => '' } : {}),
    },
    marks: [
      Plot.ruleY(rows, {
        y: 'dx_code',
        x1: 'theta',
        x2: 'phi',
        stroke: COLOR.main,
        strokeWidth: line / 3,
        strokeOpacity: 0.6,
        title,
      }),
      Plot.dot(
        rows.filter((r) => r.ddt_max !== null),
        { x: 'ddt_max', y: 'dx_code', symbol: 'triangle', fill: COLOR.second, r: 3.6, title },
      ),
      Plot.dot(
        rows.filter((r) => r.dct_min !== null),
        { x: 'dct_min', y: 'dx_code', symbol: 'diamond', fill: COLOR.third, r: 3.6, title },
      ),
    ],
  });
}

/** Share of filled-in values by section of the record. */
export function imputedChart(features: readonly FeatureEntry[]): string {
  const headings = [...new Set(features.map((f) => f.heading))];
  const rows = headings.map((heading) => {
    const own = features.filter((f) => f.heading === heading);
    const observed = own.reduce((sum, f) => sum + (f.observed_share ?? 0), 0) / own.length;
    return { heading, share: 1 - observed };
  });
  return draw('Share of values filled in for distances, by section', {
    height: rows.length * 21 + 76,
    marginLeft: 285,
    marginRight: 56,
    x: { ...PERCENT_AXIS, domain: [0, 100], label: 'values filled in (%)' },
    y: { domain: headings, label: null },
    marks: [
      Plot.barX(rows, {
        x: 'share',
        y: 'heading',
        fill: COLOR.third,
        fillOpacity: 0.8,
        insetTop: 3,
        insetBottom: 3,
      }),
      Plot.text(rows, {
        x: 'share',
        y: 'heading',
        text: (r: { share: number }) => percent(r.share),
        textAnchor: 'start',
        dx: 5,
      }),
      Plot.ruleX([0]),
    ],
  });
}

/** How many patients are shown by how many items. */
export function reuseChart(reuse: Report['patient_reuse']): string {
  const known = reuse.filter(
    (r): r is { items_n: number; patients_n: number } => typeof r.patients_n === 'number',
  );
  const last = known.reduce((n, r) => Math.max(n, r.items_n), 1);
  return draw('Items per patient', {
    height: 250,
    marginLeft: 60,
    marginTop: 24,
    x: {
      label: 'items that show the patient',
      domain: [0.4, last + 0.6],
      ticks: Math.min(last, 20),
      tickFormat: (n: number) => (Number.isInteger(n) ? String(n) : ''),
    },
    y: { label: 'patients', grid: true, tickFormat: (n: number) => number(n) },
    marks: [
      Plot.rectY(known, {
        x1: (r: { items_n: number }) => r.items_n - 0.42,
        x2: (r: { items_n: number }) => r.items_n + 0.42,
        y: 'patients_n',
        fill: COLOR.main,
        fillOpacity: 0.8,
      }),
      Plot.ruleY([0]),
    ],
  });
}
