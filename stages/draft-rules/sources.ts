/** The sources and their parsers. A new one is a table, a parser and a line here. */
import { beersRows, kidsRows, labelRows, tgaRows } from '../../schemas/guideline.js';
import type { Table } from '../../schemas/table.js';
import type { Draft } from './draft.js';
import type { Lexicon } from './lexicon.js';
import { parseBeers } from './parser/beers.js';
import type { BeersRow } from './parser/beers-row.js';
import { type KidsRow, parseKids } from './parser/kids.js';
import type { LabelRow } from './parser/label-row.js';
import { parseLabel } from './parser/labels.js';
import { parseTga, type TgaRow } from './parser/tga.js';

/** What every row has besides the columns of its source. */
export interface SourceRow {
  readonly row_id: string;
  readonly source_file: string;
  readonly source_line: number;
  readonly document_id: string;
  readonly is_current: boolean;
  readonly is_usable: boolean;
  readonly [column: string]: string | number | boolean | null;
}

export interface Source {
  readonly table: Table;
  /** Column with the printed name of the row. */
  readonly label: string;
  readonly parse: (row: SourceRow, lexicon: Lexicon) => Draft;
}

export const SOURCES: readonly Source[] = [
  {
    table: beersRows,
    label: 'drug_or_class_label',
    parse: (row, lexicon) => parseBeers(row as unknown as BeersRow, lexicon),
  },
  {
    table: kidsRows,
    label: 'drug_or_class_label',
    parse: (row, lexicon) => parseKids(row as unknown as KidsRow, lexicon),
  },
  {
    table: tgaRows,
    label: 'medicine_as_listed',
    parse: (row, lexicon) => parseTga(row as unknown as TgaRow, lexicon),
  },
  {
    table: labelRows,
    label: 'drug_label',
    parse: (row, lexicon) => parseLabel(row as unknown as LabelRow, lexicon),
  },
];

/** Tables of rows that the stage reads. */
export const ROW_TABLES = {
  beers_rows: beersRows,
  kids_rows: kidsRows,
  tga_rows: tgaRows,
  label_rows: labelRows,
};
