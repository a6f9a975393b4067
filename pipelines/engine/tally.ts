/** What asking models came to, counted while it happens. */
import type { LlmOutcome } from '../../stages/contract.js';

/** Counts of one purpose in one run of a stage. */
export interface ModelTally {
  /** Requests that have their result. */
  readonly done: number;
  readonly accepted: number;
  /** Requests without an accepted answer, by reason. */
  readonly failed: Readonly<Record<string, number>>;
  /** Of those done, how many were answered from records: no call, no tokens, no cost. */
  readonly recorded: number;
  /** Requests that were sent, every attempt counted. */
  readonly calls: number;
  /** Of the calls, those after a fault of line or server. */
  readonly transport_retries: number;
  /** Of the calls, first attempts after a reply that did not fit or was cut. */
  readonly content_retries: number;
  /** As the server reports them. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Worst case of calls whose use nobody reported (cut, timed out, without usage). */
  readonly assumed_tokens: number;
  /** Reported and assumed tokens together; null without a price. */
  readonly cost_usd: number | null;
}

/** Purpose to counts. */
export type Tallies = Readonly<Record<string, ModelTally>>;

/** What one attempt came to. */
export interface Spent {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** True where the server reported nothing and the worst case is taken. */
  readonly is_assumed: boolean;
  /** Null without a price. */
  readonly cost_usd: number | null;
}

const EMPTY: ModelTally = {
  done: 0,
  accepted: 0,
  failed: {},
  recorded: 0,
  calls: 0,
  transport_retries: 0,
  content_retries: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  assumed_tokens: 0,
  cost_usd: null,
};

/** Why a request is sent: for the first time, after a fault on the way, or after a reply that is no answer. */
export type CallKind = 'first' | 'transport_retry' | 'content_retry';

/** The counts of one purpose after a call. */
export function addCall(tally: ModelTally = EMPTY, kind: CallKind, spent: Spent): ModelTally {
  const reported = spent.is_assumed ? 0 : 1;
  const tokens = spent.prompt_tokens + spent.completion_tokens;
  return {
    ...tally,
    calls: tally.calls + 1,
    transport_retries: tally.transport_retries + (kind === 'transport_retry' ? 1 : 0),
    content_retries: tally.content_retries + (kind === 'content_retry' ? 1 : 0),
    prompt_tokens: tally.prompt_tokens + reported * spent.prompt_tokens,
    completion_tokens: tally.completion_tokens + reported * spent.completion_tokens,
    assumed_tokens: tally.assumed_tokens + (1 - reported) * tokens,
    cost_usd: spent.cost_usd === null ? tally.cost_usd : (tally.cost_usd ?? 0) + spent.cost_usd,
  };
}

/** The counts of one purpose after a request has its result. */
export function addResult(tally: ModelTally = EMPTY, outcome: LlmOutcome, is_recorded: boolean): ModelTally {
  const is_accepted = outcome === 'accepted';
  return {
    ...tally,
    done: tally.done + 1,
    accepted: tally.accepted + (is_accepted ? 1 : 0),
    recorded: tally.recorded + (is_recorded ? 1 : 0),
    failed: is_accepted ? tally.failed : { ...tally.failed, [outcome]: (tally.failed[outcome] ?? 0) + 1 },
  };
}

/** The counts of all purposes together; the empty tally when there is none. */
export function sumTallies(tallies: readonly ModelTally[]): ModelTally {
  const total = (part: (tally: ModelTally) => number | null): number =>
    tallies.reduce((n, tally) => n + (part(tally) ?? 0), 0);
  const reasons = [...new Set(tallies.flatMap((t) => Object.keys(t.failed)))].sort();
  return {
    done: total((t) => t.done),
    accepted: total((t) => t.accepted),
    failed: Object.fromEntries(reasons.map((reason) => [reason, total((t) => t.failed[reason] ?? 0)])),
    recorded: total((t) => t.recorded),
    calls: total((t) => t.calls),
    transport_retries: total((t) => t.transport_retries),
    content_retries: total((t) => t.content_retries),
    prompt_tokens: total((t) => t.prompt_tokens),
    completion_tokens: total((t) => t.completion_tokens),
    assumed_tokens: total((t) => t.assumed_tokens),
    cost_usd: tallies.some((t) => t.cost_usd !== null) ? total((t) => t.cost_usd) : null,
  };
}
