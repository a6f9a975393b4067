/** The growth plot: CPU seconds and memory against stays and against diagnoses; axes are logarithmic, but memory starts at 0. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Growth, GrowthPoint } from './growth.js';

const SIZE = { width: 430, height: 330 };
const COLORS: Record<GrowthPoint['what'], string> = {
  rank: '#4269d0',
  'mine euclidean': '#efb118',
  'mine gower': '#ff725c',
  'rank + mine gower': '#333333',
  'peak MB': '#6cc5b0',
};

/** One SVG with four panels: time above, memory below; stays on the left, diagnoses on the right. */
export function growthPlot({ points, exponents }: Growth): string {
  const panels = (['time', 'memory'] as const).flatMap((kind, row) =>
    (['stays', 'diagnoses'] as const).map((along, column) => {
      const own = points.filter((p) => p.along === along && (p.what === 'peak MB') === (kind === 'memory'));
      const name = (what: GrowthPoint['what']): string => {
        const { exponent } = exponents.find((e) => e.along === along && e.what === what)!;
        return `${what}: exponent ${exponent.toFixed(2)}`;
      };
      const svg = panel(own, along, kind, name);
      return `<g transform="translate(${column * SIZE.width},${row * SIZE.height})">${svg}</g>`;
    }),
  );
  const [width, height] = [2 * SIZE.width, 2 * SIZE.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Growth of CPU time and memory with stays and with diagnoses"><rect width="${width}" height="${height}" fill="white"/>${panels.join('')}</svg>\n`;
}

function panel(
  points: readonly GrowthPoint[],
  along: string,
  kind: 'time' | 'memory',
  name: (what: GrowthPoint['what']) => string,
): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const labels = [...new Set(points.map((p) => p.what))].map((what, n) => ({ what, n }));
  const svg = Plot.plot({
    ...SIZE,
    marginLeft: 56,
    marginTop: 26 + 15 * labels.length,
    marginBottom: 40,
    style: { fontSize: '12px', fontFamily: 'sans-serif', background: 'transparent' },
    x: { type: 'log', label: along, ticks: [...new Set(points.map((p) => p.size))], tickFormat: ',' },
    y:
      kind === 'time'
        ? { type: 'log', label: 'CPU seconds', grid: true, ticks: 4, tickFormat: ',' }
        : {
            zero: true,
            label: 'peak memory (MB)',
            grid: true,
            ticks: 4,
            tickFormat: (mb: number) => String(mb),
          },
    marks: [
      Plot.line(points, { x: 'size', y: 'value', z: 'what', stroke: (p: GrowthPoint) => COLORS[p.what] }),
      Plot.dot(points, { x: 'size', y: 'value', r: 3.5, fill: (p: GrowthPoint) => COLORS[p.what] }),
      ...labels.map(({ what, n }) =>
        Plot.text([name(what)], {
          frameAnchor: 'top-left',
          dy: -15 * (labels.length - n),
          text: (t: string) => t,
          fill: COLORS[what],
          fontWeight: 600,
        }),
      ),
    ],
    document: document as unknown as NonNullable<NonNullable<Parameters<typeof Plot.plot>[0]>['document']>,
  });
  // The style sheet sizes a picture of its own; inside another SVG it would move the panel.
  const html: string = svg.outerHTML.replace(/<style>.*?<\/style>/s, '');
  return html.replace(/-?\d+\.\d{3,}/g, (n) => String(Number(Number(n).toFixed(2))));
}
