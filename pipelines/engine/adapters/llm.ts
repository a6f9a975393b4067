/** `ctx.llm`: answers from the store when they are there, from the server when the run may ask, and a record of both. */
import { join } from 'node:path';
import type { AccessClass, Llm, LlmRequest, LlmResult } from '../../../stages/contract.js';
import { Interrupted } from '../errors.js';
import type { CallConfig, ModelSetup } from '../models.js';
import { checkProvider } from '../policy.js';
import { addCall, addResult, type CallKind, type ModelTally, type Tallies } from '../tally.js';
import {
  type Call,
  prepare,
  recordedAnswer,
  recordedFailure,
  recordOf,
  sourceOf,
  type WireForm,
} from './llm-call.js';
import { type Attempt, type Client, createClient } from './llm-client.js';
import { missing, noReply } from './llm-errors.js';
import { createLimits, type RunLimits } from './llm-limits.js';
import { type Metered, sendMetered } from './llm-meter.js';
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
  /** What all stages of a run share; without it this stage is a run of its own. */
  readonly limits?: RunLimits;
  readonly onLog: (message: string) => void;
  readonly onNote: (message: string) => void;
  /** Sees the counts after every call and every result. */
  readonly onTally?: (tallies: Tallies) => void;
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

/** One wire form of a call on its way. */
interface Sending<T> {
  readonly call: Call<T>;
  readonly form: WireForm;
  readonly kind: CallKind;
}

class StageModels implements Models {
  failures = 0;
  readonly #options: ModelsOptions;
  readonly #clients = new Map<string, Client>();
  readonly #running = new Map<string, Promise<LlmResult<unknown>>>();
  readonly #limits: RunLimits;
  readonly #served = new Set<string>();
  readonly #closing = new AbortController();
  #tallies: Tallies = {};
  #store: Promise<AnswerStore> | undefined;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? createLimits();
  }

  llm(purpose: string): Llm {
    const setup = this.#options.setups.find((s) => s.purpose === purpose);
    if (!setup) throw new Error(`stage ${this.#options.stage} does not declare the model ${purpose}`);
    return { ask: (request) => this.#ask(setup, request) };
  }

  async close(): Promise<void> {
    this.#closing.abort();
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
    const recorded = recordedAnswer(store, call) ?? this.#replayed(store, call);
    const result = recorded ?? (await this.#fresh(store, call));
    this.#count(call, (tally) => addResult(tally, result.outcome, recorded !== undefined));
    if (result.outcome !== 'accepted') this.failures++;
    this.#report(call, result);
    return result;
  }

  /** A replay has the failures of the live run, and nothing beyond its records. */
  #replayed<T>(store: AnswerStore, call: Call<T>): LlmResult<T> | undefined {
    return this.#options.mode === 'replay' ? (recordedFailure(store, call) ?? missing(call)) : undefined;
  }

  async #fresh<T>(store: AnswerStore, call: Call<T>): Promise<LlmResult<T>> {
    const [usual, larger] = call.wires;
    // A limit that was too small once is not paid for again.
    const was_cut = store.failed(usual!.key)?.outcome === 'truncated';
    if (was_cut) return this.#tryContent(store, call, larger!, 'first');
    const first = await this.#tryContent(store, call, usual!, 'first');
    return first.outcome === 'truncated' ? this.#tryContent(store, call, larger!, 'content_retry') : first;
  }

  /** A reply that is no JSON of the schema is asked for again, with the prompt as it was. */
  async #tryContent<T>(
    store: AnswerStore,
    call: Call<T>,
    form: WireForm,
    first: CallKind,
  ): Promise<LlmResult<T>> {
    const { slot } = this.#limits.gate(call.setup);
    for (let left = call.setup.content_retries, kind = first; ; left--, kind = 'content_retry') {
      const result = await slot(() => this.#send(store, { call, form, kind }));
      const is_mendable = ['empty', 'unparsable', 'invalid'].includes(result.outcome);
      if (!is_mendable || left === 0) return result;
    }
  }

  async #send<T>(store: AnswerStore, sending: Sending<T>): Promise<LlmResult<T>> {
    const { calls, signal, stage } = this.#options;
    const { call, form } = sending;
    const limits = this.#limits;
    const stopping = this.#closing.signal;
    if (stopping.aborted || signal.aborted) throw new Interrupted();
    const client = this.#client(call.setup);
    let verdict: Verdict<T> | undefined;
    let attempts = 0;
    const send = async (): Promise<Attempt> => {
      const metered = await sendMetered(client, { setup: call.setup, form, limits, signal, stopping });
      const { attempt } = metered;
      verdict = attempt.fault ? undefined : judgeReply(attempt.reply, call.request.schema);
      await store.append(recordOf({ stage, call, form, attempt, verdict }));
      this.#countAttempt(sending, metered, ++attempts);
      return attempt;
    };
    const last = await sendWithRetries(send, { calls, signal, stopping, label: form.key });
    if (last.fault && last.fault !== 'too_long') throw noReply(call, last, attempts);
    const source = sourceOf(call, form.key, last.fault ? null : last.reply);
    if (!verdict) return { outcome: 'too_long', detail: last.fault ? last.detail : '', source };
    return verdict.outcome === 'accepted'
      ? { outcome: 'accepted', value: verdict.value, source }
      : { outcome: verdict.outcome, detail: verdict.detail, source };
  }

  #countAttempt<T>({ call, form, kind }: Sending<T>, { attempt, spent }: Metered, n: number): void {
    this.#count(call, (tally) => addCall(tally, n > 1 ? 'transport_retry' : kind, spent));
    if (!attempt.fault) return;
    const { purpose } = call.setup;
    this.#options.onLog(
      `llm ${purpose} ${call.request.subject}: attempt ${n} for ${form.key.slice(0, 12)} ended with ${attempt.fault}, ${attempt.detail}`,
    );
  }

  #count<T>({ setup }: Call<T>, add: (tally: ModelTally | undefined) => ModelTally): void {
    this.#tallies = { ...this.#tallies, [setup.purpose]: add(this.#tallies[setup.purpose]) };
    this.#options.onTally?.(this.#tallies);
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
