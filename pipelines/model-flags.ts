/** Options that name a model and limit what is spent on it. */
import { type Command, Option } from 'commander';
import type { ModelOptions } from './benchmark.js';
import { dollars, folder, notEmpty, prices, wholeNumber } from './cli-values.js';

/** What commander makes of them. */
export interface ModelFlags {
  readonly llmBaseUrl?: string;
  readonly llmId?: string;
  readonly llmModel?: string;
  readonly llmClass?: NonNullable<ModelOptions['class']>;
  readonly llmAttestedBy?: string;
  readonly llmAttestedAt?: string;
  readonly llmKeyEnv?: string;
  readonly llmPrice?: NonNullable<ModelOptions['price']>;
  readonly maxCalls?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
}

/** Adds the options to a command. */
export function modelFlags(command: Command): Command {
  return command
    .option(
      '--llm-base-url <url>',
      'server of the model, any that speaks the OpenAI API; with it models are asked unless --llm replay',
      notEmpty('LLM_BASE_URL', 'http://127.0.0.1:8000/v1'),
    )
    .option(
      '--llm-id <name>',
      'name of the server in keys, so that its answers stay valid at another address',
      notEmpty('LLM_ID', 'our-server'),
    )
    .option(
      '--llm-model <name>',
      'name of the model as its server knows it',
      notEmpty('LLM_MODEL', 'my-model'),
    )
    .addOption(
      new Option('--llm-class <class>', 'who gets to see the prompts; default remote').choices([
        'local',
        'attested',
        'remote',
      ]),
    )
    .option('--llm-attested-by <who>', 'class attested: who answers for the server')
    .option('--llm-attested-at <day>', 'class attested: since when, as 2026-01-31')
    .option('--llm-key-env <name>', 'environment variable that holds the key of the server')
    .option('--llm-price <in,out>', 'US dollars for a million tokens of prompt and of reply', prices)
    .addOption(
      new Option('--llm <mode>', 'ask models, or take recorded answers alone').choices(['live', 'replay']),
    )
    .option(
      '--answers-dir <dir>',
      'recorded answers of models, the folder answers of a build folder',
      folder('ANSWERS_DIR'),
    )
    .option('--max-calls <n>', 'calls that this run may make to models', wholeNumber(1))
    .option('--max-tokens <n>', 'tokens, prompts and replies, that this run may spend', wholeNumber(1))
    .option('--max-cost <usd>', 'US dollars that this run may spend', dollars);
}

/** The options that were given; undefined when none was. */
export function modelOptions(flags: ModelFlags): ModelOptions | undefined {
  const all = {
    base_url: flags.llmBaseUrl,
    id: flags.llmId,
    model: flags.llmModel,
    class: flags.llmClass,
    attested_by: flags.llmAttestedBy,
    attested_at: flags.llmAttestedAt,
    api_key_env: flags.llmKeyEnv,
    price: flags.llmPrice,
    max_calls: flags.maxCalls,
    max_tokens: flags.maxTokens,
    max_cost_usd: flags.maxCost,
  };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return given.length > 0 ? (Object.fromEntries(given) as ModelOptions) : undefined;
}
