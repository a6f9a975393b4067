/** Where the open MIMIC-IV demo lies; its tests are skipped without it, except in CI, where it must be there. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const shared = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));

/** The demo's tables and the rebuilt chartevents; the first folder that has a table wins. */
export const DEMO_DIRS = [shared('mimic-iv-demo-2.2'), shared('mimic-iv-demo-2.2-chartevents-rebuilt')];

/** False (with a line that says so) when the demo is absent; an error in CI. */
export function hasDemo(): boolean {
  if (DEMO_DIRS.every((dir) => existsSync(dir))) return true;
  const message = `skipped, the open MIMIC-IV demo is not at ${DEMO_DIRS.join(' and ')}`;
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(message);
  return false;
}
