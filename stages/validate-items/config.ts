import { z } from 'zod';

/** Two people a criterion, a third for a disagreement: the method, not a setting. */
export const config = z.strictObject({});
export type Config = z.infer<typeof config>;
