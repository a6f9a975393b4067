/** The items of a release: one per stay drawn for BA, two per mined pair. */
import type { Task } from '../../schemas/supmimic.js';
import type { ItemIds } from '../lib/item-ids.js';

export interface Pair {
  readonly dx_code: string;
  readonly task: string;
  readonly split: string;
  readonly pair_rank: number;
  readonly stay_i: number;
  readonly stay_j: number;
  readonly distance: number;
}

export interface Draw {
  readonly dx_code: string;
  readonly split: string;
  readonly stay_id: number;
  readonly label: number;
}

export interface Item {
  readonly item_id: string;
  readonly task: Task;
  readonly dx_code: string;
  readonly stay_id: number;
  readonly split: string;
  readonly label: number;
  /** `single` for BA, else which stay of the pair this is. */
  readonly role: 'single' | 'i' | 'j';
  readonly pair_id: string | null;
  readonly pair_rank: number | null;
  readonly distance: number | null;
}

/** BA items, in the order of the draws. */
export function baselineItems(draws: readonly Draw[], ids: ItemIds): Item[] {
  return draws.map((d) => ({
    ...d,
    item_id: ids.item('ba', d.dx_code, d.stay_id, null),
    task: 'ba',
    role: 'single',
    pair_id: null,
    pair_rank: null,
    distance: null,
  }));
}

/** DDT and DCT items. In DDT stay_i has the diagnosis and stay_j has not; in DCT both have it. */
export function pairItems(pairs: readonly Pair[], ids: ItemIds): Item[] {
  return pairs.flatMap((p) => {
    if (p.task !== 'ddt' && p.task !== 'dct') throw new Error(`unknown task ${p.task} in pairs`);
    const { task, dx_code, split, pair_rank, distance } = p;
    const pair_id = ids.pair(task, dx_code, [p.stay_i, p.stay_j]);
    const side = (role: 'i' | 'j', stay_id: number): Item => ({
      item_id: ids.item(task, dx_code, stay_id, pair_id),
      task,
      dx_code,
      stay_id,
      split,
      label: role === 'j' && task === 'ddt' ? 0 : 1,
      role,
      pair_id,
      pair_rank,
      distance,
    });
    return [side('i', p.stay_i), side('j', p.stay_j)];
  });
}
