/** The CSV files of the scores as tables of the session. */
import { col, table } from '../../../schemas/table.js';
import type { SqlRow } from '../../contract.js';
import { parseRegistry } from '../../lib/registry.js';
import { type DataFile, dataRows } from '../data-tables.js';

const HERE = 'stages/build-features/scores';

/** Point tables with one axis; a band ends where the next begins. */
const BAND_FILES = ['charlson', 'sofa', 'saps-ii', 'aps-iii', 'oasis', 'lods', 'sirs', 'qsofa', 'kdigo'].map(
  (name) => `${HERE}/points/${name}.csv`,
);

const bandColumns = {
  score: col.text(),
  part: col.text(),
  item: col.text(),
  low: col.double().nullable(),
  low_inclusive: col.int().nullable(),
  high: col.double().nullable(),
  high_inclusive: col.int().nullable(),
  points: col.int(),
  source: col.text(),
};

const scoreBand = table({
  name: 'score_band',
  doc: 'points of a value between low and high; an empty bound is open. The highest points of a part count',
  key: ['score', 'item', 'low'],
  row: bandColumns,
});

const scoreGrid = table({
  name: 'score_grid',
  doc: 'points of a cell of a two-way table: a band of the value and a band of the second value',
  key: 'all',
  row: {
    ...bandColumns,
    low_2: col.double().nullable(),
    low_2_inclusive: col.int().nullable(),
    high_2: col.double().nullable(),
    high_2_inclusive: col.int().nullable(),
  },
});

const scoreNormal = table({
  name: 'score_normal',
  doc: 'APS III: the value from which the distance of lowest and highest is taken',
  key: ['item'],
  row: { item: col.text(), normal: col.double(), source: col.text() },
});

const chronicCode = table({
  name: 'chronic_code',
  doc: 'ICD prefixes of the chronic diseases that SAPS II and APS III ask for',
  key: 'all',
  row: {
    group: col.text(),
    icd_version: col.int(),
    prefix_from: col.text(),
    prefix_to: col.text(),
    note: col.text(),
  },
});

const scoreOutput = table({
  name: 'score_output',
  doc: 'which part, total or formula fills which feature, and what a total is when nothing of it was measured',
  key: ['feature_id'],
  row: {
    feature_id: col.text(),
    score: col.text(),
    part: col.text(),
    unmeasured: col.double().nullable(),
  },
});

const scoreLimit = table({
  name: 'score_limit',
  doc: 'plausible limits of the registry',
  key: ['feature_id'],
  row: { feature_id: col.text(), low: col.double(), high: col.double() },
});

const SINGLE_FILES: readonly DataFile[] = [
  { file: `${HERE}/points/aps-iii-grids.csv`, schema: scoreGrid },
  { file: `${HERE}/points/aps-iii-normals.csv`, schema: scoreNormal },
  { file: `${HERE}/chronic-codes.csv`, schema: chronicCode },
  { file: `${HERE}/outputs.csv`, schema: scoreOutput },
];

/** Every data file of the scores; the registry is declared by the stage itself. */
export const SCORE_DATA_FILES: readonly string[] = [...BAND_FILES, ...SINGLE_FILES.map((d) => d.file)];

/** A table to insert: name, schema and rows. */
export interface ScoreTable {
  readonly schema: DataFile['schema'];
  readonly rows: readonly SqlRow[];
}

/** Reads all tables of the scores; `text` gives the content of a declared file. */
export function scoreTables(text: (file: string) => string, registry: string): ScoreTable[] {
  const limits = parseRegistry(registry).flatMap(
    ({ feature_id, plausible_low: low, plausible_high: high }) =>
      low === null || high === null ? [] : [{ feature_id, low, high }],
  );
  return [
    {
      schema: scoreBand,
      rows: BAND_FILES.flatMap((file) => dataRows(text(file), { file, schema: scoreBand })),
    },
    ...SINGLE_FILES.map((d) => ({ schema: d.schema, rows: dataRows(text(d.file), d) })),
    { schema: scoreLimit, rows: limits },
  ];
}
