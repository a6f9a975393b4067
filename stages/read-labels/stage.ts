import {
  categoryEntries,
  labelCells,
  labelDocuments,
  labelSections,
  labelTables,
} from '../../schemas/labels.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { CATEGORY_ROWS, DOCUMENTS, FIELDS_FILE, HEADINGS_FILE, run } from './run.js';

export const readLabels = defineStage<Config>({
  name: 'read-labels',
  version: 1,
  summary: 'drug labels and the pregnancy table to documents, sections, tables and entries',
  inputs: { labels: { kind: 'folder', doc: 'openFDA JSON, SPL XML, TGA HTML; .gz or plain' } },
  outputs: {
    label_documents: labelDocuments,
    label_sections: labelSections,
    label_tables: labelTables,
    label_cells: labelCells,
    category_entries: categoryEntries,
  },
  config,
  files: [FIELDS_FILE, HEADINGS_FILE],
  conserve: [
    { input: DOCUMENTS, output: 'label_documents' },
    { input: CATEGORY_ROWS, output: 'category_entries' },
  ],
  audits: [
    {
      name: 'every section belongs to a document',
      sql: 'select s.section_id from label_sections s left join label_documents d using (document_id) where d.document_id is null',
    },
    {
      name: 'parents are sections of the same document',
      sql: `select s.section_id from label_sections s left join label_sections p
            on p.section_id = s.parent_id and p.document_id = s.document_id
            where s.parent_id is not null and p.section_id is null`,
    },
    {
      name: 'every cell lies in its table',
      sql: `select c.table_id from label_cells c left join label_tables t using (table_id)
            where t.table_id is null or c."row" >= t.rows_n or c."column" >= t.columns_n`,
    },
  ],
  // A category that nobody has met is one row of many.
  rejectLimit: 0.05,
  run,
});
