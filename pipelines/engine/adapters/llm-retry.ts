/** The attempts that follow when the line or the server fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { randomStream } from '../../../stages/lib/random.js';
import { Interrupted } from '../errors.js';
import type { CallConfig } from '../models.js';
import type { Attempt, Client, FailedAttempt } from './llm-client.js';
import type { WireRequest } from './llm-wire.js';

/** Thrown inside the retry loop only. */
class TransportFailure extends Error {
  readonly attempt: FailedAttempt;
  constructor(attempt: FailedAttempt) {
    super(attempt.detail);
    this.attempt = attempt;
  }
}

export interface RetryOptions {
  readonly calls: CallConfig;
  readonly signal: AbortSignal;
  /** Names the stream of waiting times, so that a run can be repeated. */
  readonly label: string;
  /** Sees every attempt before the next one starts. */
  readonly onAttempt: (attempt: Attempt) => Promise<void>;
}

/** Sends until there is a reply, a fault that no repetition mends, or no retry left; returns the last attempt. */
export async function sendWithRetries(
  client: Client,
  request: WireRequest,
  options: RetryOptions,
): Promise<Attempt> {
  const { calls, signal, label, onAttempt } = options;
  const jitter = randomStream(0, 'llm-retry', label);
  const once = async (): Promise<Attempt> => {
    const attempt = await client.send(request, signal);
    await onAttempt(attempt);
    if (attempt.fault) throw new TransportFailure(attempt);
    return attempt;
  };
  try {
    return await pRetry(once, {
      retries: calls.retries,
      // The waiting is done below, because the server may say how long.
      minTimeout: 0,
      signal,
      shouldRetry: ({ error }) => error instanceof TransportFailure && error.attempt.is_retryable,
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (!(error instanceof TransportFailure) || !error.attempt.is_retryable || retriesLeft === 0) return;
        await sleep(waitingTime(error.attempt, attemptNumber, calls, jitter.float()), undefined, { signal });
      },
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    if (error instanceof TransportFailure) return error.attempt;
    throw error;
  }
}

/** What the server asks for, or exponential backoff with jitter; never above the cap. In milliseconds. */
export function waitingTime(
  attempt: Pick<FailedAttempt, 'retry_after_ms'>,
  attemptNumber: number,
  calls: CallConfig,
  jitter: number,
): number {
  const cap = calls.retry_after_cap_seconds * 1000;
  const backoff = calls.backoff_seconds * 1000 * 2 ** (attemptNumber - 1) * (0.5 + jitter / 2);
  return Math.min(cap, attempt.retry_after_ms ?? backoff);
}
