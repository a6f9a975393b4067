/** The page: one file, no script, nothing loaded from elsewhere. */

import { renderFrame } from '../../lib/report-page/frame.js';
import { number, percent } from '../../lib/report-page/text.js';
import { createMask } from '../mask.js';
import type { Report } from '../report.js';
import {
  distancesSection,
  featuresSection,
  flowSection,
  itemsSection,
  labelsSection,
  rankingSection,
  sourcesSection,
} from './sections.js';

const SECTIONS = [
  ['sources', 'Sources'],
  ['flow', 'Cohort'],
  ['features', 'Features'],
  ['labels', 'Diagnoses'],
  ['ranking', 'Deciding features'],
  ['distances', 'Distances'],
  ['items', 'Items'],
] as const;

/** report.html from report.json's object. */
export function renderPage(report: Report, css: string): string {
  const mask = createMask(report.small_cells.are_masked, report.small_cells.below);
  const bodies: Record<(typeof SECTIONS)[number][0], string> = {
    sources: sourcesSection(report),
    flow: flowSection(report, mask),
    features: featuresSection(report),
    labels: labelsSection(report),
    ranking: rankingSection(report),
    distances: distancesSection(report),
    items: itemsSection(report),
  };
  return renderFrame(
    {
      title: 'SUP-MIMIC quality report',
      badge: `${report.access} data`,
      is_open: report.access === 'open',
      lead: 'What went in, what was left out and why, what was measured, and what the items look like. Counts only; no row of a patient.',
      tiles: tiles(report),
      warnings: report.warnings,
      sections: SECTIONS.map(([id, title]) => ({ id, title, body: bodies[id] })),
      footer: footer(report),
    },
    css,
  );
}

function tiles(report: Report): [string, string][] {
  const s = report.statistics;
  const items = s.items.reduce((sum, i) => sum + i.items_n, 0);
  return [
    [number(s.stays_n), 'intensive-care stays'],
    [number(s.patients_n), 'patients'],
    [number(s.diagnoses_n), `diagnoses, ${number(s.categories_n)} categories`],
    [number(items), 'items'],
    [percent(1 - s.imputed_share), `of ${number(s.features_n)} features measured`],
    [percent(s.utilisation), `of features decide, K = ${s.k}`],
  ];
}

function footer(report: Report): string {
  return report.small_cells.are_masked
    ? `Counts of 1 to ${report.small_cells.below - 1} patients or stays are masked, shares that would give them away too (the chart of filled-in values counts them as empty), and steps of the cohort that left out fewer are joined with their neighbours.`
    : 'The data are open, so no count is masked.';
}
