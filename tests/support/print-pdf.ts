/** Prints small PDFs for tests: the same bytes every time. */
import PDFDocument from 'pdfkit';

export type Pdf = PDFKit.PDFDocument;

export interface PrintOptions {
  readonly size?: [number, number];
  readonly options?: PDFKit.PDFDocumentOptions;
}

/** A PDF drawn by `draw` on a first page without margins; dates and ids are fixed. */
export async function printPdf(
  draw: (doc: Pdf) => void,
  { size = [595, 842], options }: PrintOptions = {},
): Promise<Uint8Array> {
  const date = new Date(Date.UTC(2020, 0, 1));
  const doc = new PDFDocument({
    size,
    margin: 0,
    compress: false,
    info: { CreationDate: date, ModDate: date, Producer: 'tests', Creator: 'tests' },
    ...options,
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve) => doc.on('end', resolve));
  draw(doc);
  doc.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}
