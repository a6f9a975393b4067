/** `verify`: finds every cited fact again, proves every distractor again, and makes every question again from the released record. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { checkTables, type Verification } from '../engine/verify-release.js';
import { type Content, verifyFolder } from '../verify-folder.js';
import { releaseDocuments } from './documents.js';
import { openRelease } from './open.js';
import { checkChains, checkDistractors, checkProfile } from './verify/grounding.js';
import { checkProofs } from './verify/proofs.js';
import { checkLeaks, checkQuestions, checkSplits } from './verify/questions.js';

/** Runs every check; problems do not stop the others, but tables that cannot be read do. */
export const verifyRelease = (context: CommandContext, dir: string): Promise<Verification> =>
  verifyFolder(dir, context.signal, {
    documents: releaseDocuments,
    content: (manifest) => checkContent(context, dir, manifest),
  });

async function checkContent(
  context: CommandContext,
  dir: string,
  manifest: ReleaseManifest,
): Promise<Content> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-verify`);
  const release = await openRelease(dir, manifest, spill, context.signal);
  try {
    const checks = [
      await checkTables(dir, manifest, release.session),
      await checkSplits(release),
      await checkProfile(release),
      ...(await checkChains(release)),
      ...(await checkDistractors(release)),
      ...(await checkProofs(release)),
      await checkQuestions(release),
      await checkLeaks(release),
    ];
    return { checks };
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}
