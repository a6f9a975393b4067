/** Walks the plan: takes what is fresh, runs what is not, publishes each result before the next stage starts. */
import { join } from 'node:path';
import type { FolderFile, StageSpec } from '../../stages/contract.js';
import { now } from './adapters/clock.js';
import { hashFile } from './adapters/files.js';
import type { KernelEngine } from './adapters/kernels.js';
import { createLimits, type RunLimits } from './adapters/llm-limits.js';
import type { RunLog } from './adapters/runs.js';
import type { Cache, StoredEntry } from './cache.js';
import { DataError, Interrupted } from './errors.js';
import { stageModels } from './model-inputs.js';
import type { OutputFile } from './outputs.js';
import type { Step } from './pipeline.js';
import { type BuildInputs, fingerprints, type PlannedStep, planStep } from './plan.js';
import type { Progress, StageEvent } from './progress.js';
import { type BoundInput, runStage } from './run-stage.js';
import { watchStage } from './stage-watch.js';
import { sumTallies, type Tallies } from './tally.js';

export interface ExecuteOptions extends BuildInputs {
  readonly cache: Cache;
  readonly workers: number;
  readonly engine: KernelEngine;
  readonly memoryLimit: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly log: RunLog;
}

/** Runs the steps in order; returns the entry of every stage. A failure leaves finished stages in the cache. */
export async function execute(options: ExecuteOptions): Promise<Map<string, StoredEntry>> {
  const { steps, progress } = options;
  const code = fingerprints(steps);
  const done = new Map<string, StoredEntry>();
  progress.begin(steps.map((s) => ({ name: s.stage.name, summary: s.stage.summary })));
  const limits = createLimits(options.config.models?.budget);
  let failed = true;
  try {
    for (const step of steps) {
      if (options.signal.aborted) throw new Interrupted();
      const planned = await planStep(
        options,
        step,
        code.get(step.stage.name)!,
        done,
        options.cache,
        progress.note,
      );
      done.set(
        step.stage.name,
        planned.entry ? reuse(options, planned.entry) : await build({ ...options, limits }, planned, done),
      );
    }
    failed = false;
    return done;
  } finally {
    await progress.end(failed);
  }
}

function reuse(options: ExecuteOptions, entry: StoredEntry): StoredEntry {
  report(options, { entry, status: 'cached', seconds: 0, asked: {} });
  return entry;
}

async function build(
  options: ExecuteOptions & { readonly limits: RunLimits },
  planned: PlannedStep,
  done: ReadonlyMap<string, StoredEntry>,
): Promise<StoredEntry> {
  const { cache, progress, log } = options;
  const { step, parts, key, outdated } = planned;
  const { stage } = step;
  if (!parts || !key) throw new Error(`stage ${stage.name} cannot run: ${planned.why.join(', ')}`);
  progress.start(stage.name, planned.why);
  const started = now();
  const watch = watchStage((state) => progress.update(stage.name, state));
  const dir = await cache.stage(stage.name);
  try {
    const inputs = bind(options, step, done);
    const models = stageModels(stage, options.config, options.llm);
    const result = await runStage({
      stage,
      inputs,
      config: options.config.stages[stage.name],
      access: parts.access,
      seed: options.seed,
      workers: options.workers,
      engine: options.engine,
      memoryLimit: options.memoryLimit,
      dir,
      signal: options.signal,
      ...(models ? { models: { ...models, limits: options.limits } } : {}),
      onTally: watch.tally,
      onReject: watch.reject,
      onProgress: watch.progress,
      onLog: (message) => log.line({ stage: stage.name, message }),
      onNote: (message) => {
        progress.note(`${stage.name}: ${message}`);
        log.line({ stage: stage.name, message });
      },
    });
    await checkInputs(stage, inputs);
    if (outdated) await cache.discard(outdated.dir);
    const entry = await cache.publish(dir, { key, parts, access: parts.access, result });
    report(options, { entry, status: 'built', seconds: (now() - started) / 1000, asked: watch.tallies });
    return entry;
  } catch (error) {
    await cache.discard(dir);
    throw error;
  } finally {
    if (Object.keys(watch.tallies).length > 0) log.line({ stage: stage.name, models: watch.tallies });
  }
}

function bind(
  options: ExecuteOptions,
  step: Step,
  done: ReadonlyMap<string, StoredEntry>,
): Record<string, BoundInput> {
  const bound: Record<string, BoundInput> = {};
  for (const [name, ref] of Object.entries(step.inputs)) {
    if (ref.from === 'source') {
      const { files, sha256 } = options.sources[ref.source]!;
      bound[name] = { kind: 'folder', files, sha256 };
      continue;
    }
    const entry = done.get(ref.stage)!;
    const output = entry.result.outputs[ref.output]!;
    const path = join(entry.dir, output.path);
    bound[name] =
      output.kind === 'folder'
        ? { kind: 'folder', files: folderFiles(entry, ref.output), sha256: output.sha256 }
        : { kind: 'table', path, sha256: output.sha256 };
  }
  return bound;
}

/** The files of a folder output, with the hashes that its manifest holds. */
export function folderFiles(entry: StoredEntry, name: string): readonly FolderFile[] {
  const output = entry.result.outputs[name]!;
  return (output.files ?? []).map((f) => ({ ...f, location: join(entry.dir, output.path, f.path) }));
}

/** Inputs were hashed before the run; a change since then makes the result worthless. */
async function checkInputs(stage: StageSpec, inputs: Record<string, BoundInput>): Promise<void> {
  for (const [name, input] of Object.entries(inputs)) {
    const files = input.kind === 'table' ? [{ location: input.path, sha256: input.sha256 }] : input.files;
    for (const file of files) {
      const found = await hashFile(file.location);
      if (found === file.sha256) continue;
      throw new DataError({
        message: `an input of stage ${stage.name} changed while it was read`,
        file: file.location,
        field: name,
        got: found,
        expected: file.sha256,
        next: 'run the same command again once nothing else writes to it',
      });
    }
  }
}

interface Reported {
  readonly entry: StoredEntry;
  readonly status: StageEvent['status'];
  readonly seconds: number;
  readonly asked: Tallies;
}

function report(options: ExecuteOptions, { entry, status, seconds, asked }: Reported): void {
  const { outputs, rejected } = entry.result;
  const written = Object.entries(outputs).filter(([name]) => name !== 'rejects' && name !== 'edges');
  const sum = (count: (o: OutputFile) => number): number => written.reduce((n, [, o]) => n + count(o), 0);
  const rows = sum((o) => o.rows ?? 0);
  const files = sum((o) => (o.kind === 'table' ? 0 : (o.files?.length ?? 1)));
  const lost = Object.values(rejected).flatMap((r) => Object.values(r));
  const rejected_n = lost.reduce((a, b) => a + b, 0);
  const purposes = Object.values(asked);
  const models = purposes.length > 0 ? { models: sumTallies(purposes) } : {};
  const event = { stage: entry.parts.stage, status, seconds, rows, files, rejected: rejected_n, ...models };
  options.progress.finish(event);
  options.log.line({ ...event, key: entry.key });
}
