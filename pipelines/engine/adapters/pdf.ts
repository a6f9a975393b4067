/** PDF files: facts, glyphs and paths of a page, page text. Nothing of the library leaves this folder. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Box, FolderFile, PdfDocument, PdfFacts, PdfPage } from '../../../stages/contract.js';
import { DataError } from '../errors.js';
import { fileError } from './files.js';
import { libraryFolders, type PdfLibraries, pdfLibraries } from './pdf-library.js';
import { type Operator, readInk } from './pdf-page.js';
import type { FontFacts } from './pdf-state.js';

type Pdfjs = PdfLibraries['pdfjs'];
type Proxy = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>;
type PageProxy = Awaited<ReturnType<Proxy['getPage']>>;

const NEXT = 'get the file again and compare its sha256 with the one in raw/lock.json';

/** Opens a PDF file of a folder input; a file that changed since it was hashed is a DataError. */
export async function readPdf(file: FolderFile): Promise<PdfDocument> {
  return openPdf(await readPdfBytes(file), file.path);
}

/** The bytes of a PDF file of a folder input, which must have the hash that they had before. */
export async function readPdfBytes(file: FolderFile): Promise<Uint8Array> {
  const bytes = await readFile(file.location).catch((error: unknown) => {
    throw fileError(error, file.location);
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === file.sha256) return bytes;
  throw new DataError({
    message: 'a file changed after it was hashed',
    file: file.path,
    got: `sha256 ${sha256}`,
    expected: `sha256 ${file.sha256}`,
    next: 'run the same command again once nothing else writes to it',
  });
}

/** What the library needs to open bytes; a copy, since it takes the bytes away from their owner. */
export function openOptions(bytes: Uint8Array): Record<string, unknown> {
  return {
    data: new Uint8Array(bytes),
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    cMapPacked: true,
    verbosity: 0,
    ...libraryFolders(),
  };
}

/** Opens a PDF; `path` is what errors call it. */
export async function openPdf(bytes: Uint8Array, path: string): Promise<PdfDocument> {
  if (bytes.length === 0)
    throw new DataError({ message: 'the PDF file is empty', file: path, got: '0 bytes', next: NEXT });
  const { pdfjs, PDFParse } = await pdfLibraries();
  const parser = new PDFParse(openOptions(bytes));
  try {
    const doc = await pdfjs.getDocument(openOptions(bytes)).promise;
    const facts = factsOf(await parser.getInfo());
    return {
      facts,
      page: (n) => readPage({ pdfjs, doc, path }, n),
      text: async (n) => (await parser.getText({ partial: [n] })).pages[0]?.text ?? '',
      close: async () => {
        await parser.destroy();
        await doc.destroy();
      },
    };
  } catch (error) {
    await parser.destroy();
    throw openError(error, path);
  }
}

function factsOf(info: { total: number; info?: Record<string, unknown>; fingerprints?: unknown }): PdfFacts {
  const text = (key: string): string | null => {
    const value = info.info?.[key];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  return {
    pages_n: info.total,
    title: text('Title'),
    producer: text('Producer'),
    pdf_version: text('PDFFormatVersion'),
    fingerprint: String((info.fingerprints as string[] | undefined)?.[0] ?? ''),
  };
}

/** A closed door and a broken file are the two things a person can act on. */
export function openError(error: unknown, path: string): unknown {
  const name = (error as Error).name;
  if (/Password/.test(name)) {
    return new DataError({
      message: 'the PDF is encrypted and asks for a password',
      file: path,
      expected: 'a PDF that opens without a password',
      next: 'ask its publisher for an open copy; no password is tried',
    });
  }
  if (/InvalidPDF|FormatError|MissingPDF|UnknownError|XRefParse|ResponseException/.test(name)) {
    return new DataError({
      message: 'the PDF is damaged and cannot be opened',
      file: path,
      got: (error as Error).message,
      expected: 'a whole PDF file',
      next: NEXT,
    });
  }
  return error;
}

interface Open {
  readonly pdfjs: Pdfjs;
  readonly doc: Proxy;
  readonly path: string;
}

async function readPage({ pdfjs, doc, path }: Open, n: number): Promise<PdfPage> {
  if (!Number.isInteger(n) || n < 1 || n > doc.numPages) {
    throw new DataError({
      message: 'the PDF has no such page',
      file: path,
      got: `page ${n}`,
      expected: `1 to ${doc.numPages}`,
    });
  }
  const page = await doc.getPage(n).catch((error: unknown) => {
    throw pageError(error, path, n);
  });
  try {
    const view = page.view.map((v) => v) as unknown as Box;
    const layers = await doc.getOptionalContentConfig();
    const list = await page.getOperatorList();
    const ink = readInk({
      view,
      operators: operators(pdfjs, list),
      font: fonts(page),
      isLayerVisible: (properties) => layers.isVisible(properties as never) !== false,
    });
    return { page: n, view, rotation: ((page.rotate % 360) + 360) % 360, ...ink };
  } catch (error) {
    throw pageError(error, path, n);
  } finally {
    page.cleanup();
  }
}

function pageError(error: unknown, path: string, n: number): unknown {
  return new DataError({
    message: 'a page of the PDF cannot be read',
    file: path,
    row: `of page ${n}`,
    got: (error as Error).message,
    next: NEXT,
  });
}

/** Operators by name; the operator inside a path is named too. */
function* operators(
  pdfjs: Pdfjs,
  list: { readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] },
): Iterable<Operator> {
  const names = new Map(Object.entries(pdfjs.OPS).map(([name, code]) => [code as number, name]));
  for (const [i, code] of list.fnArray.entries()) {
    const name = names.get(code) ?? String(code);
    const args = (list.argsArray[i] ?? []) as readonly unknown[];
    yield name === 'constructPath'
      ? { name, args: [names.get(args[0] as number) ?? args[0], ...args.slice(1)] }
      : { name, args };
  }
}

/** Facts of a font by the name that operators use. */
function fonts(page: PageProxy): (name: string) => FontFacts {
  const seen = new Map<string, FontFacts>();
  return (name) => {
    let facts = seen.get(name);
    if (!facts) {
      const font = page.commonObjs.get(name) as {
        name?: string;
        fontMatrix?: readonly number[];
        vertical?: boolean;
      };
      const scale = font.fontMatrix?.[0];
      facts = { name: font.name ?? name, widthScale: scale ?? 0.001, isVertical: font.vertical === true };
      seen.set(name, facts);
    }
    return facts;
  };
}
