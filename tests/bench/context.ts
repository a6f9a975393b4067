/** The part of a stage's context that the heavy loops use: workers and kernels, as the pipeline provides them. */
import { setMaxListeners } from 'node:events';
import { createKernels, type KernelEngine } from '../../pipelines/engine/adapters/kernels.js';
import { createWorkers, type WorkerPool } from '../../pipelines/engine/adapters/workers.js';
import type { StageContext, StageSpec } from '../../stages/contract.js';

export interface Setting {
  readonly engine: KernelEngine;
  readonly workers: number;
}

export interface BenchContext {
  readonly ctx: StageContext;
  readonly pool: WorkerPool;
}

/** Workers and kernels of a stage. What else a context has would throw when touched: these loops read no tables. */
export function benchContext(stage: StageSpec, { engine, workers }: Setting): BenchContext {
  const { signal } = new AbortController();
  // Every task in flight listens for an interruption.
  setMaxListeners(0, signal);
  const pool = createWorkers(workers, stage.workers ?? [], signal);
  const kernel = createKernels(engine, stage.kernels ?? [], (message) => {
    // A product label says "wasm"; its figures must not come from the other form.
    throw new Error(message);
  });
  const ctx = { workers: pool, kernel, progress: () => undefined, count: () => undefined };
  return { ctx: ctx as unknown as StageContext, pool };
}

/** The settings that a stage can run: without a declared kernel, "wasm" would only be another name for "js". */
export const possible = (stage: StageSpec, settings: readonly Setting[]): Setting[] =>
  settings.filter((s) => s.engine === 'js' || (stage.kernels ?? []).length > 0);

/** `wasm, 2 workers`. */
export const settingLabel = ({ engine, workers }: Setting): string =>
  `${engine}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
