/** The frame of a report page: one file, no script, nothing loaded from elsewhere. */
import { escapeHtml } from './text.js';

export const STYLE_FILE = 'stages/lib/report-page/style.css';

export interface PageSection {
  readonly id: string;
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

export interface Page {
  readonly title: string;
  readonly badge: string;
  /** False colours the badge as a warning. */
  readonly is_open: boolean;
  readonly lead: string;
  /** Value and what it counts. */
  readonly tiles: readonly (readonly [string, string])[];
  readonly warnings: readonly string[];
  readonly sections: readonly PageSection[];
  readonly footer: string;
}

/** The whole page as HTML; texts are escaped here, section bodies are HTML already. */
export function renderFrame(page: Page, css: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(page.title)}</title>
<style>
${css}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the report</a>
<header class="top">
<h1>${escapeHtml(page.title)}<span class="badge${page.is_open ? '' : ' closed'}">${escapeHtml(page.badge)}</span></h1>
<p class="lead">${escapeHtml(page.lead)}</p>
<nav aria-label="Sections">${page.sections.map((s) => `<a href="#${s.id}">${escapeHtml(s.title)}</a>`).join('')}</nav>
</header>
<main id="content">
${tiles(page)}
${warnings(page)}
${page.sections.map(section).join('\n')}
</main>
<footer><p>${escapeHtml(page.footer)}</p></footer>
</body>
</html>
`;
}

const section = (s: PageSection): string =>
  `<section id="${s.id}" aria-labelledby="${s.id}-title"><h2 id="${s.id}-title">${escapeHtml(s.title)}</h2>\n${s.body}\n</section>`;

const tiles = (page: Page): string =>
  `<ul class="tiles">${page.tiles.map(([value, words]) => `<li><b>${value}</b><span>${escapeHtml(words)}</span></li>`).join('')}</ul>`;

function warnings(page: Page): string {
  if (page.warnings.length === 0) return '';
  return `<ul class="warnings" aria-label="To look at first">${page.warnings.map((w) => `<li>${escapeHtml(w)}</li>`).join('')}</ul>`;
}
