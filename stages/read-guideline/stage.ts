/** Declaration of read-guideline. */
import { pdfDocuments, pdfPages, pdfRules, pdfWords } from '../../schemas/pdf.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const readGuideline = defineStage<Config>({
  name: 'read-guideline',
  version: 1,
  summary: 'PDF files to pages, words and ruled lines with their places',
  inputs: { pdfs: { kind: 'folder', doc: 'PDF files with a text layer' } },
  outputs: { pdf_documents: pdfDocuments, pdf_pages: pdfPages, pdf_words: pdfWords, pdf_rules: pdfRules },
  config,
  conserve: [{ input: 'pages', output: 'pdf_pages' }],
  audits: [
    {
      name: 'pages are numbered without a hole',
      sql: `select d.document_id from pdf_documents d left join
        (select document_id, count(*) as n, min(page) as a, max(page) as b from pdf_pages group by all) p using (document_id)
        where p.n is null or p.n <> d.pages_n or p.a <> 1 or p.b <> d.pages_n`,
    },
    {
      name: 'words have text and lie on their page',
      sql: `select w.word from pdf_words w join pdf_pages p using (document_id, page)
        where trim(w.text) = '' or w.x1 < p.x0 - 50 or w.x0 > p.x1 + 50 or w.y1 < p.y0 - 50 or w.y0 > p.y1 + 50`,
    },
  ],
  run,
});
