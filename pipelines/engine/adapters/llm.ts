/** `ctx.llm`: answers from the store when they are there, from the server when the run may ask, and a record of both. */
import { join } from 'node:path';
import type { AccessClass, Llm, LlmRequest, LlmResult } from '../../../stages/contract.js';
import { Interrupted } from '../errors.js';
import type { CallConfig, ModelSetup } from '../models.js';
import { checkProvider } from '../policy.js';
import {
  type Call,
  prepare,
  recordedAnswer,
  recordedFailure,
  recordOf,
  sourceOf,
  type WireForm,
} from './llm-call.js';
import { type Client, createClient } from './llm-client.js';
import { missing, noReply } from './llm-errors.js';
import { limiter } from './llm-limiter.js';
import { judgeReply, type Verdict } from './llm-reply.js';
import { sendWithRetries } from './llm-retry.js';
import { type AnswerStore, openStore } from './llm-store.js';

/** `live` asks for what is not recorded; `replay` never calls, and what is not recorded is an error. */
export type LlmMode = 'live' | 'replay';

export interface ModelsOptions {
  readonly stage: string;
  readonly setups: readonly ModelSetup[];
  readonly calls: CallConfig;
  readonly mode: LlmMode;
  /** Highest class of the rows that the stage reads. */
  readonly access: AccessClass;
  /** Folder of the stores, one below it for each class. */
  readonly storeDir: string;
  /** Files with recorded answers that are inputs of the build. */
  readonly recorded: readonly string[];
  readonly signal: AbortSignal;
  readonly onLog: (message: string) => void;
  readonly onNote: (message: string) => void;
}

/** The models of one stage run. */
export interface Models {
  llm(purpose: string): Llm;
  /** Requests that ended without an accepted answer. */
  readonly failures: number;
  /** Waits for calls in flight, so that what was paid for is kept. */
  close(): Promise<void>;
}

/** Checks the policy, before anything can leave, and prepares the models; stores and clients open at the first use. */
export function createModels(options: ModelsOptions): Models {
  for (const setup of options.setups) checkProvider(options.access, setup);
  return new StageModels(options);
}

class StageModels implements Models {
  failures = 0;
  readonly #options: ModelsOptions;
  readonly #clients = new Map<string, Client>();
  readonly #running = new Map<string, Promise<LlmResult<unknown>>>();
  readonly #slot: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #served = new Set<string>();
  #store: Promise<AnswerStore> | undefined;
  #is_closed = false;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#slot = limiter(options.calls.concurrency);
  }

  llm(purpose: string): Llm {
    const setup = this.#options.setups.find((s) => s.purpose === purpose);
    if (!setup) throw new Error(`stage ${this.#options.stage} does not declare the model ${purpose}`);
    return { ask: (request) => this.#ask(setup, request) };
  }

  async close(): Promise<void> {
    this.#is_closed = true;
    await Promise.allSettled(this.#running.values());
    await (await this.#store?.catch(() => undefined))?.close();
  }

  /** Equal requests that run at the same time share one call. */
  #ask<T>(setup: ModelSetup, request: LlmRequest<T>): Promise<LlmResult<T>> {
    const call = prepare(setup, request);
    const key = call.wires[0]!.key;
    if (this.#running.has(key)) return this.#running.get(key) as Promise<LlmResult<T>>;
    const result = this.#answer(call).finally(() => this.#running.delete(key));
    this.#running.set(key, result);
    return result;
  }

  async #answer<T>(call: Call<T>): Promise<LlmResult<T>> {
    const store = await this.#open();
    const result = recordedAnswer(store, call) ?? (await this.#fresh(store, call));
    if (result.outcome !== 'accepted') this.failures++;
    this.#report(call, result);
    return result;
  }

  async #fresh<T>(store: AnswerStore, call: Call<T>): Promise<LlmResult<T>> {
    if (this.#options.mode === 'replay') return recordedFailure(store, call) ?? missing(call);
    const [usual, larger] = call.wires;
    // A limit that was too small once is not paid for again.
    const was_cut = store.failed(usual!.key)?.outcome === 'truncated';
    const first = was_cut ? undefined : await this.#tryContent(store, call, usual!);
    return first && first.outcome !== 'truncated' ? first : this.#tryContent(store, call, larger!);
  }

  /** A reply that is no JSON of the schema is asked for again, with the prompt as it was. */
  async #tryContent<T>(store: AnswerStore, call: Call<T>, form: WireForm): Promise<LlmResult<T>> {
    for (let left = call.setup.content_retries; ; left--) {
      const result = await this.#slot(() => this.#send(store, call, form));
      const is_mendable = ['empty', 'unparsable', 'invalid'].includes(result.outcome);
      if (!is_mendable || left === 0) return result;
    }
  }

  async #send<T>(store: AnswerStore, call: Call<T>, form: WireForm): Promise<LlmResult<T>> {
    const { calls, signal, stage } = this.#options;
    if (this.#is_closed || signal.aborted) throw new Interrupted();
    const client = this.#client(call.setup);
    let verdict: Verdict<T> | undefined;
    let attempts = 0;
    const last = await sendWithRetries(client, form.wire, {
      calls,
      signal,
      label: form.key,
      onAttempt: async (attempt) => {
        attempts++;
        verdict = attempt.fault ? undefined : judgeReply(attempt.reply, call.request.schema);
        await store.append(recordOf({ stage, call, form, attempt, verdict }));
      },
    });
    if (last.fault && last.fault !== 'too_long') throw noReply(call, last, attempts);
    const source = { key: form.key, ...sourceOf(last.fault ? null : last.reply) };
    if (!verdict) return { outcome: 'too_long', detail: last.fault ? last.detail : '', source };
    return verdict.outcome === 'accepted'
      ? { outcome: 'accepted', value: verdict.value, source }
      : { outcome: verdict.outcome, detail: verdict.detail, source };
  }

  #client(setup: ModelSetup): Client {
    const known = this.#clients.get(setup.provider);
    const client = known ?? createClient(setup, this.#options.calls);
    this.#clients.set(setup.provider, client);
    return client;
  }

  #open(): Promise<AnswerStore> {
    const { storeDir, access, recorded, mode, onNote } = this.#options;
    const dir = join(storeDir, access);
    this.#store ??= openStore({ dir, recorded, is_writable: mode === 'live' }).then((store) => {
      if (store.torn > 0)
        onNote(`${store.torn} half-written line(s) of a stopped run set aside in ${dir}; asked for again`);
      return store;
    });
    return this.#store;
  }

  #report<T>(call: Call<T>, result: LlmResult<T>): void {
    const { purpose, model } = call.setup;
    const { key, served_model } = result.source;
    this.#options.onLog(
      `llm ${purpose} ${call.request.subject}: ${result.outcome}, answer ${key.slice(0, 12)}`,
    );
    if (!served_model || served_model === model || this.#served.has(served_model)) return;
    this.#served.add(served_model);
    this.#options.onNote(`model ${model} was asked for, ${served_model} answered`);
  }
}
