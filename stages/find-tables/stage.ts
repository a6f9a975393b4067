/** Declaration of find-tables. */
import {
  guidelineCellParts,
  guidelineCells,
  guidelineRows,
  guidelineTables,
  pdfDocuments,
  pdfPages,
  pdfRules,
  pdfWords,
} from '../../schemas/pdf.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const findTables = defineStage<Config>({
  name: 'find-tables',
  version: 1,
  summary: 'tables of PDF pages, cell by cell, with spans, banners, notes and places',
  inputs: { pdf_documents: pdfDocuments, pdf_pages: pdfPages, pdf_words: pdfWords, pdf_rules: pdfRules },
  outputs: {
    guideline_tables: guidelineTables,
    guideline_rows: guidelineRows,
    guideline_cells: guidelineCells,
    guideline_cell_parts: guidelineCellParts,
  },
  config,
  conserve: [
    { input: 'printed_rows', output: 'guideline_rows', drops: ['repeated_head', 'joined_with_row_before'] },
  ],
  audits: [
    {
      name: 'cells lie in their table and row',
      sql: `select c."row" from guideline_cells c left join guideline_rows r using (document_id, table_n, "row")
        left join guideline_tables t using (document_id, table_n)
        where r.page is null or c.col >= t.columns_n or c."row" >= t.rows_n`,
    },
    {
      name: 'every place of a merged cell has the text of its first one',
      sql: `select c."row" from guideline_cells c left join guideline_cells a
        on a.document_id = c.document_id and a.table_n = c.table_n and a."row" = c.anchor_row and a.col = c.anchor_col
        where a.printed_text is distinct from c.printed_text`,
    },
    {
      name: 'every cell has a printed part',
      sql: `select c."row" from guideline_cells c left join guideline_cell_parts p
        on p.document_id = c.document_id and p.table_n = c.table_n and p."row" = c.anchor_row and p.col = c.anchor_col
        and p.part = 0 where p.page is null`,
    },
  ],
  // A refused row is one that a reader must look at; more than a tenth means that the document is not understood.
  rejectLimit: 0.1,
  run,
});
