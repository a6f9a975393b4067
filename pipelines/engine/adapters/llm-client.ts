/** One attempt at a model server. */
import OpenAI from 'openai';
import { Interrupted, UsageError } from '../errors.js';
import type { CallConfig, ModelSetup } from '../models.js';
import { type Reply, readReply, word } from './llm-reply.js';
import type { WireRequest } from './llm-wire.js';

/** What went wrong on the way. `too_long` is the fault of the prompt; the others say nothing about it. */
export type Fault = 'too_long' | 'http_error' | 'connection' | 'timeout' | 'bad_body';

export type Attempt =
  | { readonly fault: null; readonly reply: Reply; readonly status: number }
  | {
      readonly fault: Fault;
      readonly status: number | null;
      /** For people: status and code, never the server's words. */
      readonly detail: string;
      /** What the server sent, keys removed. */
      readonly body: string | null;
      readonly is_retryable: boolean;
      readonly retry_after_ms: number | null;
      /** Whether a model may have worked on the request, which then counts as paid for. */
      readonly may_have_run: boolean;
    };
export type FailedAttempt = Exclude<Attempt, { fault: null }>;

export interface Client {
  /** One request, one answer; a stalled body counts as a timeout. Rejects only when `signal` is aborted. */
  send(request: WireRequest, signal: AbortSignal): Promise<Attempt>;
}

/** A client of one provider; the key comes from the environment only. */
export function createClient(setup: ModelSetup, calls: CallConfig): Client {
  const { server } = setup;
  const apiKey = readKey(setup);
  const api = new OpenAI({
    // The client refuses an empty key; servers without keys ignore it.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: server.base_url,
    maxRetries: 0,
    timeout: calls.timeout_seconds * 1000,
    logLevel: 'off',
    // A redirect would carry the prompt to an address that no policy has seen.
    fetchOptions: { redirect: 'manual' },
  });
  return { send: (request, signal) => send(api, request, { signal, calls, apiKey }) };
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly calls: CallConfig;
  readonly apiKey: string | null;
}

async function send(api: OpenAI, request: WireRequest, options: SendOptions): Promise<Attempt> {
  const { signal, calls, apiKey } = options;
  const timeout = AbortSignal.timeout(calls.timeout_seconds * 1000);
  try {
    const response = await api.chat.completions
      .create(request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming, {
        signal: AbortSignal.any([signal, timeout]),
      })
      .asResponse();
    // Read by hand: the client would lose a body that is not what it expects.
    const body = withoutKey(await response.text(), apiKey);
    const reply = readReply(body);
    if (reply) return { fault: null, reply, status: response.status };
    return failed('bad_body', response.status, 'no chat completion in the body', {
      body: withoutSecrets(body, apiKey).slice(0, 4000),
      is_retryable: true,
      may_have_run: true,
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    if (timeout.aborted || error instanceof OpenAI.APIConnectionTimeoutError)
      return failed('timeout', null, `no whole answer in ${calls.timeout_seconds} s`, {
        is_retryable: true,
        may_have_run: true,
      });
    if (error instanceof OpenAI.APIError && error.status) return httpFault(error, apiKey);
    // What is left is the line: refused, reset, cut; the client has several classes for it.
    const code = connectionCode(error);
    return failed('connection', null, `connection failed (${code})`, {
      is_retryable: true,
      may_have_run: !NEVER_SENT.has(code),
    });
  }
}

/** Codes of a line that was never there. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

type More = Partial<Pick<FailedAttempt, 'body' | 'is_retryable' | 'retry_after_ms' | 'may_have_run'>>;

const failed = (fault: Fault, status: number | null, detail: string, more: More): FailedAttempt => ({
  fault,
  status,
  detail,
  body: null,
  is_retryable: false,
  retry_after_ms: null,
  may_have_run: false,
  ...more,
});

function httpFault(error: InstanceType<typeof OpenAI.APIError>, apiKey: string | null): FailedAttempt {
  const { status, code, headers } = error;
  const detail = `HTTP ${status}${code ? `, code ${word(withoutSecrets(String(code), apiKey))}` : ''}`;
  const sent = error.error ? JSON.stringify(error.error) : String(error.message);
  const body = withoutSecrets(sent, apiKey).slice(0, 4000);
  if (status === 413 || code === 'context_length_exceeded')
    return failed('too_long', status!, detail, { body });
  const is_transient = status === 408 || status === 409 || status === 429 || status! >= 500;
  const is_final = code === 'insufficient_quota' || headers?.get('x-should-retry') === 'false';
  return failed('http_error', status!, detail, {
    body,
    is_retryable: is_transient && !is_final,
    retry_after_ms: retryAfter(headers),
  });
}

/** Code of the deepest cause (`ECONNRESET`), for connection faults. */
function connectionCode(error: unknown): string {
  let code: unknown;
  for (let e = error as { code?: unknown; cause?: unknown } | undefined; e; e = e.cause as typeof e)
    code = e.code ?? code;
  return word(code ?? (error as Error)?.name);
}

/** Milliseconds that the server asks to wait: `retry-after-ms`, or seconds or a date in `retry-after`. */
export function retryAfter(headers: Headers | undefined, now = Date.now()): number | null {
  const ms = headers?.get('retry-after-ms') ?? '';
  if (/^\d+(\.\d+)?$/.test(ms)) return Number(ms);
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function readKey(setup: ModelSetup): string | null {
  const name = setup.server.api_key_env;
  if (!name) return null;
  const value = process.env[name]?.trim();
  if (value && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError({
    message: `the key of a model provider is ${value ? 'no plain text' : 'missing'}`,
    field: `models.providers.${setup.provider}.api_key_env`,
    got: value ? 'characters that no header may hold' : 'an empty environment variable',
    expected: `the key in the environment variable ${name}`,
    next: `set ${name}, or api_key_env: null for a server that asks for no key`,
  });
}

/** A reply without the key it was paid with. Keys below 12 characters are stand-ins like EMPTY, and may be words. */
const withoutKey = (text: string, apiKey: string | null): string =>
  apiKey && apiKey.length >= 12 ? text.replaceAll(apiKey, '[key]') : text;

/** Error texts like to quote the key they were given, whole or in part. */
function withoutSecrets(text: string, apiKey: string | null): string {
  const plain = apiKey ? text.replaceAll(apiKey, '[key]') : text;
  return plain.replace(/\bBearer\s+[^\s"',\\]+/gi, 'Bearer [key]').replace(/\bsk-[\w*.-]{4,}/g, '[key]');
}
