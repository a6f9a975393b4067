/** `verify`: finds every cited fact again, proves every distractor again, and makes every question again from the released record. */
import { join } from 'node:path';
import { ZodError } from 'zod';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { Interrupted } from '../engine/errors.js';
import {
  type CheckResult,
  checkDocuments,
  checkFiles,
  checkTables,
  readManifest,
  summarise,
  UNREADABLE,
  type Verification,
} from '../engine/verify-release.js';
import { releaseDocuments } from './documents.js';
import { openRelease } from './open.js';
import { checkChains, checkDistractors, checkProfile } from './verify/grounding.js';
import { checkProofs } from './verify/proofs.js';
import { checkLeaks, checkQuestions, checkSplits } from './verify/questions.js';

/** Runs every check; problems do not stop the others, but tables that cannot be read do. */
export async function verifyRelease(context: CommandContext, dir: string): Promise<Verification> {
  const manifest = readManifest(dir);
  const files = [await checkFiles(dir, manifest), checkDocuments(dir, manifest, releaseDocuments)];
  try {
    return summarise(manifest.version, [...files, ...(await checkContent(context, dir, manifest))]);
  } catch (error) {
    if (context.signal.aborted) throw new Interrupted();
    if (files.some((f) => f.problems.length > 0)) return summarise(manifest.version, [...files, UNREADABLE]);
    if (!(error instanceof ZodError || error instanceof SyntaxError)) throw error;
    const problems = [`a value does not fit its column: ${error.message.replace(/\s+/g, ' ').slice(0, 200)}`];
    return summarise(manifest.version, [...files, { ...UNREADABLE, problems }]);
  }
}

async function checkContent(
  context: CommandContext,
  dir: string,
  manifest: ReleaseManifest,
): Promise<CheckResult[]> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-verify`);
  const release = await openRelease(dir, manifest, spill, context.signal);
  try {
    return [
      await checkTables(dir, manifest, release.session),
      await checkSplits(release),
      await checkProfile(release),
      ...(await checkChains(release)),
      ...(await checkDistractors(release)),
      ...(await checkProofs(release)),
      await checkQuestions(release),
      await checkLeaks(release),
    ];
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}
