/** What a build would do: which results are fresh, which are stale or missing, and why. */
import type { AccessClass } from '../../stages/contract.js';
import type { Cache, StoredEntry } from './cache.js';
import type { ResolvedConfig } from './config.js';
import {
  type CodeFingerprint,
  cacheKey,
  explainDifference,
  fingerprintCode,
  type KeyParts,
  keyParts,
} from './fingerprint.js';
import { type LlmInputs, modelPart, stageModels } from './model-inputs.js';
import type { Step } from './pipeline.js';
import { highest } from './policy.js';
import type { Source } from './sources.js';

export interface BuildInputs {
  readonly steps: readonly Step[];
  readonly sources: Readonly<Record<string, Source>>;
  readonly config: ResolvedConfig;
  readonly seed: number;
  /** How models are asked; needed when a step declares models. */
  readonly llm?: LlmInputs;
}

/** The state of one step. */
export interface PlannedStep {
  readonly step: Step;
  readonly status: 'fresh' | 'stale' | 'missing' | 'waiting';
  readonly why: readonly string[];
  readonly parts?: KeyParts;
  readonly key?: string;
  readonly entry?: StoredEntry;
  /** An entry of the same key that this run is to replace. */
  readonly outdated?: StoredEntry;
}

/** Code fingerprints, computed once per command. */
export function fingerprints(steps: readonly Step[]): Map<string, CodeFingerprint> {
  return new Map(steps.map((s) => [s.stage.name, fingerprintCode(s.stage)]));
}

/** Plans one step, given the entries of the steps before it. */
export async function planStep(
  inputs: BuildInputs,
  step: Step,
  code: CodeFingerprint,
  done: ReadonlyMap<string, StoredEntry>,
  cache: Cache,
  onDamage: (message: string) => void,
): Promise<PlannedStep> {
  const hashes: Record<string, string> = {};
  const classes: AccessClass[] = [];
  for (const [name, ref] of Object.entries(step.inputs)) {
    const entry = ref.from === 'stage' ? done.get(ref.stage) : undefined;
    const origin = ref.from === 'source' ? inputs.sources[ref.source] : entry;
    if (!origin)
      return { step, status: 'waiting', why: [`needs ${ref.from === 'stage' ? ref.stage : ref.source}`] };
    hashes[name] =
      ref.from === 'source' ? inputs.sources[ref.source]!.sha256 : entry!.result.outputs[ref.output]!.sha256;
    classes.push(origin.access);
  }
  const models = stageModels(step.stage, inputs.config, inputs.llm);
  if (models && inputs.llm?.recorded) classes.push(inputs.llm.recorded.access);
  const access = step.stage.access === 'open' ? 'open' : highest(classes);
  const parts = keyParts({
    stage: step.stage,
    code,
    config: inputs.config.stages[step.stage.name],
    seed: inputs.seed,
    access,
    inputs: hashes,
    ...(models ? { models: await modelPart(models, access) } : {}),
  });
  const key = cacheKey(parts);
  const entry = await cache.find(step.stage.name, key, onDamage);
  const failures = models?.mode === 'live' ? (entry?.result.model_failures ?? 0) : 0;
  if (entry && failures > 0) {
    const why = [`${failures} requests to models had no answer; they are asked again`];
    return { step, status: 'stale', why, parts, key, outdated: entry };
  }
  if (entry) return { step, status: 'fresh', why: [], parts, key, entry };
  const before = cache.newest(step.stage.name);
  if (!before) return { step, status: 'missing', why: ['never built'], parts, key };
  const why = explainDifference(before.parts, parts);
  return { step, status: 'stale', why: why.length > 0 ? why : ['result was removed'], parts, key };
}

/** Plans all steps without running any; steps after a stale one are `waiting`, because their inputs may stay equal. */
export async function planAll(inputs: BuildInputs, cache: Cache): Promise<PlannedStep[]> {
  const code = fingerprints(inputs.steps);
  const done = new Map<string, StoredEntry>();
  const plan: PlannedStep[] = [];
  for (const step of inputs.steps) {
    const planned = await planStep(inputs, step, code.get(step.stage.name)!, done, cache, () => undefined);
    if (planned.entry) done.set(step.stage.name, planned.entry);
    plan.push(planned);
  }
  return plan;
}
