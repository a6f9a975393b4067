/** The page: one file, no script, nothing loaded from elsewhere. */
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
import { escapeHtml, number, percent } from './text.js';

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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>SUP-MIMIC quality report</title>
<style>
${css}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
<header class="top">
<h1>SUP-MIMIC quality report<span class="badge${report.access === 'open' ? '' : ' closed'}">${escapeHtml(report.access)} data</span></h1>
<p class="lead">What went in, what was left out and why, what was measured, and what the items look like. Counts only; no row of a patient.</p>
<nav aria-label="Sections">${SECTIONS.map(([id, title]) => `<a href="#${id}">${title}</a>`).join('')}</nav>
</header>
<main id="content">
${tiles(report)}
${warnings(report)}
${SECTIONS.map(([id, title]) => `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>\n${bodies[id]}\n</section>`).join('\n')}
</main>
<footer><p>${footer(report)}</p></footer>
</body>
</html>
`;
}

function tiles(report: Report): string {
  const s = report.statistics;
  const items = s.items.reduce((sum, i) => sum + i.items_n, 0);
  const entries: [string, string][] = [
    [number(s.stays_n), 'intensive-care stays'],
    [number(s.patients_n), 'patients'],
    [number(s.diagnoses_n), `diagnoses, ${number(s.categories_n)} categories`],
    [number(items), 'items'],
    [percent(1 - s.imputed_share), `of ${number(s.features_n)} features measured`],
    [percent(s.utilisation), `of features decide, K = ${s.k}`],
  ];
  return `<ul class="tiles">${entries.map(([value, words]) => `<li><b>${value}</b><span>${words}</span></li>`).join('')}</ul>`;
}

function warnings(report: Report): string {
  if (report.warnings.length === 0) return '';
  return `<ul class="warnings" aria-label="To look at first">${report.warnings.map((w) => `<li>${escapeHtml(w)}</li>`).join('')}</ul>`;
}

function footer(report: Report): string {
  return report.small_cells.are_masked
    ? `Counts of 1 to ${report.small_cells.below - 1} patients or stays are masked, shares that would give them away too (the chart of filled-in values counts them as empty), and steps of the cohort that left out fewer are joined with their neighbours.`
    : 'The data are open, so no count is masked.';
}
