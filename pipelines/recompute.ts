/** The stages of a release once more, with the release's own seed and config, up to a given stage. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../schemas/release.js';
import type { CommandContext } from './benchmark.js';
import { rm, writeAtomic } from './engine/adapters/files.js';
import type { StoredEntry } from './engine/cache.js';
import { UsageError } from './engine/errors.js';
import { run, type Session } from './engine/session.js';

/** Opens the pipeline of a benchmark up to a stage. */
type Open = (context: CommandContext, until?: string) => Promise<Session>;

/** True when the rows that a release was built from can be had: synthetic rows are made again, others are named. */
export function hasRows(context: CommandContext, manifest: ReleaseManifest): boolean {
  return manifest.kind === 'synthetic' || context.mimicDirs !== undefined;
}

/** Runs (or finds in the cache) the stages up to `until`; the extract must be the one of the release. */
export async function recompute(
  open: Open,
  context: CommandContext,
  manifest: ReleaseManifest,
  until: string,
): Promise<ReadonlyMap<string, StoredEntry>> {
  const configFile = join(context.buildDir, 'cache', '.staging', `${process.pid}-release-config.json`);
  await writeAtomic(
    configFile,
    JSON.stringify(Object.fromEntries(manifest.stages.map((s) => [s.name, s.config]))),
  );
  try {
    const { profile, seed } = manifest;
    const mimicDirs = manifest.kind === 'synthetic' ? undefined : context.mimicDirs;
    const session = await open({ ...context, mimicDirs, configFile, profile, seed }, until);
    for (const file of session.sources.mimic?.files ?? []) checkSource(manifest, file);
    const command = { command: 'recompute', version: manifest.version, until };
    return await run(session, { ...context, command }, (entries) => Promise.resolve(entries));
  } finally {
    await rm(configFile, { force: true });
  }
}

/** Another extract would give other numbers, and nobody would know why. */
function checkSource(
  manifest: ReleaseManifest,
  file: { readonly path: string; readonly sha256: string },
): void {
  const table = file.path.replace(/\.csv(\.gz)?$/, '').replace('/', '.');
  const recorded = manifest.sources.find((s) => s.table === table);
  if (!recorded || recorded.sha256 === file.sha256) return;
  throw new UsageError({
    message: 'the extract is not the one of this release',
    file: file.path,
    got: file.sha256,
    expected: recorded.sha256,
    next: 'name the folders of the extract that the release was built from',
  });
}
