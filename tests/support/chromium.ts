/** Prints HTML as a PDF with Chromium, where it is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './stage.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser, or null; the reason of a skip is said. */
export function chromium(): string | null {
  const found = PLACES.find((p) => existsSync(p)) ?? null;
  if (!found) console.warn(`skipped: no Chromium at ${PLACES.join(', ')}; the stored print is read`);
  return found;
}

/** The PDF of an HTML text. */
export function printHtml(browser: string, html: string): Uint8Array {
  const dir = temporaryFolder();
  const [page, out] = [join(dir, 'page.html'), join(dir, 'out.pdf')];
  writeFileSync(page, html);
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-pdf-header-footer',
    `--user-data-dir=${join(dir, 'profile')}`,
  ];
  execFileSync(browser, [...flags, `--print-to-pdf=${out}`, `file://${page}`], {
    stdio: 'ignore',
    timeout: 60_000,
  });
  return new Uint8Array(readFileSync(out));
}
