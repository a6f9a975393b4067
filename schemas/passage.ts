/** Prose that rules are drafted from, and what became of every piece of it. */
import { col, table } from './table.js';

export const passages = table({
  name: 'passages',
  doc: 'one piece of prose: a label section, or the cells of one row of a guideline table',
  key: ['passage_id'],
  row: {
    passage_id: col.text(),
    /** Source that rules of it belong to. */
    source_id: col.text(),
    document_id: col.text(),
    /** Place of the whole: of the section, or of the first cell. */
    ref: col.text(),
    /** Headings above it, for the reader; no part of the text. */
    heading: col.text(),
    /** JSON array: the drug that the document is about, as printed there; empty where it is about many. */
    generic_names: col.text(),
    /** JSON array: trade names of that drug. */
    brand_names: col.text(),
    /**
     * JSON array of `{ref, name, text}`: a section is one part, a row of a table has one for each cell. `ref` is the place as
     * spans name it, `name` the head of the column, null for sections.
     */
    parts: col.text(),
  },
});

export const passageOutcomes = table({
  name: 'passage_outcomes',
  doc: 'one row a passage: rules drafted, nothing to draft, all refused, or no usable reply',
  key: ['passage_id'],
  row: {
    passage_id: col.text(),
    source_id: col.text(),
    /** `rules`, `nothing`, `refused`, `failed`. */
    outcome: col.text(),
    rules_n: col.int(),
    /** Rules of the reply that a check refused. */
    refused_n: col.int(),
    /** Why nothing was drafted: the model's reason for `nothing`, the kind of failure for `failed`. */
    reason: col.text().nullable(),
    /** Key of the recorded answer. */
    answer: col.text(),
    served_model: col.text().nullable(),
  },
});

export const passagePlaces = table({
  name: 'passage_places',
  doc: 'one place of prose that a rule quotes: a cell of a PDF table with page and box in PDF points, or a label section',
  key: ['ref'],
  row: {
    /** The place as spans name it. */
    ref: col.text(),
    source_id: col.text(),
    document_id: col.text(),
    file: col.text(),
    /** SHA-256 of the file. */
    sha256: col.text(),
    /** Headings above it: caption and banner of a table, headings of a section. */
    heading: col.text(),
    /** LOINC code and title of a label section; null for cells. */
    section_code: col.text().nullable(),
    section_title: col.text().nullable(),
    /** 1-based table of the document, 0-based row and column of the cell's first place; null for sections. */
    table_n: col.int().nullable(),
    table_row: col.int().nullable(),
    table_col: col.int().nullable(),
    /** Page and box of the first printed part. Origin bottom left, y up; null for sections. */
    page: col.int().nullable(),
    x0: col.double().nullable(),
    y0: col.double().nullable(),
    x1: col.double().nullable(),
    y1: col.double().nullable(),
    /** JSON array of `{page, x0, y0, x1, y1}`: the parts on following pages. */
    further_parts: col.text(),
    /** Every glyph, line by line. */
    printed_text: col.text(),
    /** What quotes stand in: the printed text without note marks and dot leaders. */
    text: col.text(),
  },
});
