/** Drug labels (openFDA JSON, SPL XML) and the TGA pregnancy table as they were printed: documents, sections, tables, entries. */
import { col, table } from './table.js';

export const LABEL_FORMATS = ['openfda', 'spl', 'tga'] as const;

export const labelDocuments = table({
  name: 'label_documents',
  doc: 'one row a label version or category table',
  key: ['document_id'],
  row: {
    /** Id of this version of the label as its publisher gives it; for a category table, from its content. */
    document_id: col.text(),
    /** Id that all versions of a label share. */
    set_id: col.text().nullable(),
    version: col.text().nullable(),
    effective_date: col.date().nullable(),
    title: col.text().nullable(),
    /** JSON arrays of names as printed, sorted. */
    generic_names: col.text(),
    brand_names: col.text(),
    format: col.text(),
    file: col.text(),
    /** SHA-256 of the file. */
    sha256: col.text(),
    /** SHA-256 of its text, which differs when the file is compressed. */
    content_sha256: col.text(),
  },
});

export const labelSections = table({
  name: 'label_sections',
  doc: 'sections of labels with their own text; parents without text are kept',
  key: ['section_id'],
  row: {
    section_id: col.text(),
    document_id: col.text(),
    parent_id: col.text().nullable(),
    /** Order in the document. */
    position: col.int(),
    /** `section`, or `highlights` for the excerpt of a section that stands in front of the label. */
    kind: col.text(),
    /** LOINC code; null where the label says unclassified. */
    code: col.text().nullable(),
    /** `8.2` of `8.2 Lactation`. */
    number: col.text().nullable(),
    title: col.text().nullable(),
    /** The section's own text, lines separated by a line feed; null when it has none. */
    text: col.text().nullable(),
    /** Headings from the top, joined by ` > `. */
    path: col.text(),
    /** openFDA: the fields that hold it, joined by a comma. */
    fields: col.text().nullable(),
  },
});

export const labelTables = table({
  name: 'label_tables',
  doc: 'tables of labels',
  key: ['table_id'],
  row: {
    table_id: col.text(),
    document_id: col.text(),
    /** Null in openFDA files, which keep tables apart. */
    section_id: col.text().nullable(),
    caption: col.text().nullable(),
    rows_n: col.int(),
    columns_n: col.int(),
    /** How often the document holds exactly this table at these places. */
    occurrences_n: col.int(),
    /** Path of the section, or openFDA fields joined by a comma. */
    place: col.text(),
  },
});

export const labelCells = table({
  name: 'label_cells',
  doc: 'grid positions of the tables; a cell that spans is repeated on every position it covers',
  key: ['table_id', 'row', 'column'],
  row: {
    table_id: col.text(),
    row: col.int(),
    column: col.int(),
    text: col.text(),
    /** Text of footnotes that stand in the cell, lines separated by a line feed. */
    notes: col.text().nullable(),
    is_header: col.bool(),
    /** True on the first position of its cell. */
    is_origin: col.bool(),
    row_span: col.int(),
    column_span: col.int(),
  },
});

export const categoryEntries = table({
  name: 'category_entries',
  doc: 'rows of the TGA table of medicines in pregnancy',
  key: ['entry_id'],
  row: {
    entry_id: col.text(),
    document_id: col.text(),
    /** 1 for the first row below the header. */
    row_n: col.int(),
    /** Name as printed, white space folded. */
    name: col.text(),
    /** JSON array of `{name, qualifiers}`: combinations taken apart, texts in brackets apart from names. */
    parts: col.text(),
    is_combination: col.bool(),
    /** `letter`, or `sentence` where the cell says more than a letter; then `category` is null. */
    kind: col.text(),
    category: col.text().nullable(),
    category_text: col.text(),
    class_1: col.text().nullable(),
    class_2: col.text().nullable(),
    class_3: col.text().nullable(),
  },
});
