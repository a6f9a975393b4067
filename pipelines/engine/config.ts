/** Config of every stage: defaults, then the profile, then a file. All errors are reported together. */
import type { z } from 'zod';
import type { StageSpec } from '../../stages/contract.js';
import { nearest } from '../../stages/lib/nearest.js';
import { readFileSync } from './adapters/files.js';
import { UsageError } from './errors.js';
import { ModelsConfig, purposesOf } from './models.js';
import type { ConfigValues, Pipeline } from './pipeline.js';

export interface ResolvedConfig {
  readonly profile: string;
  /** The whole config of every stage of the pipeline, defaults filled in. */
  readonly stages: Readonly<Record<string, unknown>>;
  /** Section `models`, for pipelines with a stage that asks one; null when it is not given. */
  readonly models: ModelsConfig | null;
}

/** Merges and validates; throws one UsageError that lists every problem. */
export function resolveConfig(
  pipeline: Pipeline,
  profile: string,
  overrides: ConfigValues = {},
): ResolvedConfig {
  const chosen = Object.hasOwn(pipeline.profiles, profile) ? pipeline.profiles[profile] : undefined;
  if (!chosen) {
    const names = Object.keys(pipeline.profiles);
    const near = nearest(profile, names);
    throw new UsageError({
      message: `unknown profile`,
      got: profile,
      expected: names.join(', '),
      ...(near ? { next: `did you mean ${near}?` } : {}),
    });
  }
  const problems: string[] = [];
  const asks = pipeline.steps.some((s) => s.stage.models?.length);
  const names = [...pipeline.steps.map((s) => s.stage.name), ...(asks ? [MODELS] : [])];
  for (const [section, values] of Object.entries(overrides)) {
    if (!isSection(values))
      problems.push(`${section}: got ${JSON.stringify(values)}; expected an object of settings`);
  }
  const given = Object.fromEntries(Object.entries(overrides).filter(([, values]) => isSection(values)));
  for (const section of Object.keys({ ...chosen, ...overrides })) {
    if (!names.includes(section)) problems.push(unknownKey(section, '', names));
  }
  const stages: Record<string, unknown> = {};
  for (const { stage } of pipeline.steps) {
    const parsed = stage.config.safeParse({ ...chosen[stage.name], ...given[stage.name] });
    if (parsed.success) stages[stage.name] = parsed.data;
    else
      problems.push(
        ...parsed.error.issues.flatMap((issue) => wordIssue(issue, stage.name, stage.config, overrides)),
      );
  }
  const is_asked = pipeline.steps.some(({ stage }) => mayAsk(stage, stages[stage.name]));
  if (asks && !is_asked && given[MODELS])
    problems.push(
      `${MODELS}: no stage asks a model with this config, so its settings and options do nothing`,
    );
  const models = is_asked ? resolveModels(chosen[MODELS], given[MODELS], problems) : null;
  if (problems.length > 0) {
    throw new UsageError({
      message: `the config has ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}\n${problems.map((p) => `  - ${p}`).join('\n')}`,
      next: `benchwright config ${pipeline.name} shows every key with its default`,
    });
  }
  return { profile, stages, models };
}

/** The section that belongs to no stage. */
const MODELS = 'models';

/** Whether a stage asks models; where its config is wrong, whether it ever does. */
const mayAsk = (stage: StageSpec, config: unknown): boolean =>
  config === undefined ? stage.models !== undefined : purposesOf(stage, config).length > 0;

function resolveModels(chosen: Section, given: Section, problems: string[]): ModelsConfig | null {
  if (!chosen && !given) return null;
  const parsed = ModelsConfig.safeParse(mergeModels(chosen, given));
  if (parsed.success) return parsed.data;
  problems.push(
    ...parsed.error.issues.map((i) => `${[MODELS, ...i.path.map(String)].join('.')}: ${i.message}`),
  );
  return null;
}

/** Providers, models, calls and limits of the stronger section are added to those of the weaker, by name. */
function mergeModels(weaker: Section, stronger: Section): Section {
  const merged = Object.keys(ModelsConfig.shape).flatMap((key) => {
    const parts = [weaker?.[key], stronger?.[key]].filter((part) => part !== undefined);
    const is_mergeable = parts.every(isSection);
    return parts.length === 0 ? [] : [[key, is_mergeable ? Object.assign({}, ...parts) : parts.at(-1)]];
  });
  return { ...weaker, ...stronger, ...Object.fromEntries(merged) };
}

/** Adds to the values of a file what single options say of models: weaker than the file, but for the limits. */
export function withModels(
  values: ConfigValues,
  models: Section,
  limits: Readonly<Record<string, unknown>> = {},
): ConfigValues {
  const file = values[MODELS];
  if (file !== undefined && !isSection(file)) return values;
  const budget = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
  const is_limited = Object.keys(budget).length > 0;
  const given = models || file ? mergeModels(models, file) : undefined;
  const section = is_limited ? mergeModels(given, { budget }) : given;
  return section ? { ...values, [MODELS]: section } : values;
}

type Section = Readonly<Record<string, unknown>> | undefined;

const isSection = (values: unknown): boolean =>
  typeof values === 'object' && values !== null && !Array.isArray(values);

function wordIssue(issue: z.core.$ZodIssue, stage: string, schema: z.ZodType, given: ConfigValues): string[] {
  const path = [stage, ...issue.path.map(String)];
  if (issue.code === 'unrecognized_keys') {
    const shape = issue.path.length === 0 ? (schema as unknown as { shape?: object }).shape : undefined;
    return issue.keys.map((key) => unknownKey(key, `${path.join('.')}.`, Object.keys(shape ?? {})));
  }
  let value: unknown = given;
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return [
    `${path.join('.')}: got ${value === undefined ? 'the profile value' : JSON.stringify(value)}; ${issue.message}`,
  ];
}

function unknownKey(key: string, prefix: string, valid: readonly string[]): string {
  const near = nearest(key, valid);
  return `${prefix}${key}: unknown key${near ? `; did you mean ${prefix}${near}?` : ''}`;
}

/** Reads a config file: an object of stage names, each with the fields to change. */
export function readConfigFile(path: string): ConfigValues {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError({ message: 'the config file cannot be read', file: path, next: 'check CONFIG=' });
  }
  try {
    const value = JSON.parse(text) as ConfigValues;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
    return value;
  } catch (error) {
    throw new UsageError({
      message: `the config file is not a JSON object: ${(error as Error).message}`,
      file: path,
      expected: '{"mine-pairs": {"top_m": 5}}',
    });
  }
}
