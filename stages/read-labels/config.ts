import { z } from 'zod';

export const config = z.strictObject({});
export type Config = z.infer<typeof config>;
