/** Rows of the AGS Beers Criteria. */
import type { z } from 'zod';
import type { beersRows } from '../../../schemas/guideline.js';
import type { Draft } from '../draft.js';
import type { Lexicon } from '../lexicon.js';
import { drafted, refuse } from '../refuse.js';

export type BeersRow = z.infer<(typeof beersRows)['row']>;

/** Rules of one row. */
export function parseBeers(row: BeersRow, lexicon: Lexicon): Draft {
  return drafted(() => {
    lexicon.read('beers2023', 'criterion_text', row.criterion_text);
    return refuse('no_decision', 'recommendation', row.recommendation, 'a rule');
  });
}
