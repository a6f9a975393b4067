import { z } from 'zod';
import { Coverage, LockEntry } from '../../schemas/lock.js';

/** What the lock says of the files; the pipeline fills it in. */
export const config = z.strictObject({
  documents: z
    .record(
      z.string().regex(/^[0-9a-f]{64}$/),
      LockEntry.pick({ edition: true, licence: true, access_class: true }).extend({ coverage: Coverage }),
    )
    .default({})
    .describe('SHA-256 of a file -> edition, licence, access class and coverage of its lock entry'),
});

export type Config = z.infer<typeof config>;
