import { passages } from '../../schemas/passage.js';
import { guidelineCells, guidelineRows, guidelineTables } from '../../schemas/pdf.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';

export const selectCells = defineStage<Config>({
  name: 'select-cells',
  version: 1,
  summary: 'rows of tables in guideline PDFs that rules may be drafted from',
  inputs: {
    guideline_tables: guidelineTables,
    guideline_rows: guidelineRows,
    guideline_cells: guidelineCells,
    /** Passages of other sources; they come out again. */
    earlier_passages: passages,
  },
  optional: ['earlier_passages'],
  outputs: { passages },
  config,
  conserve: [{ input: 'rows_in', output: 'passages', drops: ['header', 'banner', 'one_cell'] }],
  run,
});
