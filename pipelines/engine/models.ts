/** Which model serves which purpose: the config of providers and models, and what of it enters cache keys. */
import { z } from 'zod';
import type { StageSpec } from '../../stages/contract.js';
import { BudgetConfig, Price } from './budget.js';
import { UsageError } from './errors.js';

/** Raised when the same reply would be judged or asked for in another way. */
export const MODELS_VERSION = 1;

const NAME = /^[\w.:/@-]{1,200}$/;

const common = {
  id: z
    .string()
    .regex(NAME)
    .optional()
    .describe('who serves the model; enters every key in place of the address, which is used when left out'),
  base_url: z.url({ protocol: /^https?$/ }).describe('address of the API, ending in /v1 as a rule'),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .nullable()
    .default(null)
    .describe('environment variable that holds the key; null for a server that asks for none'),
  concurrency: z.int().min(1).max(256).default(4).describe('calls in flight'),
  tokens_per_minute: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('prompts and replies of all calls of a run; null where the server sets no limit'),
};

/** Who gets to see the prompts. `attested`: somebody answers for it that rows above `open` may go there. */
export const ProviderConfig = z.discriminatedUnion('class', [
  z.strictObject({ class: z.literal('local'), ...common }),
  z.strictObject({
    class: z.literal('attested'),
    attested_by: z.string().trim().min(1),
    attested_at: z.iso.date(),
    ...common,
  }),
  z.strictObject({ class: z.literal('remote'), ...common }),
]);
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** Fields of the request that the product itself decides. */
const OWN_FIELDS = [
  'model',
  'messages',
  'response_format',
  'temperature',
  'top_p',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stream',
  'stream_options',
  'tools',
  'functions',
] as const;

export const ModelConfig = z.strictObject({
  provider: z.string().min(1).describe('a name under providers'),
  model: z.string().regex(NAME).describe('model name as the server knows it'),
  temperature: z.number().min(0).max(2).nullable().default(0),
  top_p: z.number().gt(0).max(1).nullable().default(null),
  seed: z.int32().nullable().default(null).describe('sampling seed sent to the server'),
  max_tokens: z.int().min(1).default(4096).describe('limit of a reply'),
  truncated_max_tokens: z
    .int()
    .min(1)
    .default(16384)
    .describe('limit of the one further try after a reply that was cut'),
  limit_field: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
  extra: z
    .record(z.string(), z.json())
    .default({})
    .refine((extra) => !Object.keys(extra).some((k) => (OWN_FIELDS as readonly string[]).includes(k)), {
      message: `extra may not hold ${OWN_FIELDS.join(', ')}`,
    })
    .describe('further fields of the request, sent as they are'),
  price: Price.nullable().default(null).describe('needed when the budget limits the cost'),
  content_retries: z.int().min(0).max(5).default(1).describe('new tries after a reply that does not fit'),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const CallConfig = z.strictObject({
  // Node's fetch gives up on headers after 300 s whatever is asked for.
  timeout_seconds: z.number().gt(0).max(300).default(120).describe('for one attempt, body included'),
  retries: z.int().min(0).max(20).default(5).describe('new attempts after 429, 5xx, resets and timeouts'),
  retry_after_cap_seconds: z.number().min(0).max(3600).default(60),
  backoff_seconds: z.number().min(0).max(60).default(1).describe('first wait; doubles with every attempt'),
});
export type CallConfig = z.infer<typeof CallConfig>;

/** Section `models` of a pipeline's config. */
export const ModelsConfig = z
  .strictObject({
    providers: z.record(z.string(), ProviderConfig).default({}),
    models: z.record(z.string(), ModelConfig).default({}).describe('purpose to model'),
    calls: CallConfig.prefault({}),
    budget: BudgetConfig.prefault({}),
  })
  .superRefine((config, ctx) => {
    for (const [purpose, model] of Object.entries(config.models)) {
      if (!Object.hasOwn(config.providers, model.provider))
        ctx.addIssue({
          code: 'custom',
          path: ['models', purpose, 'provider'],
          message: `no provider ${model.provider}; expected ${Object.keys(config.providers).join(', ')}`,
        });
      if (model.truncated_max_tokens <= model.max_tokens)
        ctx.addIssue({
          code: 'custom',
          path: ['models', purpose, 'truncated_max_tokens'],
          message: `must be larger than max_tokens (${model.max_tokens})`,
        });
    }
  });
export type ModelsConfig = z.infer<typeof ModelsConfig>;

/** A model with the provider that serves it. */
export interface ModelSetup extends ModelConfig {
  readonly purpose: string;
  /** Name of the provider in the config. */
  readonly provider: string;
  readonly server: ProviderConfig;
}

/** The purposes that a stage asks models for when it runs with this config. */
export function purposesOf(stage: StageSpec, stageConfig: unknown): readonly string[] {
  const { models = [] } = stage;
  return typeof models === 'function' ? models(stageConfig) : models;
}

/** The setups of some purposes of a stage; a purpose without a model is a UsageError. */
export function setupsOf(
  stage: string,
  purposes: readonly string[],
  config: ModelsConfig | null,
): readonly ModelSetup[] {
  return purposes.map((purpose) => {
    const model = config && Object.hasOwn(config.models, purpose) ? config.models[purpose] : undefined;
    if (!config || !model) {
      throw new UsageError({
        message: `stage ${stage} needs a model`,
        field: `models.models.${purpose}`,
        got: 'nothing',
        expected: '{"provider": "...", "model": "..."}',
        next: 'name a model with --llm-base-url and --llm-model (LLM_BASE_URL= and LLM_MODEL= with make), or in the config file',
      });
    }
    return { ...model, purpose, server: config.providers[model.provider]! };
  });
}

/** Who answers, as far as keys are concerned. */
export const providerId = (server: ProviderConfig): string =>
  server.id ?? server.base_url.replace(/\/+$/, '');

/** What of the setups may change an answer: part of the cache key of a stage that uses them. */
export function modelIdentity(setups: readonly ModelSetup[]): object {
  return {
    version: MODELS_VERSION,
    models: setups.map(({ server, provider: _, price: _price, ...model }) => ({
      ...model,
      provider: providerId(server),
    })),
  };
}
