/** The request as it goes over the wire, and its key. */
import { zodResponseFormat } from 'openai/helpers/zod';
import type { z } from 'zod';
import type { LlmMessage } from '../../../stages/contract.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import { sha256 } from '../../../stages/lib/hash.js';
import { type ModelSetup, providerId } from '../models.js';

/** Body of `POST chat/completions`. */
export type WireRequest = Readonly<Record<string, unknown>>;

/** Raised when keys are made in another way: no older answer is then taken. */
const KEY_VERSION = 1;

/** Fields that name the asker or how a call is billed and can not change the answer. Everything else is in the key. */
export const NOT_IN_KEY = [
  'user',
  'metadata',
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
] as const;

/** The request for one prompt, with a limit of tokens. Parameters that are null are not sent. */
export function wireRequest(
  setup: ModelSetup,
  prompt: {
    readonly messages: readonly LlmMessage[];
    readonly schema: z.ZodType;
    readonly schemaName: string;
  },
  limit: number,
): WireRequest {
  const { json_schema, type } = zodResponseFormat(prompt.schema, prompt.schemaName);
  const sampling = { temperature: setup.temperature, top_p: setup.top_p, seed: setup.seed };
  return {
    ...setup.extra,
    model: setup.model,
    messages: prompt.messages.map(({ role, content }) => ({ role, content })),
    response_format: { type, json_schema },
    [setup.limit_field]: limit,
    ...Object.fromEntries(Object.entries(sampling).filter(([, v]) => v !== null)),
  };
}

/** SHA-256 over the whole request without `NOT_IN_KEY`, the provider and the number of the sample. */
export function requestKey(server: ModelSetup['server'], request: WireRequest, sample: number): string {
  const kept = Object.entries(request).filter(([name]) => !(NOT_IN_KEY as readonly string[]).includes(name));
  return sha256(
    canonicalJson({
      key_version: KEY_VERSION,
      provider: providerId(server),
      sample,
      request: Object.fromEntries(kept),
    }),
  );
}
