/** Places outside our tables: cells of guideline PDFs and sections of labels, as the release holds them, and their files. */
import { join } from 'node:path';
import type { Box } from '../../stages/contract.js';
import type { DuckDbSession } from '../engine/adapters/duckdb.js';
import { existsSync, hashFile, statSync } from '../engine/adapters/files.js';
import { readPdf } from '../engine/adapters/pdf.js';

/** A printed place by its ref. `page` and `box` (points, origin bottom left) are null for label sections. */
export interface PrintedPlace {
  readonly ref: string;
  readonly file: string;
  readonly sha256: string;
  readonly page: number | null;
  readonly box: Box | null;
  readonly printed: string;
}

/** Every cell and section that the release holds; none where its rules come from our own tables alone. */
export async function printedPlaces(
  session: Pick<DuckDbSession, 'rows'>,
  tables: ReadonlySet<string>,
): Promise<Map<string, PrintedPlace>> {
  const cells = tables.has('guideline_cells')
    ? await session.rows<CellRow>(
        `select c.document_id, table_n, anchor_row, anchor_col, page, x0, y0, x1, y1, printed_text, file, sha256
         from guideline_cells c join pdf_documents d using (document_id) where not is_spanned order by all`,
      )
    : [];
  const sections = tables.has('label_sections')
    ? await session.rows<{
        document_id: string;
        section_id: string;
        text: string;
        file: string;
        sha256: string;
      }>(
        `select s.document_id, section_id, text, file, sha256 from label_sections s
         join label_documents d using (document_id) where text is not null order by all`,
      )
    : [];
  const places = [
    ...cells.map(cellPlace),
    ...sections.map(
      (s): PrintedPlace => ({
        ref: `label:${s.document_id}#${s.section_id}`,
        file: s.file,
        sha256: s.sha256,
        page: null,
        box: null,
        printed: s.text,
      }),
    ),
  ];
  return new Map(places.map((p) => [p.ref, p]));
}

interface CellRow {
  readonly document_id: string;
  readonly table_n: number;
  readonly anchor_row: number;
  readonly anchor_col: number;
  readonly page: number;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly printed_text: string;
  readonly file: string;
  readonly sha256: string;
}

const cellPlace = (c: CellRow): PrintedPlace => ({
  ref: `pdf:${c.document_id}#t${c.table_n}r${c.anchor_row}c${c.anchor_col}`,
  file: c.file,
  sha256: c.sha256,
  page: c.page,
  box: [c.x0, c.y0, c.x1, c.y1],
  printed: c.printed_text,
});

/** What stands at a place in the file itself. */
export interface Reread {
  /** SHA-256 of the file; null where it is absent. */
  readonly sha256: string | null;
  /** Glyphs whose baseline begins in the box, without blanks; null for places without a box. */
  readonly ink: string | null;
}

/** Reads a place again in the first of the folders that has its file. */
export async function rereadPlace(place: PrintedPlace, folders: readonly string[]): Promise<Reread> {
  const location = folders.map((f) => join(f, place.file)).find((f) => existsSync(f));
  if (location === undefined) return { sha256: null, ink: null };
  const sha256 = await hashFile(location);
  if (place.page === null || place.box === null || sha256 !== place.sha256) return { sha256, ink: null };
  const file = { path: place.file, location, bytes: statSync(location).size, sha256 };
  const document = await readPdf(file);
  try {
    const { glyphs } = await document.page(place.page);
    const ink = glyphs.filter((g) => g.is_visible && isIn(place.box!, g.x0, g.y0)).map((g) => g.text);
    return { sha256, ink: ink.join('').replace(/\s+/g, '') };
  } finally {
    await document.close();
  }
}

/** A point of slack: baselines of a line may lie on the edge of the box. */
const isIn = ([x0, y0, x1, y1]: Box, x: number, y: number): boolean =>
  x >= x0 - 1 && x <= x1 + 1 && y >= y0 - 1 && y <= y1 + 1;
