/** `verify`: recomputes a release from its own cohort, and with the extract at hand from the rows of MIMIC-IV. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { Interrupted } from '../engine/errors.js';
import { watchStage } from '../engine/stage-watch.js';
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
import { hasRows } from '../recompute.js';
import { releaseDocuments } from './documents.js';
import { checkImputation, checkLabels, checkRanges, checkSplits, checkSweep } from './verify/cohort.js';
import { checkExtract } from './verify/extract.js';
import { checkAnswers, checkEdges, checkQuestions } from './verify/items.js';
import { checkMining } from './verify/mining.js';
import { openRelease } from './verify/open.js';

const WITHOUT_ROWS =
  'features and labels were not recomputed from MIMIC-IV rows: give MIMIC_IV_DIR= for that';

/** Runs every check; problems do not stop the others, but tables that cannot be read do. */
export async function verifyRelease(context: CommandContext, dir: string): Promise<Verification> {
  const manifest = readManifest(dir);
  const files = [await checkFiles(dir, manifest), checkDocuments(dir, manifest, releaseDocuments)];
  const with_rows = hasRows(context, manifest);
  let content: CheckResult[];
  try {
    content = await checkContent(context, dir, manifest);
  } catch (error) {
    if (context.signal.aborted) throw new Interrupted();
    if (files.every((f) => f.problems.length === 0)) throw error;
    return summarise(manifest.version, [...files, UNREADABLE]);
  }
  const rows = with_rows ? await checkExtract(context, dir, manifest) : [];
  return summarise(manifest.version, [...files, ...content, ...rows], with_rows ? [] : [WITHOUT_ROWS]);
}

/** Everything that is recomputed from the release itself. */
async function checkContent(
  context: CommandContext,
  dir: string,
  manifest: ReleaseManifest,
): Promise<CheckResult[]> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-verify`);
  const release = await openRelease(dir, manifest, spill, context.signal);
  const watch = watchStage((state) => context.progress.update('verify', state));
  const onDone = (done: number, total: number): void => watch.progress(done, total, 'diagnoses');
  try {
    return [
      await checkTables(dir, manifest, release.session),
      await checkImputation(release),
      await checkLabels(release),
      await checkSplits(release),
      await checkRanges(release),
      await checkSweep(release),
      ...(await checkMining(release, onDone)),
      await checkAnswers(release),
      ...(await checkQuestions(release)),
      await checkEdges(release),
    ];
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}
