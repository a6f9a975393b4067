/** One command over one pipeline: sources, config, cache and log put together. */
import { join } from 'node:path';
import type { KernelEngine } from './adapters/kernels.js';
import type { LlmMode } from './adapters/llm.js';
import type { RunLog } from './adapters/runs.js';
import { openRun } from './adapters/runs.js';
import { type BudgetConfig, checkPrices } from './budget.js';
import { type Cache, openCache, type StoredEntry } from './cache.js';
import { readConfigFile, resolveConfig, withModels } from './config.js';
import { BenchwrightError, Interrupted } from './errors.js';
import { execute } from './execute.js';
import { purposesOf, setupsOf } from './models.js';
import { type ConfigValues, type Pipeline, type Step, stepsFor } from './pipeline.js';
import { type BuildInputs, type PlannedStep, planAll } from './plan.js';
import type { Progress } from './progress.js';
import type { Source } from './sources.js';

export interface SessionOptions {
  readonly pipeline: Pipeline;
  readonly sources: Readonly<Record<string, Source>>;
  readonly profile: string;
  readonly configFile?: string;
  /** Values from single options (MIMIC_VERSION=), stronger than the file. */
  readonly overrides?: ConfigValues;
  readonly seed: number;
  readonly buildDir: string;
  /** Section `models` from single options; a config file's own is stronger, name by name. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** Limits from single options, stronger than the file. */
  readonly budget?: { readonly [K in keyof BudgetConfig]?: number | undefined };
  /** Last stage to run; all stages when left out. */
  readonly until?: string;
  /** Whether models may be asked; default `replay`, which answers from records alone. */
  readonly llm?: LlmMode;
  /** Recorded answers that belong to the inputs. */
  readonly recorded?: Source;
}

export interface Session extends BuildInputs {
  readonly cache: Cache;
  readonly buildDir: string;
}

/** Checks config and opens the cache. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const file = options.configFile ? readConfigFile(options.configFile) : {};
  const given = withModels(merge(file, options.overrides ?? {}), options.models, options.budget);
  const config = resolveConfig(options.pipeline, options.profile, given);
  const steps: readonly Step[] = options.until
    ? stepsFor(options.pipeline, options.until)
    : options.pipeline.steps;
  const { sources, seed, buildDir } = options;
  // A purpose without a model is told before any stage runs.
  const setups = steps.flatMap(({ stage }) =>
    setupsOf(stage.name, purposesOf(stage, config.stages[stage.name]), config.models),
  );
  if (options.llm === 'live' && config.models) checkPrices(config.models.budget, setups);
  const llm = {
    mode: options.llm ?? 'replay',
    storeDir: join(buildDir, 'answers'),
    ...(options.recorded ? { recorded: options.recorded } : {}),
  };
  return { steps, sources, config, seed, buildDir, llm, cache: await openCache(buildDir) };
}

/** What would run, and why. */
export function plan(session: Session): Promise<PlannedStep[]> {
  return planAll(session, session.cache);
}

export interface RunOptions {
  readonly workers: number;
  readonly engine: KernelEngine;
  readonly memoryLimit: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly command: object;
}

/** Runs the session's stages, then `after` with their results, all inside one run log. */
export async function run<T>(
  session: Session,
  options: RunOptions,
  after: (entries: ReadonlyMap<string, StoredEntry>, log: RunLog) => Promise<T>,
): Promise<T> {
  const { workers, engine, memoryLimit } = options;
  const log = await openRun(session.buildDir, {
    ...options.command,
    profile: session.config.profile,
    seed: session.seed,
    config: session.config.stages,
    models: session.config.models,
    workers,
    engine,
    memory_limit: memoryLimit,
  });
  try {
    const entries = await execute({ ...session, ...options, log });
    const result = await after(entries, log);
    await log.close({ outcome: 'done' });
    return result;
  } catch (cause) {
    const error = options.signal.aborted ? new Interrupted() : cause;
    await log.close({ outcome: (error as Error).name, ...wordOutcome(error) });
    throw error;
  }
}

/** The first line of an error that we worded; the words of any other may quote a row, so only its name is kept. */
const wordOutcome = (error: unknown): object =>
  error instanceof BenchwrightError ? { message: error.message.split('\n')[0] } : {};

/** Path of a table in a stored result. */
export function tablePath(entries: ReadonlyMap<string, StoredEntry>, stage: string, name: string): string {
  const entry = entries.get(stage);
  const output = entry?.result.outputs[name];
  if (!entry || !output) throw new Error(`no result ${stage}.${name}`);
  return join(entry.dir, output.path);
}

function merge(a: ConfigValues, b: ConfigValues): ConfigValues {
  const stronger = Object.entries(b).map(([name, values]) => [name, { ...a[name], ...values }]);
  return { ...a, ...Object.fromEntries(stronger) };
}
