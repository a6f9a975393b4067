/** One request to a model in its wire forms, what is recorded of it, and what is found of it in the store. */
import type { LlmOutcome, LlmRequest, LlmResult, LlmSource } from '../../../stages/contract.js';
import { type ModelSetup, providerId } from '../models.js';
import type { Attempt } from './llm-client.js';
import type { AttemptRecord } from './llm-lines.js';
import { judgeReply, type Reply, type Verdict } from './llm-reply.js';
import type { AnswerStore, Stored } from './llm-store.js';
import { requestKey, type WireRequest, wireRequest } from './llm-wire.js';

/** A request as it is sent, with its limit of tokens. */
export interface WireForm {
  readonly wire: WireRequest;
  readonly key: string;
  readonly limit: number;
}

/** What one request becomes: the two wire forms (usual and larger limit) with their keys. */
export interface Call<T> {
  readonly request: LlmRequest<T>;
  readonly setup: ModelSetup;
  readonly wires: readonly WireForm[];
}

/** The wire forms of a request. */
export function prepare<T>(setup: ModelSetup, request: LlmRequest<T>): Call<T> {
  const wires = [setup.max_tokens, setup.truncated_max_tokens].map((limit) => {
    const wire = wireRequest(setup, request, limit);
    return { wire, limit, key: requestKey(setup.server, wire, request.sample ?? 0) };
  });
  return { request, setup, wires };
}

/** An accepted answer that still fits the schema, whichever limit it was given under. */
export function recordedAnswer<T>(store: AnswerStore, call: Call<T>): LlmResult<T> | undefined {
  for (const { key } of call.wires) {
    const record = store.accepted(key);
    if (!record) continue;
    const verdict = judgeReply(record, call.request.schema);
    if (verdict.outcome === 'accepted')
      return { outcome: 'accepted', value: verdict.value, source: sourceOf(call, key, record) };
  }
  return undefined;
}

/** The last failure, so that a replay rejects the same rows. One that a larger limit would have followed is none. */
export function recordedFailure<T>(store: AnswerStore, call: Call<T>): LlmResult<T> | undefined {
  const [usual, larger] = call.wires.map(({ key }) => store.failed(key));
  const final = [usual?.outcome === 'truncated' ? undefined : usual, larger]
    .filter((r): r is Stored => r !== undefined && CONTENT.has(r.outcome))
    .sort((a, b) => b.order - a.order)[0];
  if (!final) return undefined;
  const outcome = final.outcome as Exclude<LlmOutcome, 'accepted'>;
  return { outcome, detail: final.detail, source: sourceOf(call, final.key, final) };
}

/** Failures that a row has earned; those of the line or the server are never final. */
const CONTENT: ReadonlySet<string> = new Set<LlmOutcome>([
  'refused',
  'filtered',
  'truncated',
  'unfinished',
  'empty',
  'unparsable',
  'invalid',
  'too_long',
]);

/** Where an answer comes from; `reply` is null when there was none. */
export function sourceOf<T>(
  { setup, wires }: Call<T>,
  answer_key: string,
  reply: Pick<Reply, 'served_model' | 'response_id' | 'usage'> | null,
): LlmSource {
  return {
    key: wires[0]!.key,
    answer_key,
    model: setup.model,
    served_model: reply?.served_model ?? null,
    response_id: reply?.response_id ?? null,
    usage: reply?.usage ?? null,
  };
}

/** The line of an attempt. */
export function recordOf<T>(of: {
  readonly stage: string;
  readonly call: Call<T>;
  readonly form: WireForm;
  readonly attempt: Attempt;
  readonly verdict: Verdict<T> | undefined;
}): AttemptRecord {
  const { stage, call, form, attempt, verdict } = of;
  const { setup, request } = call;
  const reply = attempt.fault ? null : attempt.reply;
  return {
    key: form.key,
    stage,
    purpose: setup.purpose,
    subject: request.subject,
    sample: request.sample ?? 0,
    provider: providerId(setup.server),
    model: setup.model,
    served_model: reply?.served_model ?? null,
    response_id: reply?.response_id ?? null,
    outcome: verdict?.outcome ?? attempt.fault ?? 'bad_body',
    detail: verdict?.detail ?? (attempt.fault ? attempt.detail : ''),
    finish_reason: reply?.finish_reason ?? null,
    text: reply ? reply.text : attempt.fault ? attempt.body : null,
    refusal: reply?.refusal ?? null,
    usage: reply?.usage ?? null,
    status: attempt.status,
    limit: form.limit,
  };
}
