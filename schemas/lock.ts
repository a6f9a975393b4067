/** raw/lock.json: every file from outside that is known by its hash, where it comes from, and how far it may travel. */
import { z } from 'zod';

export const LOCK_FILE = 'raw/lock.json';

export const LockEntry = z.strictObject({
  /** Path in the project (`raw/...`), or path inside the extract that the edition names. */
  path: z.string().regex(/^[\w.-]+(\/[\w.-]+)*$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Null where the publisher gives only the hash. */
  bytes: z.int().min(0).nullable(),
  source: z.string().min(1),
  licence: z.string().min(1),
  access_class: z.enum(['open', 'restricted', 'credentialed']),
  /** Release the file belongs to, for example `MIMIC-IV demo 2.2`. */
  edition: z.string().min(1),
});
export type LockEntry = z.infer<typeof LockEntry>;

/** Reads raw/lock.json; an entry that does not fit is an error. */
export function parseLock(text: string): LockEntry[] {
  return z.array(LockEntry).parse(JSON.parse(text));
}
