/** Tables about the synthetic extract. */
import { col, table } from './table.js';

export const synthFaults = table({
  name: 'synth_faults',
  doc: 'how many units of each fault of dirty_rows.csv the synthetic extract carries',
  key: ['dirty_id'],
  row: {
    dirty_id: col.text(),
    table: col.text(),
    planted_n: col.int(),
  },
});
