/** What a reply is worth: stop reason, refusal, content, JSON, schema, in this order. Nothing is repaired. */
import { z } from 'zod';
import type { LlmOutcome } from '../../../stages/contract.js';

/** The part of a chat completion that is read; everything else is left alone. */
const Completion = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .looseObject({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
    .nullish()
    .catch(null),
});

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** One choice of a completion. */
export interface Reply {
  readonly response_id: string | null;
  readonly served_model: string | null;
  readonly finish_reason: string | null;
  readonly text: string | null;
  readonly refusal: string | null;
  readonly usage: Usage | null;
}

/** Reads a response body; undefined when it is no chat completion (cut JSON, HTML, an error object, no choice). */
export function readReply(body: string): Reply | undefined {
  const parsed = Completion.safeParse(parseJson(body)?.value);
  if (!parsed.success) return undefined;
  const { id, model, choices, usage } = parsed.data;
  const { finish_reason, message } = choices[0]!;
  return {
    response_id: id ?? null,
    served_model: model ?? null,
    finish_reason: finish_reason ?? null,
    text: message.content ?? null,
    refusal: message.refusal ?? null,
    usage: usage ? { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens } : null,
  };
}

/** The verdict; `detail` names fields and reasons, never the words of the model. */
export type Verdict<T> =
  | { readonly outcome: 'accepted'; readonly value: T; readonly detail: '' }
  | { readonly outcome: Exclude<LlmOutcome, 'accepted'>; readonly detail: string };

/** Judges one reply against the schema that was asked for. */
export function judgeReply<T>(
  reply: Pick<Reply, 'finish_reason' | 'refusal' | 'text'>,
  schema: z.ZodType<T>,
): Verdict<T> {
  const { finish_reason, refusal, text } = reply;
  if (finish_reason === 'length') return { outcome: 'truncated', detail: 'the limit of tokens was reached' };
  if (finish_reason === 'content_filter')
    return { outcome: 'filtered', detail: 'stopped by a content filter' };
  if (refusal) return { outcome: 'refused', detail: 'the model refused' };
  if (finish_reason !== 'stop')
    return { outcome: 'unfinished', detail: `finish_reason ${word(finish_reason)}` };
  if (text === null || text.trim() === '') return { outcome: 'empty', detail: 'no content' };
  const json = parseJson(text);
  if (!json) return { outcome: 'unparsable', detail: 'the content is not JSON' };
  const checked = schema.safeParse(json.value);
  if (checked.success) return { outcome: 'accepted', value: checked.data, detail: '' };
  const issues = checked.error.issues.map((i) => `${i.path.map(String).join('.') || 'reply'}: ${i.code}`);
  return { outcome: 'invalid', detail: [...new Set(issues)].slice(0, 5).join('; ') };
}

/** A word of the server that may be shown: short and harmless, else only that there was one. */
export const word = (text: unknown): string =>
  text === null || text === undefined
    ? 'missing'
    : /^[\w.-]{1,40}$/.test(String(text))
      ? String(text)
      : 'unreadable';

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
