/** Tables that the engine itself writes beside the outputs of every stage. */
import { col, table } from './table.js';

export const rejects = table({
  name: 'rejects',
  doc: 'rows that were refused, with the reason',
  key: 'all',
  row: {
    table: col.text(),
    where: col.text(),
    key: col.text(),
    reason: col.text(),
    field: col.text(),
    got: col.text(),
    expected: col.text(),
  },
});

export const edges = table({
  name: 'edges',
  doc: 'provenance: child was derived from parent by a stage',
  key: ['child', 'relation', 'parent', 'stage'],
  row: {
    child: col.text(),
    relation: col.text(),
    parent: col.text(),
    stage: col.text(),
    stage_version: col.int(),
  },
});
