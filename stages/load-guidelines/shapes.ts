/** The shapes of guideline tables: which files have them, which table they fill, how their cells become a row. */
import {
  beersClassRows,
  beersRows,
  classification,
  classWords,
  drugClasses,
  drugNames,
  kidsRows,
  labelRows,
  neutralDrugs,
  tgaRows,
} from '../../schemas/guideline.js';
import type { Table } from '../../schemas/table.js';

/** One source shape. */
export interface Shape {
  /** Name that counts its rows in and out. */
  readonly input: string;
  readonly table: Table;
  /** File names and, where a file lacks it, the value of its column `use`. */
  readonly files: Readonly<Record<string, { readonly use?: 'hold' }>>;
  /** Columns that hold a confidence; only rule sources have them. */
  readonly confidence?: readonly string[];
}

export const SHAPES: readonly Shape[] = [
  { input: 'beers_files', table: beersRows, files: { 'beers2023.csv': {} }, confidence: ['confidence'] },
  {
    input: 'kids_files',
    table: kidsRows,
    files: { 'kids2025.csv': {}, 'kids2020-superseded.csv': { use: 'hold' } },
    confidence: ['confidence'],
  },
  {
    input: 'tga_files',
    table: tgaRows,
    files: { 'tga-pregnancy.csv': {} },
    confidence: ['confidence_category', 'confidence_statement'],
  },
  {
    input: 'label_files',
    table: labelRows,
    files: { 'fda-labels.csv': {}, 'fda-labels-unchecked.csv': { use: 'hold' } },
    confidence: ['confidence'],
  },
  { input: 'beers_class_files', table: beersClassRows, files: { 'beers2023-classes.csv': {} } },
  { input: 'class_files', table: drugClasses, files: { 'classes.csv': {} } },
  { input: 'class_word_files', table: classWords, files: { 'class-words.csv': {} } },
  { input: 'drug_name_files', table: drugNames, files: { 'drug-names.csv': {} } },
  { input: 'neutral_files', table: neutralDrugs, files: { 'neutral-drugs.csv': {} } },
  { input: 'classification_files', table: classification, files: { 'classification.csv': {} } },
];

const FOLDER = 'raw/guidelines';

/** The files of the default build: current and checked ones, without the expected answers. */
export const GUIDELINE_FILES: readonly string[] = [
  'beers2023.csv',
  'beers2023-classes.csv',
  'class-words.csv',
  'classes.csv',
  'drug-names.csv',
  'fda-labels.csv',
  'kids2025.csv',
  'neutral-drugs.csv',
  'tga-pregnancy.csv',
].map((name) => `${FOLDER}/${name}`);

/** Files for tests of editions and of labels only. */
export const TEST_FILES: readonly string[] = [
  'classification.csv',
  'fda-labels-unchecked.csv',
  'kids2020-superseded.csv',
].map((name) => `${FOLDER}/${name}`);

/** Columns that the stage adds; a file must not have them. */
const ADDED = new Set([
  'confidence_lowest',
  'document_id',
  'is_current',
  'is_usable',
  'source_file',
  'source_sha256',
  'source_row',
  'source_line',
]);

/** The columns that a file of a shape must have. */
export function fileColumns(shape: Shape, name: string): string[] {
  const lacksUse = shape.files[name]?.use !== undefined;
  return Object.keys(shape.table.row.shape).filter((c) => !ADDED.has(c) && !(lacksUse && c === 'use'));
}
