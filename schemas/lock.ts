/** raw/lock.json: every file from outside that is known by its hash, where it comes from, and how far it may travel. */
import { z } from 'zod';

export const LOCK_FILE = 'raw/lock.json';

/** Groups of people that a source speaks about; the first four are the populations of neutral-drugs.csv. */
export const POPULATIONS = ['older_adult', 'pregnant', 'child', 'adult_renal_impairment', 'adult'] as const;
export type Population = (typeof POPULATIONS)[number];

/** How much of a document a file holds. What a partial file leaves out is unknown, never safe. */
export const Coverage = z.strictObject({
  extent: z.enum(['complete', 'partial']),
  /** Patients that the document speaks about; empty for vocabularies. */
  populations: z.array(z.enum(POPULATIONS)),
  /** What is there, in words. */
  covers: z.string().min(1),
});
export type Coverage = z.infer<typeof Coverage>;

export const LockEntry = z.strictObject({
  /** Path in the project (`raw/...`), or path inside the extract that the edition names, or below the mount folder. */
  path: z.string().regex(/^[\w.-]+(\/[\w.-]+)*$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Null where the publisher gives only the hash. */
  bytes: z.int().min(0).nullable(),
  source: z.string().min(1),
  licence: z.string().min(1),
  access_class: z.enum(['open', 'restricted', 'credentialed']),
  /** Release the file belongs to, for example `MIMIC-IV demo 2.2`. */
  edition: z.string().min(1),
  /** The edition that replaced this one; null or left out for a current one. Superseded files serve edition tests only. */
  superseded_by: z.string().min(1).nullable().optional(),
  coverage: Coverage.optional(),
  /** The file lies outside the project, below the mount folder; where it is absent it is skipped, and that is said. */
  is_mounted: z.literal(true).optional(),
});
export type LockEntry = z.infer<typeof LockEntry>;

/** Reads raw/lock.json; an entry that does not fit is an error. */
export function parseLock(text: string): LockEntry[] {
  return z.array(LockEntry).parse(JSON.parse(text));
}
