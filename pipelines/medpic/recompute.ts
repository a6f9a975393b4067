/** The stages of a release once more, with the release's own seed and config. */
import { join } from 'node:path';
import type { ReleaseManifest } from '../../schemas/release.js';
import type { CommandContext } from '../benchmark.js';
import { rm, writeAtomic } from '../engine/adapters/files.js';
import type { Session } from '../engine/session.js';
import { openMedpic } from './benchmark.js';
import { medpicPipeline } from './pipeline.js';

/** Rules of a model rest on its recorded answers; the stages that need none are run again. */
const tablesOnly = ({
  pdfDir: _p,
  labelsDir: _l,
  models: _o,
  llmMode: _m,
  answersDir: _a,
  ...context
}: CommandContext): CommandContext => context;

/** Opens the stages up to `until` as the manifest records them, and hands the session to `use`. */
export async function withReleaseSession<T>(
  context: CommandContext,
  manifest: ReleaseManifest,
  until: string,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const configFile = join(context.buildDir, 'cache', '.staging', `${process.pid}-medpic-config.json`);
  const known = new Set(medpicPipeline({}).steps.map((s) => s.stage.name));
  const stages = manifest.stages.filter((s) => known.has(s.name));
  await writeAtomic(configFile, JSON.stringify(Object.fromEntries(stages.map((s) => [s.name, s.config]))));
  try {
    const { profile, seed } = manifest;
    return await use(await openMedpic({ ...tablesOnly(context), configFile, profile, seed }, until));
  } finally {
    await rm(configFile, { force: true });
  }
}
