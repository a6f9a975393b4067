/** Third-party PDFs beside the project; tests that need them say that they are skipped where they are absent. */
import { existsSync } from 'node:fs';

export const PDF_TABLES = '../shared/data/pdf-tables';
export const VEKLURY = '../shared/data/fda-spl-xml/remdesivir-veklury-label-2020-10.pdf';

/** True when the documents are there. In continuous integration their absence is a failure, elsewhere tests are skipped. */
export function hasPdfTables(): boolean {
  const found = existsSync(PDF_TABLES) && existsSync(VEKLURY);
  if (!found && process.env.CI === 'true') throw new Error(`${PDF_TABLES} or ${VEKLURY} is missing`);
  if (!found) console.warn(`skipped: PDF documents do not lie at ${PDF_TABLES} and ${VEKLURY}`);
  return found;
}
