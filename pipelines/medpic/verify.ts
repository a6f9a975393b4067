/** `verify`: recomputes a release from its own facts and rules, and the rules from the tables of the sources. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { checkTables, type Verification } from '../engine/verify-release.js';
import { type Content, verifyFolder } from '../verify-folder.js';
import { releaseDocuments } from './documents.js';
import { type OpenRelease, openRelease, readItems } from './open.js';
import { checkEdges } from './verify/edges.js';
import { checkFacts } from './verify/facts.js';
import { checkKeys, checkLeaks, checkRows } from './verify/items.js';
import { checkPairs } from './verify/pairs.js';
import { checkStatistics, uncountable } from './verify/report.js';
import { checkDrafts, checkRules } from './verify/rules.js';

/** Runs every check; problems do not stop the others, but tables that cannot be read do. */
export const verifyRelease = (context: CommandContext, dir: string): Promise<Verification> =>
  verifyFolder(dir, context.signal, {
    documents: releaseDocuments,
    content: (manifest) => checkContent(context, dir, manifest),
  });

/** What is not done again for rules of a model. */
function proseHints({ pdfDir, labelsDir }: CommandContext, release: OpenRelease): string[] {
  const drafted = [...release.rules.values()].filter((r) => r.author === 'model').length;
  if (drafted === 0) return [];
  const files = pdfDir || labelsDir ? [] : ['the documents were not given, so their hashes were not checked'];
  const words = `${drafted} rules were drafted by a model: their quotes were found, they were not drafted again`;
  return [words, ...files];
}

async function checkContent(
  context: CommandContext,
  dir: string,
  manifest: ReleaseManifest,
): Promise<Content> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-verify`);
  const release = await openRelease(dir, manifest, spill, context.signal);
  try {
    const items = await readItems(release);
    const drafts = await checkDrafts(context, release);
    const keys = checkKeys(release, items);
    const checks = [
      await checkTables(dir, manifest, release.session),
      ...(await checkRules(context, release)),
      ...('not_done' in drafts ? [] : [drafts]),
      ...keys.checks,
      ...checkPairs(items),
      ...checkRows(items),
      checkFacts(release, items),
      checkLeaks(items),
      await checkEdges(release),
      await checkStatistics(release).catch((error: unknown) => {
        if (context.signal.aborted) throw error;
        return uncountable(error);
      }),
    ];
    const hints = [
      `${keys.neutral_n} options rest on the list of neutral drugs: checked, not proved`,
      ...('not_done' in drafts ? [drafts.not_done] : []),
      ...proseHints(context, release),
    ];
    return { checks, hints };
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
}
