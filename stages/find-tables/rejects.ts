/** Words of refused rows. */
import type { Reject } from '../contract.js';
import type { RowReject } from '../lib/pdf/table-builder.js';

const EXPECTED: Readonly<Record<RowReject['reason'], string>> = {
  first_cell_empty_at_page_top:
    'a first cell, text that plainly goes on from the page before, or a merged first cell',
  unmapped_glyph: 'glyphs whose characters the font names; a dropped letter could change a name',
};

/** A refused row with its page and place. */
export function rejectRow(file: string, r: RowReject): Reject {
  return {
    table: 'printed_rows',
    where: `${file}, page ${r.page}`,
    key: `row ${r.row} at ${r.box.map((v) => Math.round(v)).join(' ')}`,
    reason: r.reason,
    field: 'row',
    got: r.printed,
    expected: EXPECTED[r.reason],
  };
}
