/** The models of a build: what each stage is given, and what of it enters the stage's key. */
import { join } from 'node:path';
import type { AccessClass, StageSpec } from '../../stages/contract.js';
import { existsSync, hashFile } from './adapters/files.js';
import type { LlmMode } from './adapters/llm.js';
import { ANSWERS_FILE, FAILURES_FILE } from './adapters/llm-store.js';
import type { ResolvedConfig } from './config.js';
import { CallConfig, modelIdentity, purposesOf, setupsOf } from './models.js';
import type { StageModels } from './run-stage.js';
import type { Source } from './sources.js';

/** Where answers of models come from. */
export interface LlmInputs {
  readonly mode: LlmMode;
  /** Folder of the answers that this build folder has collected. */
  readonly storeDir: string;
  /** Recorded answers that belong to the inputs of the build. */
  readonly recorded?: Source;
}

/** What `runStage` needs for a stage that asks models with its config; undefined for the others. */
export function stageModels(
  stage: StageSpec,
  config: ResolvedConfig,
  llm: LlmInputs | undefined,
): StageModels | undefined {
  const purposes = purposesOf(stage, config.stages[stage.name]);
  if (purposes.length === 0) return undefined;
  if (!llm) throw new Error(`stage ${stage.name} declares models, but the session says nothing about them`);
  return {
    setups: setupsOf(stage.name, purposes, config.models),
    calls: config.models?.calls ?? CallConfig.parse({}),
    mode: llm.mode,
    storeDir: llm.storeDir,
    recorded: (llm.recorded?.files ?? []).map((f) => f.location),
  };
}

/**
 * The part of a cache key that speaks of models. A replay also depends on the answers it may find, so on the bytes of the
 * store; a live run depends on the recorded ones alone, since it writes the store itself.
 */
export async function modelPart(models: StageModels, access: AccessClass): Promise<object> {
  const own = [ANSWERS_FILE, FAILURES_FILE].map((f) => join(models.storeDir, access, f)).filter(existsSync);
  const files = [...models.recorded, ...(models.mode === 'replay' ? own : [])];
  const answers = await Promise.all(files.map(hashFile));
  return { ...modelIdentity(models.setups), ...(answers.length > 0 ? { answers } : {}) };
}
