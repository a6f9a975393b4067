import type { z } from 'zod';
import type { beersRows } from '../../../schemas/guideline.js';

/** One row of beers_rows. */
export type BeersRow = z.infer<(typeof beersRows)['row']>;

/** The source in phrases.csv. */
export const BEERS = 'beers2023';
