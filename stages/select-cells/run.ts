/** Each body row of a table becomes a passage whose parts are its cells. */
import { passages } from '../../schemas/passage.js';
import type { SqlRow, StageContext } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { contentId } from '../lib/hash.js';
import type { Config } from './config.js';

interface RowOfTable {
  readonly document_id: string;
  readonly table_n: number;
  readonly row: number;
  readonly is_header: boolean;
  readonly is_banner: boolean;
  readonly banner: string | null;
  readonly caption: string | null;
}

interface Cell {
  readonly document_id: string;
  readonly table_n: number;
  readonly row: number;
  readonly col: number;
  readonly anchor_row: number;
  readonly anchor_col: number;
  readonly is_header: boolean;
  readonly text: string;
}

/** A cell as spans name it: table, row and column of its first place. */
export const cellRef = (cell: Omit<Cell, 'row' | 'col' | 'is_header' | 'text'>): string =>
  `pdf:${cell.document_id}#t${cell.table_n}r${cell.anchor_row}c${cell.anchor_col}`;

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const rows = await ctx.sql.rows<RowOfTable>(
    `select r.document_id, r.table_n, r."row", r.is_header, r.is_banner, r.banner, t.caption
     from guideline_rows r join guideline_tables t using (document_id, table_n) order by all`,
  );
  const earlier = await ctx.sql.rows('select * from earlier_passages');
  const cells = await cellsByRow(ctx);
  const out: SqlRow[] = [...earlier];
  for (const row of rows) {
    const own = oncePerCell(cells.get(keyOf(row)) ?? []);
    const drop = row.is_header ? 'header' : row.is_banner ? 'banner' : own.length < 2 ? 'one_cell' : null;
    if (drop) ctx.drop('rows_in', drop, 1);
    else out.push(passageOf(row, own, headsOf(row, own, cells), config));
  }
  ctx.records('rows_in', rows.length + earlier.length);
  await ctx.sql.insert('passages', passages, out);
}

const keyOf = (r: { readonly document_id: string; readonly table_n: number; readonly row: number }): string =>
  `${r.document_id} ${r.table_n} ${r.row}`;

/** A merged cell stands at every place that it covers: its first place in the row is enough. */
const oncePerCell = (cells: readonly Cell[]): Cell[] =>
  [...new Map([...cells].reverse().map((c) => [cellRef(c), c])).values()].reverse();

/** Filled cells of every row, by column. */
async function cellsByRow(ctx: StageContext): Promise<Map<string, Cell[]>> {
  const all = await ctx.sql.rows<Cell>(
    `select document_id, table_n, "row", col, anchor_row, anchor_col, is_header, text from guideline_cells
     where trim(text) <> '' order by all`,
  );
  const byRow = new Map<string, Cell[]>();
  for (const cell of all) {
    const row = byRow.get(keyOf(cell)) ?? [];
    row.push(cell);
    byRow.set(keyOf(cell), row);
  }
  return byRow;
}

/** For each cell, the heads that stand above its column, from the top down. */
function headsOf(
  row: RowOfTable,
  own: readonly Cell[],
  cells: ReadonlyMap<string, Cell[]>,
): (string | null)[] {
  const heads: Cell[] = [];
  for (let r = 0; r < row.row; r++)
    heads.push(...(cells.get(keyOf({ ...row, row: r })) ?? []).filter((c) => c.is_header));
  return own.map((cell) => {
    const above = heads.filter((h) => h.col === cell.col).map((h) => h.text);
    return above.length > 0 ? [...new Set(above)].join(' > ') : null;
  });
}

function passageOf(
  row: RowOfTable,
  own: readonly Cell[],
  heads: readonly (string | null)[],
  config: Config,
): SqlRow {
  const { document_id, table_n, caption, banner } = row;
  const { source_id } = config;
  const parts = own.map((cell, i) => ({ ref: cellRef(cell), name: heads[i]!, text: cell.text }));
  return {
    passage_id: `P-${contentId('passage', source_id, document_id, canonicalJson(parts))}`,
    source_id,
    document_id,
    ref: parts[0]!.ref,
    heading: [caption ?? `table ${table_n}`, banner].filter(Boolean).join(' > '),
    generic_names: '[]',
    brand_names: '[]',
    parts: canonicalJson(parts),
  };
}
