/** Pictures of PDF pages and of places on them, for people who compare a cell with what is printed. */
import type { Box } from '../../../stages/contract.js';
import { DataError } from '../errors.js';
import { openError, openOptions } from './pdf.js';
import { pdfLibraries } from './pdf-library.js';

export interface PictureOptions {
  readonly page: number;
  /** Pixels a point; default 2. */
  readonly scale?: number;
  /** A box in PDF points; the whole page when absent. */
  readonly box?: Box;
  /** Points shown around the box; default 12. */
  readonly margin?: number;
  /** What errors call the file. */
  readonly path: string;
}

export interface Picture {
  readonly png: Uint8Array;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** What a canvas of the library offers here. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): { drawImage(source: unknown, x: number, y: number): void };
  toBuffer(type: 'image/png'): Uint8Array;
}

/** A PNG of a page, or of a box on it with a margin, turned as a viewer turns the page. */
export async function pagePicture(bytes: Uint8Array, options: PictureOptions): Promise<Picture> {
  const { pdfjs } = await pdfLibraries();
  const { page: n, scale = 2, box, margin = 12, path } = options;
  const doc = await pdfjs.getDocument(openOptions(bytes)).promise.catch((error: unknown) => {
    throw openError(error, path);
  });
  try {
    if (n < 1 || n > doc.numPages)
      throw new DataError({
        message: 'the PDF has no such page',
        file: path,
        got: `page ${n}`,
        expected: `1 to ${doc.numPages}`,
      });
    const page = await doc.getPage(n);
    const viewport = page.getViewport({ scale });
    const [ax, ay, bx, by] = box
      ? viewport.convertToViewportRectangle([
          box[0] - margin,
          box[1] - margin,
          box[2] + margin,
          box[3] + margin,
        ])
      : [0, 0, viewport.width, viewport.height];
    const [left, top] = [Math.max(0, Math.min(ax!, bx!)), Math.max(0, Math.min(ay!, by!))];
    const width = Math.ceil(Math.min(viewport.width, Math.max(ax!, bx!)) - left);
    const height = Math.ceil(Math.min(viewport.height, Math.max(ay!, by!)) - top);
    if (width < 1 || height < 1)
      throw new DataError({
        message: 'the box lies outside its page',
        file: path,
        got: box!.join(' '),
        expected: page.view.join(' '),
      });
    const shifted = page.getViewport({ scale, offsetX: -left, offsetY: -top });
    const factory = doc.canvasFactory as {
      create(w: number, h: number): { canvas: Canvas; context: unknown };
    };
    const { canvas, context } = factory.create(width, height);
    await page.render({ canvas: canvas as never, canvasContext: context as never, viewport: shifted })
      .promise;
    return { png: new Uint8Array(canvas.toBuffer('image/png')), width: canvas.width, height: canvas.height };
  } finally {
    await doc.destroy();
  }
}
