/** Writes a synthetic MIMIC-IV extract to a folder that a person names. */
import { join } from 'node:path';
import type { StageSpec } from '../../stages/contract.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import type { Printable } from '../benchmark.js';
import { existsSync, fileError, listFiles, mkdir, rename, rm } from '../engine/adapters/files.js';
import { UsageError } from '../engine/errors.js';
import type { Progress } from '../engine/progress.js';
import { runStage } from '../engine/run-stage.js';
import { watchStage } from '../engine/stage-watch.js';

/** Runs the generator and moves its folders `extract` and `truth` to `out`. */
export async function writeSyntheticExtract(
  out: string,
  config: object,
  seed: number,
  signal: AbortSignal,
  progress: Progress,
): Promise<Printable & { readonly extract: string }> {
  if (existsSync(out) && listFiles(out).length > 0) {
    throw new UsageError({
      message: 'the folder is not empty',
      file: out,
      next: 'name a new folder with --out',
    });
  }
  const stage = synthMimic as StageSpec;
  const staging = `${out}.staging-${process.pid}`;
  progress.begin([{ name: stage.name, summary: stage.summary }]);
  let failed = true;
  try {
    await mkdir(staging, { recursive: true });
    const result = await runStage({
      stage,
      inputs: {},
      config: stage.config.parse(config),
      access: 'open',
      seed,
      workers: 1,
      memoryLimit: '1GB',
      dir: staging,
      signal,
      onProgress: watchStage((state) => progress.update(stage.name, state)).progress,
    });
    await mkdir(out, { recursive: true });
    for (const name of ['extract', 'truth']) await rename(join(staging, name), join(out, name));
    const { files, bytes } = result.outputs.extract!;
    failed = false;
    const words = `${join(out, 'extract')}  ${files!.length} files, ${(bytes / 1e6).toFixed(1)} MB\n${join(out, 'truth')}  the ledger of injected faults`;
    return { extract: join(out, 'extract'), words };
  } catch (error) {
    throw fileError(error, out);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await progress.end(failed);
  }
}
