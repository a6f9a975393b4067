/** PDF documents as they are printed: pages, words, rules, and the tables found in them, cell by cell. Boxes are in PDF points. */
import { col, table } from './table.js';

/** A box in points of the page's own space: origin bottom left, y up, before the page is turned. */
const box = { x0: col.double(), y0: col.double(), x1: col.double(), y1: col.double() };

export const pdfDocuments = table({
  name: 'pdf_documents',
  doc: 'one row a PDF file',
  key: ['document_id'],
  row: {
    /** From the content of the file. */
    document_id: col.text(),
    file: col.text(),
    sha256: col.text(),
    pages_n: col.int(),
    title: col.text().nullable(),
    producer: col.text().nullable(),
    pdf_version: col.text().nullable(),
  },
});

export const pdfPages = table({
  name: 'pdf_pages',
  doc: 'one row a page, with what was left out of its words',
  key: ['document_id', 'page'],
  row: {
    document_id: col.text(),
    /** 1-based. */
    page: col.int(),
    ...box,
    /** Degrees clockwise by which a viewer turns the page. */
    rotation: col.int(),
    /** Degrees counterclockwise in which most text runs; words and rules are read in this direction. */
    reading_angle: col.int(),
    words_n: col.int(),
    rules_n: col.int(),
    images_n: col.int(),
    /** Text that runs in another direction (margin lines); it is in no word. */
    turned_text: col.text().nullable(),
    /** Glyphs without ink, or clipped away. */
    hidden_glyphs_n: col.int(),
  },
});

export const pdfWords = table({
  name: 'pdf_words',
  doc: 'runs of glyphs of one size on one baseline without a gap that could be a space',
  key: ['document_id', 'page', 'word'],
  row: {
    document_id: col.text(),
    page: col.int(),
    /** Order on the page: by baseline, then from left to right. */
    word: col.int(),
    text: col.text(),
    ...box,
    /** Reading position: distance of the baseline down the page, in points. */
    baseline: col.double(),
    /** Height of the em in points. */
    size: col.double(),
    font: col.text(),
    /** False when the font does not say which character a glyph is. */
    is_mapped: col.bool(),
    /** True when the font gives one character to glyphs of several widths (a ligature that lost letters). */
    is_doubtful: col.bool(),
  },
});

export const pdfRules = table({
  name: 'pdf_rules',
  doc: 'ruled lines: straight strokes and thin filled boxes, joined where they continue each other',
  key: ['document_id', 'page', 'rule'],
  row: {
    document_id: col.text(),
    page: col.int(),
    rule: col.int(),
    /** Along the reading direction, or across it. */
    is_across: col.bool(),
    ...box,
    thickness: col.double(),
    /** Where the strokes that make up the rule meet, in points along it, separated by blanks. */
    breaks: col.text().nullable(),
  },
});

export const guidelineTables = table({
  name: 'guideline_tables',
  doc: 'tables found in PDF documents; one that runs over pages is one table',
  key: ['document_id', 'table_n'],
  row: {
    document_id: col.text(),
    /** 1-based over the document. */
    table_n: col.int(),
    page_first: col.int(),
    page_last: col.int(),
    rows_n: col.int(),
    columns_n: col.int(),
    caption: col.text().nullable(),
    /** Notes below the table, one a line, the mark and a colon before each that has one. */
    notes: col.text().nullable(),
    /** False for a table that stands by the alignment of its text alone. */
    is_ruled: col.bool(),
    /** What a reader should know, separated by blanks: `continued_with_other_columns`. */
    findings: col.text().nullable(),
  },
});

export const guidelineRows = table({
  name: 'guideline_rows',
  doc: 'printed rows of the tables; a head that is repeated on a later page is one row',
  key: ['document_id', 'table_n', 'row'],
  row: {
    document_id: col.text(),
    table_n: col.int(),
    /** 0-based over the table. */
    row: col.int(),
    page: col.int(),
    is_header: col.bool(),
    /** A text across all columns, or a lone label, that holds for the rows below it. */
    is_banner: col.bool(),
    /** The banners that hold for this row, outermost first, joined by ` > `. */
    banner: col.text().nullable(),
  },
});

export const guidelineCells = table({
  name: 'guideline_cells',
  doc: 'cells of the tables; a merged cell stands at every place that it covers',
  key: ['document_id', 'table_n', 'row', 'col'],
  row: {
    document_id: col.text(),
    table_n: col.int(),
    row: col.int(),
    col: col.int(),
    row_span: col.int(),
    col_span: col.int(),
    /** True at the places of a merged cell other than its first one. */
    is_spanned: col.bool(),
    anchor_row: col.int(),
    anchor_col: col.int(),
    /** Page and box of the first printed part; `guideline_cell_parts` has all. */
    page: col.int(),
    ...box,
    /** Every glyph, line by line; parts on following pages are separated by a line feed, too. */
    printed_text: col.text(),
    /** One line, without note marks and dot leaders. */
    text: col.text(),
    is_header: col.bool(),
    banner: col.text().nullable(),
    /** Note marks of the cell, separated by blanks. */
    marks: col.text().nullable(),
    /** The notes of these marks, one a line, the mark and a colon before each. */
    note_text: col.text().nullable(),
    /** `glyph_doubtful`, `mark_without_note`, `spacing_doubtful`, `spans_page_break`, separated by blanks. */
    findings: col.text().nullable(),
  },
});

export const guidelineCellParts = table({
  name: 'guideline_cell_parts',
  doc: 'where a cell is printed: one part, or one a page when it runs over pages',
  key: ['document_id', 'table_n', 'row', 'col', 'part'],
  row: {
    document_id: col.text(),
    table_n: col.int(),
    row: col.int(),
    col: col.int(),
    part: col.int(),
    page: col.int(),
    ...box,
    printed_text: col.text(),
  },
});
