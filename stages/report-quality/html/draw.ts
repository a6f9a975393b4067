/** Draws a chart to SVG text. Observable Plot needs a document; linkedom gives one without a browser. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

export type PlotOptions = NonNullable<Parameters<typeof Plot.plot>[0]>;

/** Colours come from the page, so that charts follow its light and dark form. */
export const COLOR = {
  main: 'var(--c1)',
  second: 'var(--c2)',
  third: 'var(--c3)',
  quiet: 'var(--quiet)',
  line: 'var(--line)',
} as const;

const WIDTH = 760;

/** SVG of a plot with an accessible name; coordinates are cut to two decimals, which nobody sees and every platform agrees on. */
export function draw(label: string, options: PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg = Plot.plot({
    width: WIDTH,
    marginBottom: 46,
    style: { fontSize: '12px', fontFamily: 'inherit', background: 'transparent' },
    ...options,
    document: document as unknown as NonNullable<PlotOptions['document']>,
  });
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  return shorten(svg.outerHTML);
}

/** Rounds long decimals in attributes. */
export function shorten(svg: string): string {
  return svg.replace(/-?\d+\.\d{3,}/g, (n) => String(Number(Number(n).toFixed(2))));
}
