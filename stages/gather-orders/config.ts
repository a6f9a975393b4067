/** Options of gather-orders. */
import { z } from 'zod';

export const GatherOrdersConfig = z.strictObject({
  reentry_minutes: z
    .int()
    .min(0)
    .default(60)
    .describe('an order written more minutes after its start than this is one that was entered again (P88)'),
  active_hours: z
    .int()
    .min(0)
    .default(24)
    .describe('the same drug, dose and route active within so many hours before is continued, not new'),
  withdrawn_minutes: z
    .int()
    .min(0)
    .default(30)
    .describe('an order discontinued within so many minutes and never given is withdrawn (P57)'),
});

export type GatherOrdersConfig = z.infer<typeof GatherOrdersConfig>;
