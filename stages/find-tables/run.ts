/** Finds the tables of every document and writes them row by row and cell by cell. */
import { guidelineCellParts, guidelineCells, guidelineRows, guidelineTables } from '../../schemas/pdf.js';
import type { SqlRow, StageContext } from '../contract.js';
import { documentTables } from '../lib/pdf/document.js';
import type { Joined } from '../lib/pdf/join-pages.js';
import type { Turn } from '../lib/pdf/upright.js';
import type { Config } from './config.js';
import { loadPages } from './pages.js';
import { rejectRow } from './rejects.js';
import { cellRows, partRows, tableRow, type Written } from './written.js';

interface Document {
  readonly document_id: string;
  readonly file: string;
  readonly pages_n: number;
}

interface Rows {
  readonly tables: SqlRow[];
  readonly rows: SqlRow[];
  readonly cells: SqlRow[];
  readonly parts: SqlRow[];
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const documents = await ctx.sql.rows<Document & SqlRow>(
    'select document_id, file, pages_n from pdf_documents order by document_id',
  );
  checkNames(ctx, config, documents);
  const out: Rows = { tables: [], rows: [], cells: [], parts: [] };
  let printed = 0;
  for (const [i, d] of documents.entries()) {
    ctx.progress(i, documents.length, d.file);
    const pages = await loadPages(ctx, d.document_id);
    const found = documentTables(pages);
    printed += found.printed_rows;
    checkPromised(ctx, d, config.manifest[d.file] ?? [], found);
    report(ctx, d, found);
    const turns = new Map<number, Turn>(pages.map((p) => [p.page, p.turn]));
    for (const [k, table] of found.tables.entries())
      add(out, { document_id: d.document_id, table_n: k + 1, table, turns });
  }
  ctx.records('printed_rows', printed);
  ctx.count('tables', out.tables.length);
  await ctx.sql.insert('guideline_tables', guidelineTables, out.tables);
  await ctx.sql.insert('guideline_rows', guidelineRows, out.rows);
  await ctx.sql.insert('guideline_cells', guidelineCells, out.cells);
  await ctx.sql.insert('guideline_cell_parts', guidelineCellParts, out.parts);
}

function add(out: Rows, written: Written): void {
  const { document_id, table_n, table } = written;
  out.tables.push(tableRow(written));
  out.rows.push(...table.rows.map((r) => ({ document_id, table_n, ...r })));
  out.cells.push(...cellRows(written));
  out.parts.push(...partRows(written));
}

function report(ctx: StageContext, d: Document, found: Joined): void {
  for (const r of found.rejects) ctx.reject(rejectRow(d.file, r));
  if (found.repeated_headers > 0) ctx.drop('printed_rows', 'repeated_head', found.repeated_headers);
  if (found.joined_rows > 0) ctx.drop('printed_rows', 'joined_with_row_before', found.joined_rows);
}

function checkNames(ctx: StageContext, { manifest }: Config, documents: readonly Document[]): void {
  for (const [file, pages] of Object.entries(manifest)) {
    const d = documents.find((x) => x.file === file);
    const beyond = d ? pages.find((p) => p > d.pages_n) : undefined;
    if (d && beyond === undefined) continue;
    ctx.fail({
      message: d
        ? 'the manifest promises a table on a page that the PDF does not have'
        : 'the manifest names a PDF that was not read',
      file,
      field: 'manifest',
      got: d ? `page ${beyond} of ${d.pages_n}` : documents.map((x) => x.file).join(', ') || 'no file',
      next: 'correct the manifest in the configuration, or add the file',
    });
  }
}

function checkPromised(ctx: StageContext, d: Document, pages: readonly number[], found: Joined): void {
  const missing = pages.filter((p) => !found.tables.some((t) => t.pages.includes(p)));
  if (missing.length === 0) return;
  ctx.fail({
    message: 'no table was found on a page that promises one',
    file: d.file,
    row: `of page ${missing.join(', ')}`,
    got: `tables on pages ${[...new Set(found.tables.flatMap((t) => t.pages))].join(', ') || 'none'}`,
    expected: 'at least one table on each promised page',
    next: 'look at the page; if it holds no table, take it out of manifest in the configuration',
  });
}
