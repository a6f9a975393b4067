/** Options of load-orders. */
import { z } from 'zod';
import { LOAD_LIMITS } from '../lib/load/limits.js';

export const LoadOrdersConfig = z.strictObject({ ...LOAD_LIMITS });

export type LoadOrdersConfig = z.infer<typeof LoadOrdersConfig>;
