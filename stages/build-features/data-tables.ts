/** The CSV files of this stage as tables of the session. */
import { col, sqlColumns, type Table, table } from '../../schemas/table.js';
import type { SqlRow } from '../contract.js';
import { parseCsv } from '../lib/csv.js';
import { REGISTRY_FILE } from '../lib/registry.js';

/** A CSV file and the session table it becomes. */
export interface DataFile {
  readonly file: string;
  readonly schema: Table;
}

const HERE = 'stages/build-features/data';

/** Tables that the SQL of this stage joins; columns not named here stay in the CSV for the reader. */
export const DATA_FILES: readonly DataFile[] = [
  {
    file: `${HERE}/lab-items.csv`,
    schema: table({
      name: 'lab_item',
      doc: 'laboratory itemids that a feature reads, with inclusive plausible limits after conversion',
      key: ['itemid'],
      row: { itemid: col.int(), low: col.double().nullable(), high: col.double().nullable() },
    }),
  },
  {
    file: `${HERE}/lab-units.csv`,
    schema: table({
      name: 'lab_unit',
      doc: 'itemids whose unit decides the number; any other unit of these is refused',
      key: ['itemid', 'unit'],
      row: { itemid: col.int(), unit: col.text(), factor: col.double() },
    }),
  },
  {
    file: `${HERE}/lab-words.csv`,
    schema: table({
      name: 'lab_word',
      doc: 'results in words',
      key: ['itemid', 'word'],
      row: { itemid: col.int(), word: col.text(), num: col.double() },
    }),
  },
  {
    file: `${HERE}/pressor-items.csv`,
    schema: table({
      name: 'pressor_item',
      doc: 'vasoactive drugs with the largest plausible rate in registry units',
      key: ['itemid'],
      row: { itemid: col.int(), drug: col.text(), high: col.double() },
    }),
  },
  {
    file: `${HERE}/input-units.csv`,
    schema: table({
      name: 'input_unit',
      doc: 'units of amounts that can be added; rows in any other unit are refused',
      key: ['unit', 'amountuom'],
      row: { unit: col.text(), amountuom: col.text(), factor: col.double() },
    }),
  },
  {
    file: 'raw/mimic/comorbidity-codes.csv',
    schema: table({
      name: 'comorbidity_code',
      doc: 'ICD prefixes of the Charlson and Elixhauser groups',
      key: 'all',
      row: {
        system: col.text(),
        group: col.text(),
        icd_version: col.int(),
        prefix_from: col.text(),
        prefix_to: col.text(),
      },
    }),
  },
];

/** Every data file of the stage, the registry included. */
export const DATA_PATHS: readonly string[] = [REGISTRY_FILE, ...DATA_FILES.map((d) => d.file)];

/** Reads one of the files into rows of its schema; an empty field is null. */
export function dataRows(text: string, { file, schema }: DataFile): SqlRow[] {
  const columns = sqlColumns(schema);
  return parseCsv(text, file).map((record) => {
    const row: SqlRow = {};
    for (const { name, type } of columns) {
      const given = record[name];
      if (given === undefined) throw new Error(`${file}: column ${name} is missing`);
      row[name] = given === '' ? null : type === 'VARCHAR' ? given : Number(given);
    }
    return row;
  });
}
