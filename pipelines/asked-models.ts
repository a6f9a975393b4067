/** How the models of a benchmark are asked, from the options of a command. */
import type { CommandContext, ModelOptions } from './benchmark.js';
import { UsageError } from './engine/errors.js';
import { recordedAnswers } from './engine/folder-sources.js';
import type { SessionOptions } from './engine/session.js';

/** Name of the provider that options describe. */
const PROVIDER = 'command-line';

/** Options that make sense only beside a server. */
const OF_SERVER = ['id', 'model', 'class', 'attested_by', 'attested_at', 'api_key_env', 'price'] as const;

const FLAGS: Readonly<Record<keyof ModelOptions, string>> = {
  base_url: '--llm-base-url',
  id: '--llm-id',
  model: '--llm-model',
  class: '--llm-class',
  attested_by: '--llm-attested-by',
  attested_at: '--llm-attested-at',
  api_key_env: '--llm-key-env',
  price: '--llm-price',
  max_calls: '--max-calls',
  max_tokens: '--max-tokens',
  max_cost_usd: '--max-cost',
};

/** Whether any option speaks of models. */
export const speaksOfModels = (context: CommandContext): boolean =>
  [context.models, context.llmMode, context.answersDir].some((given) => given !== undefined);

/** Whether the options name a model that may serve every purpose. */
export const namesModel = (context: CommandContext): boolean => context.models?.base_url !== undefined;

/**
 * The part of `openSession`'s options that concerns models: the model of the options for each purpose that the config
 * file gives no other, what may be spent, and whether models are asked or recorded answers must do. Options that
 * contradict each other, or that no stage has a use for, are a UsageError.
 */
export async function askedModels(
  context: CommandContext,
  purposes: readonly string[],
): Promise<Pick<SessionOptions, 'llm' | 'recorded' | 'models' | 'budget'>> {
  const { models = {}, llmMode, answersDir } = context;
  if (purposes.length === 0 && speaksOfModels(context))
    throw new UsageError({
      message: 'nothing here asks a model',
      got: givenFlags(context).join(', '),
      next: 'leave the option out',
    });
  const { max_calls, max_tokens, max_cost_usd } = models;
  return {
    llm: llmMode ?? (namesModel(context) ? 'live' : 'replay'),
    ...(namesModel(context) ? { models: section(models, purposes) } : refuseOrphans(models)),
    budget: { max_calls, max_tokens, max_cost_usd },
    ...(answersDir ? { recorded: await recordedAnswers(answersDir) } : {}),
  };
}

/** The options in the form of the section `models` of a config file. */
function section(options: ModelOptions, purposes: readonly string[]): NonNullable<SessionOptions['models']> {
  const { base_url, id, model, api_key_env, price, attested_by, attested_at } = options;
  if (model === undefined)
    throw new UsageError({
      message: 'a model server is named, but no model',
      got: `--llm-base-url ${base_url}`,
      expected: '--llm-model beside it',
      next: 'name the model as the server knows it (LLM_MODEL= with make)',
    });
  const chosen = options.class ?? 'remote';
  checkAttestation(options, chosen);
  const attestation = chosen === 'attested' ? { attested_by, attested_at } : {};
  const named = id === undefined ? {} : { id };
  const provider = { class: chosen, base_url, ...named, api_key_env: api_key_env ?? null, ...attestation };
  const served = { provider: PROVIDER, model, ...(price ? { price } : {}) };
  return {
    providers: { [PROVIDER]: provider },
    models: Object.fromEntries(purposes.map((purpose) => [purpose, served])),
  };
}

function checkAttestation({ attested_by, attested_at }: ModelOptions, chosen: string): void {
  const has = [attested_by, attested_at].map((value) => value !== undefined);
  if (chosen === 'attested' ? has.every(Boolean) : !has.some(Boolean)) return;
  throw new UsageError({
    message:
      chosen === 'attested'
        ? 'a provider of class attested needs who attested it and when'
        : `an attestation is given for a provider of class ${chosen}`,
    expected: '--llm-class attested with --llm-attested-by and --llm-attested-at',
    next: 'record who answers for it that this provider may see such rows, or leave these options out',
  });
}

/** Without a server the config file names the model, and these options would do nothing. */
function refuseOrphans(options: ModelOptions): object {
  const orphans = OF_SERVER.filter((name) => options[name] !== undefined).map((name) => FLAGS[name]);
  if (orphans.length === 0) return {};
  throw new UsageError({
    message: 'options describe a model server that is not named',
    got: orphans.join(', '),
    expected: '--llm-base-url beside them',
    next: 'name the address of the server (LLM_BASE_URL= with make), or its settings in the config file',
  });
}

/** The options that speak of models, as they were given. */
export function givenFlags({ models = {}, llmMode, answersDir }: CommandContext): string[] {
  return [
    ...Object.keys(models).map((name) => FLAGS[name as keyof ModelOptions]),
    ...(llmMode === undefined ? [] : ['--llm']),
    ...(answersDir === undefined ? [] : ['--answers-dir']),
  ];
}
