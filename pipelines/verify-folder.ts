/** `verify` of releases whose tables hold JSON: files first, then what a benchmark checks of their content. */
import { ZodError } from 'zod';
import type { ReleaseManifest } from '../schemas/release.js';
import { Interrupted } from './engine/errors.js';
import {
  type CheckResult,
  checkDocuments,
  checkFiles,
  readManifest,
  summarise,
  UNREADABLE,
  type Verification,
} from './engine/verify-release.js';

/** What the content of a release gave. */
export interface Content {
  readonly checks: readonly CheckResult[];
  /** Sentences on what was not looked at. */
  readonly hints?: readonly string[];
}

/** Runs every check; problems do not stop the others, but tables that cannot be read do. */
export async function verifyFolder(
  dir: string,
  signal: AbortSignal,
  of: {
    readonly documents: (manifest: ReleaseManifest) => Readonly<Record<string, string>>;
    readonly content: (manifest: ReleaseManifest) => Promise<Content>;
  },
): Promise<Verification> {
  const manifest = readManifest(dir);
  const files = [await checkFiles(dir, manifest), checkDocuments(dir, manifest, of.documents)];
  try {
    const { checks, hints = [] } = await of.content(manifest);
    return summarise(manifest.version, [...files, ...checks], hints);
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    if (files.some((f) => f.problems.length > 0)) return summarise(manifest.version, [...files, UNREADABLE]);
    if (!(error instanceof ZodError || error instanceof SyntaxError)) throw error;
    // Files with fitting hashes, but a value in them that no release has.
    const problems = [`a value does not fit its column: ${error.message.replace(/\s+/g, ' ').slice(0, 200)}`];
    return summarise(manifest.version, [...files, { ...UNREADABLE, problems }]);
  }
}
