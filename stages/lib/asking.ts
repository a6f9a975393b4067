/** What asking a model looks like to a stage. Types only, part of the contract. */
import type { z } from 'zod';

export interface LlmMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How a model call ended. Only `accepted` has a value; none of the others may be taken for an empty answer. */
export type LlmOutcome =
  | 'accepted'
  | 'refused'
  | 'filtered'
  | 'truncated'
  | 'unfinished'
  | 'empty'
  | 'unparsable'
  | 'invalid'
  | 'too_long';

export interface LlmRequest<T> {
  /** Id of the row that is asked about; it stands in logs and errors. */
  readonly subject: string;
  readonly messages: readonly LlmMessage[];
  /** What the reply must be: strict objects, `nullable()` instead of `optional()`. Sent along, and checked again here. */
  readonly schema: z.ZodType<T>;
  /** Name of the schema on the wire: letters, digits, `_`, `-`. */
  readonly schemaName: string;
  /** Number of the sample when the same prompt is asked several times; default 0. */
  readonly sample?: number;
}

/**
 * Where an answer comes from: the same in every later run from the same records, so a stage may write it into its rows.
 * How often the request was sent is left out for that reason: it depends on the weather of the network, and stands in
 * the store and the log.
 */
export interface LlmSource {
  /** Names the request, whichever limit of tokens its answer was given under. */
  readonly key: string;
  /** Place of the answer in the store: `key`, or another one when the larger limit was needed. */
  readonly answer_key: string;
  /** The model that was asked for, and the one that says it answered. */
  readonly model: string;
  readonly served_model: string | null;
  readonly response_id: string | null;
  /** Of this reply, as the server reports them. */
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

export type LlmResult<T> =
  | { readonly outcome: 'accepted'; readonly value: T; readonly source: LlmSource }
  | {
      readonly outcome: Exclude<LlmOutcome, 'accepted'>;
      /** The reason in a few words; never what the model wrote. */
      readonly detail: string;
      readonly source: LlmSource;
    };

/** A model. Answers are recorded: the same request has the same answer in every later run. */
export interface Llm {
  /** Rejects when no reply can be had at all; the build then stops, and running it again continues. */
  ask<T>(request: LlmRequest<T>): Promise<LlmResult<T>>;
}

/**
 * How often a stage asks a model about one row, for `plan`: rough, and called so. What is sent again after a fault of the
 * line or a reply that does not fit is not counted.
 */
export interface AskEstimate {
  /** One of the purposes that the stage declares. */
  readonly purpose: string;
  /** Table input whose rows are asked about. */
  readonly per_row_of: string;
  /** Requests for a row as a rule, which may be a fraction. */
  readonly calls: number;
  /** Requests for a row when everything is asked again as often as the stage allows. */
  readonly calls_at_most: number;
  /** Tokens of one request, prompt and schema, and of its reply. */
  readonly prompt_tokens: number;
  readonly reply_tokens: number;
}
