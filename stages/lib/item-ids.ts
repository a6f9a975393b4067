/**
 * Ids of items and pairs. They are hashes over what is asked about whom, never over an answer: the label, the role in
 * the pair, the distance and the rank are not in the hash, and the two stays of a pair enter the pair id in the order
 * of their pseudonyms. So neither an id nor the order of ids says anything about a label.
 */
import { contentId, pseudonym, sha256 } from './hash.js';

export interface ItemIds {
  /** Pseudonym of a patient, the same in all configs of a release. */
  patient(subject_id: number): string;
  pair(task: string, dx_code: string, stays: readonly [number, number]): string;
  item(task: string, dx_code: string, stay_id: number, pair_id: string | null): string;
}

/**
 * Ids under a seed and a word. The key only keeps raw ids out of prompts and files: who holds the extract and this
 * code can compute every pseudonym.
 */
export function itemIds(seed: number, label: string): ItemIds {
  const key = sha256(['supmimic-pseudonym', seed, label].join('\u001f'));
  const stay = (id: number): string => pseudonym(key, `stay:${id}`);
  return {
    patient: (subject_id) => pseudonym(key, `patient:${subject_id}`),
    pair: (task, dx_code, stays) => contentId('supmimic-pair', task, dx_code, ...stays.map(stay).sort()),
    item: (task, dx_code, stay_id, pair_id) =>
      contentId('supmimic-item', task, dx_code, stay(stay_id), pair_id ?? ''),
  };
}
