/** Third-party files beside the project: labels, the TGA table, PDFs with tables. They are read from there, never copied. */
import { existsSync } from 'node:fs';

/** The mount folder that tests use. */
export const MOUNT_DIR = '../shared/data';

const PARTS = ['fda-labels-openfda', 'fda-spl-xml', 'tga-pregnancy-2019', 'pdf-tables', 'beers-2015'];

/** True when the mounted files are there. In continuous integration their absence is a failure, elsewhere tests are skipped. */
export function hasMounted(): boolean {
  const missing = PARTS.filter((p) => !existsSync(`${MOUNT_DIR}/${p}`));
  if (missing.length === 0) return true;
  const words = `${missing.join(', ')} of ${MOUNT_DIR}`;
  if (process.env.CI === 'true') throw new Error(`mounted files are missing: ${words}`);
  console.warn(`skipped: mounted files are missing: ${words}`);
  return false;
}
