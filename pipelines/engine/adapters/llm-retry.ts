/** The attempts that follow when the line or the server fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { randomStream } from '../../../stages/lib/random.js';
import { Interrupted } from '../errors.js';
import type { CallConfig } from '../models.js';
import type { Attempt, FailedAttempt } from './llm-client.js';

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
  /** When it is aborted, what is on its way may arrive, but nothing is waited for or sent again. */
  readonly stopping: AbortSignal;
  /** Names the stream of waiting times, so that a run can be repeated. */
  readonly label: string;
}

/** Sends until there is a reply, a fault that no repetition mends, or no retry left; returns the last attempt. */
export async function sendWithRetries(send: () => Promise<Attempt>, options: RetryOptions): Promise<Attempt> {
  const { calls, signal, stopping, label } = options;
  const jitter = randomStream(0, 'llm-retry', label);
  const isWorthIt = (error: Error): error is TransportFailure =>
    error instanceof TransportFailure && error.attempt.is_retryable && !stopping.aborted;
  const once = async (): Promise<Attempt> => {
    const attempt = await send();
    if (attempt.fault) throw new TransportFailure(attempt);
    return attempt;
  };
  try {
    return await pRetry(once, {
      retries: calls.retries,
      // The waiting is done below, because the server may say how long.
      minTimeout: 0,
      signal,
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (!isWorthIt(error) || retriesLeft === 0) return;
        const ms = waitingTime(error.attempt, attemptNumber, calls, jitter.float());
        await sleep(ms, undefined, { signal: AbortSignal.any([signal, stopping]) }).catch(() => undefined);
      },
      shouldRetry: ({ error }) => isWorthIt(error),
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    if (error instanceof TransportFailure) return error.attempt;
    if (stopping.aborted) throw new Interrupted();
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
