/** Provenance edges of an item. */
import type { StageContext } from '../contract.js';
import type { Item } from './items.js';

/** A diagnoses_icd row that carries a label of a stay. */
export interface LabelRow {
  readonly stay_id: number;
  readonly dx_code: string;
  readonly hadm_id: number;
  readonly seq_num: number;
}

/**
 * item -> stay (`describes`), item -> the diagnoses_icd rows that carry the label (`labelled_by`, positives only),
 * item -> the K features that decided the pair or the ranking (`decided_by`), item -> pair (`member_of`) and
 * pair -> both stays (`compares`).
 */
export function citeItem(
  ctx: Pick<StageContext, 'cite'>,
  item: Item,
  f_k: readonly string[],
  label_rows: readonly LabelRow[],
): void {
  const child = `item:${item.item_id}`;
  const stay = `stay:${item.stay_id}`;
  ctx.cite({ child, relation: 'describes', parent: stay });
  if (item.label === 1) {
    for (const r of label_rows)
      ctx.cite({ child, relation: 'labelled_by', parent: `diagnoses_icd:${r.hadm_id}-${r.seq_num}` });
  }
  for (const id of f_k) ctx.cite({ child, relation: 'decided_by', parent: `feature:${id}` });
  if (item.pair_id === null) return;
  ctx.cite({ child, relation: 'member_of', parent: `pair:${item.pair_id}` });
  ctx.cite({ child: `pair:${item.pair_id}`, relation: 'compares', parent: stay });
}
