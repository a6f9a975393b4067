/** `verify`: recomputes a release from its own cohort, and with the extract at hand from the rows of MIMIC-IV. */
import { join } from 'node:path';
import type { CommandContext, Printable } from '../benchmark.js';
import { rm } from '../engine/adapters/files.js';
import { type CheckResult, checkFiles, checkTables } from '../engine/verify-release.js';
import { hasRows } from './recompute.js';
import { checkImputation, checkLabels, checkRanges, checkSplits, checkSweep } from './verify/cohort.js';
import { checkExtract } from './verify/extract.js';
import { checkAnswers, checkEdges, checkQuestions } from './verify/items.js';
import { checkMining } from './verify/mining.js';
import { openRelease } from './verify/open.js';

export interface Verification extends Printable {
  readonly is_valid: boolean;
  readonly checks: readonly CheckResult[];
}

/** Runs every check; problems do not stop the others. */
export async function verifyRelease(context: CommandContext, dir: string): Promise<Verification> {
  const spill = join(context.buildDir, 'cache', '.staging', `${process.pid}-verify`);
  const release = await openRelease(dir, spill, context.signal);
  const checks: CheckResult[] = [];
  try {
    checks.push(await checkFiles(dir, release.manifest));
    checks.push(await checkTables(dir, release.manifest, release.session));
    checks.push(await checkImputation(release));
    checks.push(await checkLabels(release));
    checks.push(await checkSplits(release));
    checks.push(await checkRanges(release));
    checks.push(await checkSweep(release));
    checks.push(
      ...(await checkMining(release, (done, total) =>
        context.progress.update('verify', done, total, 'diagnoses'),
      )),
    );
    checks.push(await checkAnswers(release));
    checks.push(...(await checkQuestions(release)));
    checks.push(await checkEdges(release));
  } finally {
    release.session.close();
    await rm(spill, { recursive: true, force: true });
  }
  const { manifest } = release;
  const with_rows = hasRows(context, manifest);
  if (with_rows) checks.push(...(await checkExtract(context, dir, manifest)));
  return summarise(manifest.version, checks, with_rows);
}

function summarise(version: string, checks: readonly CheckResult[], with_extract: boolean): Verification {
  const is_valid = checks.every((c) => c.problems.length === 0);
  const lines = checks.flatMap((c) => [
    `${c.problems.length === 0 ? '✔' : '✖'} ${c.name} (${c.checked_n.toLocaleString('en-US')})`,
    ...c.problems.map((p) => `    ${p}`),
  ]);
  const hint = with_extract
    ? []
    : ['features and labels were not recomputed from MIMIC-IV rows: give MIMIC_IV_DIR= for that'];
  const verdict = is_valid ? `release ${version} is what it says` : `release ${version} FAILED verification`;
  return { is_valid, checks, words: [...lines, ...hint, verdict].join('\n') };
}
