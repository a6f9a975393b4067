/** Rules from prose as an option of a build: which documents are given, and what the stages must know of them. */

import { givenFlags, speaksOfModels } from '../asked-models.js';
import type { CommandContext } from '../benchmark.js';
import { UsageError } from '../engine/errors.js';
import { documentFolder } from '../engine/folder-sources.js';
import type { ConfigValues } from '../engine/pipeline.js';
import type { LockedSource } from '../engine/sources.js';
import { LABELS, PDFS } from './pipeline.js';

const PDF_FILES = { called: 'PDF files', pattern: /\.pdf$/i };
const LABEL_FILES = { called: 'openFDA JSON, SPL XML or TGA HTML', pattern: /\.(json|xml|html?)(\.gz)?$/i };

/** The documents of a build, by source name. */
export type ProseSources = Partial<Readonly<Record<typeof PDFS | typeof LABELS, LockedSource>>>;

/** The folders that `--pdf-dir` and `--labels-dir` name, every file checked against the lock. */
export async function proseSources(context: CommandContext): Promise<ProseSources> {
  const { pdfDir, labelsDir } = context;
  if (!pdfDir && !labelsDir && speaksOfModels(context))
    throw new UsageError({
      message: 'no document is given that a model could be asked about',
      got: givenFlags(context).join(', '),
      expected: '--pdf-dir or --labels-dir beside it',
      next: 'name a folder of documents, or leave the option out',
    });
  return {
    ...(pdfDir ? { [PDFS]: await documentFolder(pdfDir, PDF_FILES) } : {}),
    ...(labelsDir ? { [LABELS]: await documentFolder(labelsDir, LABEL_FILES) } : {}),
  };
}

/** Lock entries of the documents as the config of the stage that describes them. */
export function proseConfig(sources: ProseSources): ConfigValues {
  const entries = Object.values(sources).flatMap((s) => s.entries);
  if (entries.length === 0) return {};
  const documents = entries.flatMap(({ sha256, edition, licence, access_class, coverage }) =>
    coverage ? [[sha256, { edition, licence, access_class, coverage }] as const] : [],
  );
  return { 'place-passages': { documents: Object.fromEntries(documents.sort()) } };
}
