/** The stages of a release once more, with the release's own seed and config. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm, writeAtomic } from '../engine/adapters/files.js';
import type { Session } from '../engine/session.js';
import { openMedpic } from './benchmark.js';

/** Opens the stages up to `until` as the manifest records them, and hands the session to `use`. */
export async function withReleaseSession<T>(
  context: CommandContext,
  manifest: ReleaseManifest,
  until: string,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const configFile = join(context.buildDir, 'cache', '.staging', `${process.pid}-medpic-config.json`);
  await writeAtomic(
    configFile,
    JSON.stringify(Object.fromEntries(manifest.stages.map((s) => [s.name, s.config]))),
  );
  try {
    const { profile, seed } = manifest;
    return await use(await openMedpic({ ...context, configFile, profile, seed }, until));
  } finally {
    await rm(configFile, { force: true });
  }
}
