/** The flow of stays into the cohort, as CONSORT diagrams draw it: what was left to the left, what left to the right. */

import { escapeHtml, number } from '../../lib/report-page/text.js';
import type { Count, FlowStep, Mask } from '../mask.js';

const BOX = { x: 8, width: 300, height: 56 };
const SIDE = { x: 372, width: 380 };
const GAP = 42;

/** SVG of the flow. */
export function flowChart(steps: readonly FlowStep[], mask: Mask): string {
  const parts: string[] = [];
  let y = 8;
  steps.forEach((step, i) => {
    if (i > 0) {
      const lines = wrap(
        `${count(mask.count(step.excluded_stays_n))} left out: ${step.reasons.join('; ')}`,
        56,
      );
      const height = Math.max(40, 20 + lines.length * 17);
      const middle = y + (GAP + height - 40) / 2;
      const next = y + GAP + height - 40;
      parts.push(line(BOX.x + BOX.width / 2, y, BOX.x + BOX.width / 2, next, true));
      parts.push(line(BOX.x + BOX.width / 2, middle, SIDE.x, middle, true));
      parts.push(box(SIDE.x, middle - height / 2, SIDE.width, height, 'side'));
      lines.forEach((text, l) => {
        parts.push(
          `<text x="${SIDE.x + 12}" y="${middle - ((lines.length - 1) * 17) / 2 + l * 17 + 4}">${escapeHtml(text)}</text>`,
        );
      });
      y = next;
    }
    parts.push(box(BOX.x, y, BOX.width, BOX.height, i === steps.length - 1 ? 'final' : 'main'));
    const centre = BOX.x + BOX.width / 2;
    const title =
      i === 0 ? (step.reasons[0] ?? 'all stays') : i === steps.length - 1 ? 'cohort' : 'remaining';
    parts.push(
      `<text class="small" x="${centre}" y="${y + 21}" text-anchor="middle">${escapeHtml(wrap(title, 44)[0]!)}</text>`,
    );
    parts.push(
      `<text class="strong" x="${centre}" y="${y + 42}" text-anchor="middle">${number(step.stays_n)} stays · ${number(step.patients_n)} patients</text>`,
    );
    y += BOX.height;
  });
  const label = `Flow of stays: ${steps.map((s) => number(s.stays_n)).join(', then ')}`;
  return `<svg class="flow" role="img" aria-label="${label}" viewBox="0 0 760 ${y + 10}" width="760" height="${y + 10}">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0,0.5L7.5,4L0,7.5z"/></marker></defs>
${parts.join('\n')}
</svg>`;
}

const count = (n: Count): string => (typeof n === 'number' ? number(n) : n);

const line = (x1: number, y1: number, x2: number, y2: number, arrow: boolean): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"${arrow ? ' marker-end="url(#arrow)"' : ''}/>`;

const box = (x: number, y: number, width: number, height: number, kind: string): string =>
  `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;

/** Breaks a text into lines of at most `width` characters, at blanks. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
