/** Loads the PDF library on first use, once; importing this file reads nothing. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.js';

/** The path opcodes and the argument forms of the operator list change between versions; these are of this one. */
export const PDFJS_VERSION = '5.4.296';

export interface PdfLibraries {
  readonly pdfjs: typeof import('pdfjs-dist/legacy/build/pdf.mjs');
  readonly PDFParse: typeof import('pdf-parse').PDFParse;
}

let loaded: Promise<PdfLibraries> | undefined;

/** The libraries. A UsageError says what is missing when the installation is not whole. */
export function pdfLibraries(load: () => Promise<PdfLibraries> = loadPair): Promise<PdfLibraries> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw explainMissing(error);
  });
  return loaded;
}

async function loadPair(): Promise<PdfLibraries> {
  const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs');
  if (pdfjs.version !== PDFJS_VERSION) throw new Error(`pdfjs-dist is ${pdfjs.version}`);
  const { PDFParse } = await import('pdf-parse');
  return { pdfjs, PDFParse };
}

/** Names the package that the library needs, where it says only that a browser class is missing. */
export function explainMissing(error: unknown): unknown {
  const text = String((error as Error)?.message ?? error);
  if (/DOMMatrix|Path2D|ImageData|napi-rs/.test(text)) {
    return new UsageError({
      message: 'PDF files cannot be read: the package @napi-rs/canvas is not installed',
      got: text,
      next: 'install without --omit=optional (npm ci), on a platform that @napi-rs/canvas has a binary for',
    });
  }
  if (/pdfjs-dist is |Cannot find (package|module)/.test(text)) {
    return new UsageError({
      message: 'PDF files cannot be read: the PDF library is missing or of another version',
      got: text,
      expected: `pdfjs-dist ${PDFJS_VERSION} and the pdf-parse that shares it`,
      next: 'npm ci',
    });
  }
  return error;
}

/** Folders of the fonts and character maps that the library brings, as it wants them: with a slash at the end. */
export function libraryFolders(): { readonly standardFontDataUrl: string; readonly cMapUrl: string } {
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  return { standardFontDataUrl: `${join(root, 'standard_fonts')}/`, cMapUrl: `${join(root, 'cmaps')}/` };
}
