/** The tables of a PDF file, through the adapter and the geometry, without a stage. */
import { readFileSync } from 'node:fs';
import { openPdf } from '../../pipelines/engine/adapters/pdf.js';
import { documentTables, type ReadPage, readPage } from '../../stages/lib/pdf/document.js';
import type { Joined } from '../../stages/lib/pdf/join-pages.js';

/** Pages of a PDF in reading position. */
export async function pagesOf(bytes: Uint8Array, path: string): Promise<ReadPage[]> {
  const doc = await openPdf(bytes, path);
  try {
    const pages: ReadPage[] = [];
    for (let n = 1; n <= doc.facts.pages_n; n++) pages.push(readPage(await doc.page(n)));
    return pages;
  } finally {
    await doc.close();
  }
}

/** Pages and tables of a PDF file, or of bytes. */
export async function tablesOf(
  source: string | Uint8Array,
): Promise<Joined & { readonly pages: ReadPage[] }> {
  const bytes = typeof source === 'string' ? new Uint8Array(readFileSync(source)) : source;
  const pages = await pagesOf(bytes, typeof source === 'string' ? source : 'given.pdf');
  return { ...documentTables(pages), pages };
}
